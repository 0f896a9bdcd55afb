package dev.evener.spark;

import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.spark.TiledFile.Block;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Blocks of files as buffers in tasks, near where they lie. Stateless. */
final class Placement {
    private Placement() {}

    /** Work on a block of a file. */
    @FunctionalInterface
    interface BlockWork<R> extends Serializable {
        /** Works on a block; its elements' buffer is closed afterwards. */
        R call(Evener evener, Block block, HostBuffer data) throws Exception;
    }

    private static <E> Seq<E> sequence(List<E> items) {
        return CollectionConverters.asScala(items).toList();
    }

    /** Hadoop's settings, which come to an executor once: with each task they would cost more than a small one takes. */
    static Broadcast<SerializableConfiguration> configuration(JavaSparkContext spark) {
        return spark.broadcast(new SerializableConfiguration(spark.hadoopConfiguration()));
    }

    private static JavaRDD<Block> rdd(JavaSparkContext spark, List<Block> blocks) {
        if (blocks.stream().allMatch(block -> block.hosts().isEmpty())) {
            return spark.parallelize(
                    blocks, blocks.size()); // without a map of places, which each task would have to read
        }
        List<Tuple2<Block, Seq<String>>> placed = new ArrayList<>();
        for (Block block : blocks) {
            placed.add(new Tuple2<>(block, sequence(block.hosts())));
        }
        ClassTag<Block> tag = ClassTag$.MODULE$.apply(Block.class);
        return JavaRDD.fromRDD(spark.sc().makeRDD(sequence(placed), tag), tag);
    }

    /** What some work makes of each block of a file, in order. */
    static <R> JavaRDD<R> over(JavaSparkContext spark, TiledFile file, BlockWork<R> work) throws IOException {
        Broadcast<SerializableConfiguration> hadoop = configuration(spark);
        return rdd(spark, file.layout(spark.hadoopConfiguration())).map(block -> {
            Evener evener = EvenerPlugin.evener();
            try (HostBuffer data = evener.allocate(block.type(), block.elements())) {
                block.read(hadoop.value().value(), data);
                return work.call(evener, block, data);
            }
        });
    }
}
