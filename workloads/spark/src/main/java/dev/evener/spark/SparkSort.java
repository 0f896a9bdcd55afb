package dev.evener.spark;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.sort.RadixSort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * {@link RadixSort} over a file of any size, into a folder of files {@code part-*}, which are the result one behind the other: every
 * partition is sorted by devices and cut at splitters, which come from regular samples of all sorted partitions; what lies between two
 * is brought together and sorted by devices again (H. Shi and J. Schaeffer, <i>Parallel sorting by regular sampling</i>, J. Parallel
 * Distrib. Comput. 14, 1992). Sorted partitions lie on executors' disks meanwhile. The order is total on bits, so that there is one result.
 * Equal keys are told apart by their partitions, so that a key that most elements have is spread over parts.
 */
public final class SparkSort {
    /** Keys that are sampled of each partition: where they differ, no part is larger by more than 1/256 of each partition. */
    private static final int SAMPLES = 256;

    private SparkSort() {}

    /**
     * Sorts keys in ascending order, floats as {@link RadixSort} does.
     *
     * @param out a folder that is not there yet
     * @return the result, in as many parts as the file has partitions, of about their size
     * @throws IllegalArgumentException if keys of this type cannot be sorted
     * @throws IOException if the file cannot be read, or the folder is there or cannot be written
     */
    public static TiledFile sort(JavaSparkContext spark, TiledFile file, String out) throws IOException {
        ElementType type = file.type();
        RadixSort.order(type, 0); // refuses what cannot be sorted
        return Output.parts(spark, file, out, output -> {
            JavaRDD<Tuple2<Integer, byte[]>> sorted = file.map(
                            spark, (evener, block, data) -> new Tuple2<>(block.index(), sorted(evener, data)))
                    .persist(StorageLevel.DISK_ONLY());
            try {
                int parts = sorted.getNumPartitions();
                List<long[]> splitters =
                        splitters(sorted.map(block -> samples(type, block._2())).collect(), parts);
                return sorted.flatMapToPair(block -> cut(type, block._1(), block._2(), splitters))
                        .partitionBy(new HashPartitioner(parts))
                        .mapPartitions(own -> List.of(join(EvenerPlugin.evener(), type, own, output))
                                .iterator())
                        .collect();
            } finally {
                sorted.unpersist();
            }
        });
    }

    private static byte[] sorted(Evener evener, HostBuffer keys) {
        try (HostBuffer sorted = evener.allocate(keys.type(), keys.elements())) {
            RadixSort.sort(evener, keys, sorted);
            ByteBuffer bytes =
                    ByteBuffer.allocate(Math.toIntExact(sorted.byteSize())).order(ByteOrder.nativeOrder());
            sorted.get(0, bytes);
            return bytes.array();
        }
    }

    private static long[] samples(ElementType type, byte[] sorted) {
        int keys = sorted.length / type.bytes();
        return LongStream.range(0, Math.min(SAMPLES, keys))
                .map(i -> number(type, sorted, (int) ((2 * i + 1) * keys / (2L * Math.min(SAMPLES, keys)))))
                .toArray();
    }

    /** One less than parts, ascending: keys, each with the block that it is of. */
    private static List<long[]> splitters(List<long[]> samples, int parts) {
        List<long[]> all = new ArrayList<>();
        for (int block = 0; block < samples.size(); block++) {
            for (long key : samples.get(block)) {
                all.add(new long[] {key, block});
            }
        }
        all.sort(Comparator.<long[]>comparingLong(each -> each[0]).thenComparingLong(each -> each[1]));
        return LongStream.range(1, all.isEmpty() ? 1 : parts)
                .mapToObj(i -> all.get((int) (i * all.size() / parts)))
                .toList();
    }

    /** The sorted keys of a block in pieces, one for each part. */
    private static Iterator<Tuple2<Integer, byte[]>> cut(
            ElementType type, int block, byte[] sorted, List<long[]> splitters) {
        List<Tuple2<Integer, byte[]>> pieces = new ArrayList<>();
        int from = 0;
        for (int part = 0; part <= splitters.size(); part++) {
            int to = part < splitters.size()
                    ? below(type, block, sorted, splitters.get(part))
                    : sorted.length / type.bytes();
            pieces.add(new Tuple2<>(part, Arrays.copyOfRange(sorted, from * type.bytes(), to * type.bytes())));
            from = to;
        }
        return pieces.iterator();
    }

    /** How many keys of a block are below a splitter; one that equals it is if its block is. */
    private static int below(ElementType type, int block, byte[] sorted, long[] splitter) {
        int low = 0;
        int high = sorted.length / type.bytes();
        while (low < high) {
            int middle = (low + high) >>> 1;
            long number = number(type, sorted, middle);
            if (number < splitter[0] || (number == splitter[0] && block < splitter[1])) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** What orders, as a signed number, as the key does. */
    private static long number(ElementType type, byte[] keys, int index) {
        ByteBuffer all = ByteBuffer.wrap(keys).order(ByteOrder.nativeOrder());
        long bits = type.bytes() == Long.BYTES ? all.getLong(index * Long.BYTES) : all.getInt(index * Integer.BYTES);
        return RadixSort.order(type, bits) ^ Long.MIN_VALUE;
    }

    /** Sorts what belongs to a part, and writes it. */
    private static Tuple2<Boolean, String> join(
            Evener evener, ElementType type, Iterator<Tuple2<Integer, byte[]>> own, Output output) throws Exception {
        List<byte[]> pieces = new ArrayList<>();
        own.forEachRemaining(piece -> pieces.add(piece._2()));
        long elements = pieces.stream().mapToLong(piece -> piece.length).sum() / type.bytes();
        try (HostBuffer keys = evener.allocate(type, elements);
                HostBuffer sorted = evener.allocate(type, elements)) {
            long at = 0;
            for (byte[] piece : pieces) {
                keys.put(at, ByteBuffer.wrap(piece).order(ByteOrder.nativeOrder()));
                at += piece.length / type.bytes();
            }
            RadixSort.sort(evener, keys, sorted);
            return output.part(TaskContext.getPartitionId(), sorted);
        }
    }
}
