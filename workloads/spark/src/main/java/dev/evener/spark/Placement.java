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

    /** What some work makes of each block of a file, in order. */
    static <R> JavaRDD<R> over(JavaSparkContext spark, TiledFile file, BlockWork<R> work) throws IOException {
        SerializableConfiguration hadoop = new SerializableConfiguration(spark.hadoopConfiguration());
        List<Tuple2<Block, Seq<String>>> placed = new ArrayList<>();
        for (Block block : file.layout(hadoop.value())) {
            List<String> hosts =
                    block.hosts().stream().filter(h -> !h.equals("localhost")).toList();
            placed.add(new Tuple2<>(block, sequence(hosts)));
        }
        ClassTag<Block> tag = ClassTag$.MODULE$.apply(Block.class);
        return JavaRDD.fromRDD(spark.sc().makeRDD(sequence(placed), tag), tag).map(block -> {
            Evener evener = EvenerPlugin.evener();
            try (HostBuffer data = evener.allocate(block.type(), block.elements())) {
                block.read(hadoop.value(), data);
                return work.call(evener, block, data);
            }
        });
    }
}
