package dev.evener.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.sort.RadixSort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.Partition;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every primitive over files, in 77, 20 and 3 partitions, beside one machine that has all in one buffer. */
class NumbersTest {
    private static final int ELEMENTS = 5_000_123;
    private static final Bins BINS = Bins.even(1000, -100f, 100f);

    @TempDir
    static Path folder;

    private static JavaSparkContext spark;
    private static Evener machine;

    private static int outputs;

    @BeforeAll
    static void open() throws IOException {
        spark = new JavaSparkContext(SparkBed.conf("local[2]")
                .set(ScriptedFiles.PREFIX + "fs.scripted.impl", ScriptedFiles.class.getName()));
        machine = SparkBed.machine();
    }

    @AfterAll
    static void close() {
        machine.close();
        spark.close();
    }

    /** Sizes around tiles and blocks, and the large one, with blocks for each. */
    static Stream<int[]> sizes() {
        return Stream.of(
                new int[] {0, 1 << 16},
                new int[] {1, 1 << 16},
                new int[] {1000, 1 << 16},
                new int[] {1 << 16, 1 << 16},
                new int[] {(1 << 17) + 4095, 1 << 16},
                new int[] {3 << 16, 1 << 17},
                new int[] {ELEMENTS, 1 << 16},
                new int[] {ELEMENTS, 1 << 18},
                new int[] {ELEMENTS, 1 << 21});
    }

    /** Ordinary numbers, and now and then what is none: NaNs of all kinds, infinities, zeros of both signs. */
    private static byte[] bytes(ElementType type, int elements, boolean special) {
        Random random = new Random(elements + type.bytes());
        ByteBuffer bytes = ByteBuffer.allocate(elements * type.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < elements; i++) {
            if (type == ElementType.FLOAT) {
                float plain = (random.nextFloat() - 0.5f) * 250;
                bytes.putInt(
                        !special
                                ? Float.floatToRawIntBits(plain)
                                : switch (random.nextInt(100_000)) {
                                    case 0 -> Float.floatToRawIntBits(Float.POSITIVE_INFINITY);
                                    case 1 -> Float.floatToRawIntBits(Float.NEGATIVE_INFINITY);
                                    case 2 -> 0x7fc00000 | random.nextInt(1 << 20);
                                    case 3 -> 0xffc00000 | random.nextInt(1 << 20);
                                    case 4, 5, 6 -> 0x80000000;
                                    case 7, 8, 9 -> 0;
                                    default -> Float.floatToRawIntBits(plain);
                                });
            } else if (type == ElementType.LONG) {
                bytes.putLong(random.nextLong());
            } else {
                bytes.putInt(random.nextInt());
            }
        }
        return bytes.array();
    }

    private static HostBuffer whole(ElementType type, byte[] bytes) {
        HostBuffer all = machine.allocate(type, bytes.length / type.bytes());
        all.bytes().put(bytes);
        return all;
    }

    private static TiledFile file(ElementType type, byte[] bytes, int block) throws IOException {
        Path file = folder.resolve(type + "-" + bytes.length + "-" + outputs++);
        Files.write(file, bytes);
        return TiledFile.of(file.toString(), type).blocks(block);
    }

    private static String out() {
        return folder.resolve("out" + outputs++).toString();
    }

    private static byte[] content(HostBuffer buffer) {
        byte[] bytes = new byte[(int) buffer.byteSize()];
        buffer.bytes().get(bytes);
        return bytes;
    }

    private static byte[] content(TiledFile result) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List<String> names = SparkBed.names(Path.of(result.uri()));
        assertEquals("_SUCCESS", names.get(0));
        for (String name : names.subList(1, names.size())) {
            assertTrue(name.startsWith("part-"), name);
            all.write(Files.readAllBytes(Path.of(result.uri(), name)));
        }
        return all.toByteArray();
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void reductionsAndHistograms(int[] size) throws IOException {
        for (ElementType type : List.of(ElementType.INT, ElementType.UINT, ElementType.FLOAT)) {
            for (boolean special : type == ElementType.FLOAT ? new boolean[] {false, true} : new boolean[] {false}) {
                byte[] bytes = bytes(type, size[0], special);
                TiledFile file = file(type, bytes, size[1]);
                try (HostBuffer all = whole(type, bytes)) {
                    for (Operation operation : List.of(Operation.SUM, Operation.MIN, Operation.MAX)) {
                        assertEquals(
                                Reduce.of(machine, operation, all),
                                SparkReduce.of(spark, file, operation),
                                type + " " + operation);
                    }
                    if (type == ElementType.FLOAT) {
                        assertArrayEquals(Histogram.of(machine, BINS, all), SparkHistogram.of(spark, file, BINS));
                    } else {
                        assertEquals(
                                Reduce.of(machine, Operation.WIDE_SUM, all),
                                SparkReduce.of(spark, file, Operation.WIDE_SUM));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void scans(int[] size) throws IOException {
        for (ElementType type : List.of(ElementType.INT, ElementType.FLOAT)) {
            for (boolean special : type == ElementType.FLOAT ? new boolean[] {false, true} : new boolean[] {false}) {
                byte[] bytes = bytes(type, size[0], special);
                TiledFile file = file(type, bytes, size[1]);
                dev.evener.kernels.scan.Operation add = dev.evener.kernels.scan.Operation.ADD;
                try (HostBuffer all = whole(type, bytes);
                        HostBuffer result = machine.allocate(type, size[0])) {
                    Scan.exclusive(machine, add, all, result);
                    TiledFile exclusive = SparkScan.exclusive(spark, file, add, out());
                    assertArrayEquals(content(result), content(exclusive), type + " exclusive");
                    Scan.inclusive(machine, add, all, result);
                    TiledFile inclusive = SparkScan.inclusive(spark, file, add, out());
                    assertArrayEquals(content(result), content(inclusive), type + " inclusive");
                    // A folder of parts is a file like any other, cut at other places.
                    assertEquals(
                            Reduce.of(machine, Operation.MAX, result),
                            SparkReduce.of(spark, inclusive.blocks(1 << 19), Operation.MAX));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void sorts(int[] size) throws IOException {
        for (ElementType type : List.of(ElementType.INT, ElementType.FLOAT, ElementType.LONG)) {
            byte[] bytes = bytes(type, size[0], true);
            TiledFile file = file(type, bytes, size[1]);
            try (HostBuffer all = whole(type, bytes);
                    HostBuffer result = machine.allocate(type, size[0])) {
                RadixSort.sort(machine, all, result);
                assertArrayEquals(content(result), content(SparkSort.sort(spark, file, out())), type.toString());
            }
        }
    }

    /** Nine of ten keys are one value, and would otherwise all come to one task. */
    @Test
    void equalKeysAreSpread() throws IOException {
        int elements = 20 << 16;
        ByteBuffer bytes = ByteBuffer.allocate(elements * 4).order(ByteOrder.LITTLE_ENDIAN);
        Random random = new Random(1);
        IntStream.range(0, elements).forEach(i -> bytes.putInt(random.nextInt(10) == 0 ? random.nextInt() : 7));
        TiledFile sorted = SparkSort.sort(spark, file(ElementType.INT, bytes.array(), 1 << 16), out());
        try (HostBuffer all = whole(ElementType.INT, bytes.array());
                HostBuffer result = machine.allocate(ElementType.INT, elements)) {
            RadixSort.sort(machine, all, result);
            assertArrayEquals(content(result), content(sorted));
        }
        for (String part : SparkBed.names(Path.of(sorted.uri()))) {
            assertTrue(Files.size(Path.of(sorted.uri(), part)) < 3 * (4 << 16), part);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "odd"})
    void filesThatCannotBeReadLeaveNothing(String name) throws IOException {
        Path odd = folder.resolve("odd");
        Files.write(odd, new byte[7]);
        TiledFile file = TiledFile.of(folder.resolve(name).toString(), ElementType.INT);
        String wrong = name.equals("odd") ? "has 7 bytes, which is no whole number of ints" : "no such file";
        String out = out();
        for (org.junit.jupiter.api.function.Executable call : List.<org.junit.jupiter.api.function.Executable>of(
                () -> SparkReduce.of(spark, file, Operation.SUM),
                () -> SparkSort.sort(spark, file, out),
                () -> SparkScan.inclusive(spark, file, dev.evener.kernels.scan.Operation.ADD, out))) {
            IOException e = assertThrows(IOException.class, call);
            assertTrue(e.getMessage().contains(wrong), e.getMessage());
        }
        assertFalse(Files.exists(Path.of(out)));
    }

    @Test
    void whatIsNoPrimitiveIsRefused() {
        TiledFile bytes = TiledFile.of("file:/none", ElementType.UBYTE);
        assertThrows(IllegalArgumentException.class, () -> SparkReduce.of(spark, bytes, Operation.SUM));
        assertThrows(
                IllegalArgumentException.class,
                () -> SparkReduce.of(spark, TiledFile.of("file:/none", ElementType.INT), Operation.ARG_MIN));
        assertThrows(IllegalArgumentException.class, () -> SparkSort.sort(spark, bytes, "file:/none"));
        assertThrows(IllegalArgumentException.class, () -> bytes.blocks(1 << 15));
        assertThrows(IllegalArgumentException.class, () -> bytes.blocks(100_000));
    }

    @Test
    void tasksAreWantedWhereTheirBlocksLie() throws IOException {
        byte[] bytes = bytes(ElementType.INT, 200_000, false);
        TiledFile here = file(ElementType.INT, bytes, 1 << 16);
        TiledFile there =
                TiledFile.of("scripted:" + here.uri(), ElementType.INT).blocks(1 << 16);
        for (TiledFile file : List.of(here, there)) {
            RDD<?> blocks = file.map(spark, (evener, block, data) -> block.elements())
                    .rdd()
                    .dependencies()
                    .head()
                    .rdd();
            for (Partition partition : blocks.partitions()) {
                assertEquals(
                        file.equals(there) ? "List(127.0.0.2)" : "List()",
                        blocks.preferredLocations(partition).toList().toString());
            }
        }
        assertEquals(SparkReduce.of(spark, here, Operation.SUM), SparkReduce.of(spark, there, Operation.SUM));
    }

    @Test
    void aJobOfTheUsersOwn() {
        List<Integer> sums = EvenerRdd.mapPartitions(
                        spark.parallelize(IntStream.range(0, 1000).boxed().toList(), 5), (evener, items) -> {
                            try (HostBuffer ints = evener.allocate(ElementType.INT, 200)) {
                                for (int i = 0; items.hasNext(); i++) {
                                    ints.ints().put(i, items.next());
                                }
                                return List.of((Integer) Reduce.of(evener, Operation.SUM, ints))
                                        .iterator();
                            }
                        })
                .collect();
        assertEquals(List.of(19900, 59900, 99900, 139900, 179900), sums);
    }
}
