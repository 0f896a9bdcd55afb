package dev.evener.spark;

import dev.evener.Evener;
import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.api.java.JavaRDD;

/** Jobs of a user's own on the devices of executors. */
public final class EvenerRdd {
    private EvenerRdd() {}

    /** Work on a partition. Serialized to executors, so what it refers to must be too. */
    @FunctionalInterface
    public interface Work<T, R> extends Serializable {
        /**
         * Called by the thread of a task; several partitions of an executor may be worked on at once.
         *
         * @param evener the executor's, not to be closed
         * @param items the partition's
         * @return the results; what they need of the Evener is done by the end of the task
         */
        Iterator<R> call(Evener evener, Iterator<T> items) throws Exception;
    }

    /**
     * An RDD whose partitions are made of those of another one on the executors' devices, where {@link EvenerPlugin} opened them. A
     * task is worth its launch if a partition holds 100 ms of work or more. Tasks may run twice: what they do must not hang on that.
     */
    public static <T, R> JavaRDD<R> mapPartitions(JavaRDD<T> rdd, Work<T, R> work) {
        return rdd.mapPartitions(items -> work.call(EvenerPlugin.evener(), items));
    }
}
