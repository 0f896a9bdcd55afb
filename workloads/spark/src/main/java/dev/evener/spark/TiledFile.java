package dev.evener.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.scan.Scan;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function3;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.SerializableConfiguration;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Numbers of one type, one behind the other in little-endian order, in a file of any size on any Hadoop file system, or in the files
 * {@code part-*} of a folder, in order. Partitions are aligned blocks of elements, so that results do not hang on their number.
 *
 * @param uri the file or folder
 * @param type of its elements
 * @param blockElements elements of a partition, the last one aside: a power of two, at least {@value Scan#ROW}
 */
@DefaultSerializer(JavaSerializer.class)
public record TiledFile(String uri, ElementType type, long blockElements) implements Serializable {
    private static final long DEFAULT = 1 << 24;
    private static final long MOST_BYTES = 1L << 30;
    private static final int CHUNK = 1 << 20;

    /** Refuses other blocks. */
    public TiledFile {
        if (Long.bitCount(blockElements) != 1
                || blockElements < Scan.ROW
                || blockElements * type.bytes() > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "blocks of " + blockElements + " elements; they must be a power of two, at least " + Scan.ROW
                            + " and at most " + MOST_BYTES + " bytes");
        }
    }

    /** With partitions of 2^24 elements. */
    public static TiledFile of(String uri, ElementType type) {
        return new TiledFile(uri, type, DEFAULT);
    }

    /** The same in other partitions. */
    public TiledFile blocks(long elements) {
        return new TiledFile(uri, type, elements);
    }

    /** A run of bytes of one file. */
    record Piece(String file, long offset, long bytes) implements Serializable {}

    /**
     * A partition.
     *
     * @param index its number, from 0
     * @param pieces where its elements are, in order
     * @param hosts that hold its first bytes
     */
    @DefaultSerializer(JavaSerializer.class)
    record Block(int index, ElementType type, List<Piece> pieces, List<String> hosts) implements Serializable {

        long elements() {
            return pieces.stream().mapToLong(Piece::bytes).sum() / type.bytes();
        }

        /** Fills a buffer from its first element on. */
        void read(Configuration hadoop, HostBuffer target) throws IOException {
            byte[] chunk = new byte[(int) Math.min(CHUNK, target.byteSize())];
            long at = 0;
            for (Piece piece : pieces) {
                Path path = new Path(piece.file);
                try (FSDataInputStream in = path.getFileSystem(hadoop).open(path)) {
                    in.seek(piece.offset);
                    for (long end = at + piece.bytes; at < end; ) {
                        int count = (int) Math.min(end - at, chunk.length);
                        in.readFully(chunk, 0, count);
                        ByteBuffer read = ByteBuffer.wrap(chunk, 0, count).order(ByteOrder.nativeOrder());
                        target.put(at / type.bytes(), read);
                        at += count;
                    }
                }
            }
        }
    }

    /** What some work makes of each block, with a buffer of its elements that is closed afterwards, in order. */
    <R> JavaRDD<R> map(JavaSparkContext spark, Function3<Evener, Block, HostBuffer, R> work) throws IOException {
        Broadcast<SerializableConfiguration> hadoop = Output.configuration(spark);
        return rdd(spark, layout(spark)).map(block -> {
            Evener evener = EvenerPlugin.evener();
            try (HostBuffer data = evener.allocate(block.type, block.elements())) {
                block.read(hadoop.value().value(), data);
                return work.call(evener, block, data);
            }
        });
    }

    private static JavaRDD<Block> rdd(JavaSparkContext spark, List<Block> blocks) {
        if (blocks.stream().allMatch(block -> block.hosts.isEmpty())) {
            return spark.parallelize(blocks, blocks.size()); // each task would have to read a map of places
        }
        List<Tuple2<Block, Seq<String>>> placed = new ArrayList<>();
        blocks.forEach(block -> placed.add(new Tuple2<>(block, KernelExec.sequence(block.hosts))));
        ClassTag<Block> tag = ClassTag$.MODULE$.apply(Block.class);
        return JavaRDD.fromRDD(spark.sc().makeRDD(KernelExec.sequence(placed), tag), tag);
    }

    /**
     * Its partitions, at least one.
     *
     * @throws IOException if it is not there, or holds no whole number of elements
     */
    List<Block> layout(JavaSparkContext spark) throws IOException {
        Path path = Output.qualified(spark, uri);
        FileSystem files = path.getFileSystem(spark.hadoopConfiguration());
        List<FileStatus> parts = parts(files, path);
        for (FileStatus part : parts) {
            if (part.getLen() % type.bytes() != 0) {
                throw new IOException(part.getPath() + ": has " + part.getLen() + " bytes, which is no whole number of "
                        + type.openClName() + "s");
            }
        }
        List<Block> blocks = new ArrayList<>();
        List<Piece> pieces = new ArrayList<>();
        List<String> hosts = List.of();
        long room = blockElements * type.bytes();
        for (FileStatus part : parts) {
            for (long at = 0; at < part.getLen(); at += pieces.get(pieces.size() - 1).bytes) {
                if (room == 0) {
                    blocks.add(new Block(blocks.size(), type, pieces, hosts));
                    pieces = new ArrayList<>();
                    room = blockElements * type.bytes();
                }
                if (pieces.isEmpty()) {
                    hosts = hosts(files.getFileBlockLocations(part, at, 1));
                }
                long bytes = Math.min(room, part.getLen() - at);
                pieces.add(new Piece(part.getPath().toString(), at, bytes));
                room -= bytes;
            }
        }
        blocks.add(new Block(blocks.size(), type, pieces, hosts));
        return blocks;
    }

    private static List<String> hosts(BlockLocation[] places) throws IOException {
        List<String> hosts = places.length == 0 ? List.of() : List.of(places[0].getHosts());
        return hosts.contains("localhost") ? List.of() : hosts;
    }

    private List<FileStatus> parts(FileSystem files, Path path) throws IOException {
        FileStatus whole;
        try {
            whole = files.getFileStatus(path);
        } catch (FileNotFoundException e) {
            throw new IOException(uri + ": there is no such file or folder", e);
        }
        if (!whole.isDirectory()) {
            return List.of(whole);
        }
        return Arrays.stream(files.listStatus(path))
                .filter(f -> f.getPath().getName().startsWith("part-"))
                .sorted(Comparator.<FileStatus>comparingInt(
                                f -> f.getPath().getName().length())
                        .thenComparing(f -> f.getPath().getName()))
                .toList();
    }
}
