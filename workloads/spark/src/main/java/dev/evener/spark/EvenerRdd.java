package dev.evener.spark;

import dev.evener.Evener;
import java.util.Iterator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.Function2;

/** Jobs of a user's own on the devices of executors. */
public final class EvenerRdd {
    private EvenerRdd() {}

    /**
     * An RDD whose partitions are made of those of another one on the executors' devices, where {@link EvenerPlugin} opened them. A
     * task is worth its launch if a partition holds 100 ms of work or more. Tasks may run twice: what they do must not hang on that.
     *
     * @param work takes the executor's Evener, not to be closed, and the items of a partition, and gives the results; what they need of
     *     the Evener is done by the end of the task. Called by the thread of a task, and for several partitions at once. Serialized to
     *     executors, so what it refers to must be too
     */
    public static <T, R> JavaRDD<R> mapPartitions(JavaRDD<T> rdd, Function2<Evener, Iterator<T>, Iterator<R>> work) {
        return rdd.mapPartitions(items -> work.call(EvenerPlugin.evener(), items));
    }
}
