package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.Report;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.histogram.RgbHistogram;
import dev.evener.kernels.histogram.RgbStyle;
import dev.evener.kernels.image.Canny;
import dev.evener.kernels.image.Gradient;
import dev.evener.kernels.image.GreyConversion;
import dev.evener.kernels.image.HarrisCorners;
import dev.evener.kernels.image.ImageSize;
import dev.evener.kernels.map.ColourInversion;
import dev.evener.kernels.map.VectorAdd;
import dev.evener.kernels.matrix.MatrixMultiply;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import dev.evener.kernels.scan.SegmentedScan;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Primitives take managed buffers as they take host buffers, with the same results: the conformance suites compare the latter with
 * references. And what one hands to the next stays on the device.
 */
@InTurn(3)
class ManagedPrimitivesTest {
    private static final int TILE = 4096;

    /** What a primitive works on: buffers of one kind, filled alike. */
    private abstract static class Bed {
        final Evener evener;
        final Policy policy;
        private final List<DataBuffer> buffers = new ArrayList<>();
        private final IdentityHashMap<DataBuffer, Integer> meant = new IdentityHashMap<>(); // bytes, where not all

        Bed(Evener evener, Policy policy) {
            this.evener = evener;
            this.policy = policy;
        }

        abstract DataBuffer allocate(ElementType type, long elements);

        abstract void fill(DataBuffer buffer, ByteBuffer content);

        abstract byte[] content(DataBuffer buffer);

        DataBuffer of(ElementType type, long elements, IntFunction<Number> content) {
            DataBuffer buffer = allocate(type, elements);
            buffers.add(buffer);
            ByteBuffer bytes = ByteBuffer.allocate((int) buffer.byteSize()).order(ByteOrder.nativeOrder());
            for (int i = 0; i < elements; i++) {
                Number value = content.apply(i);
                switch (type) {
                    case UBYTE -> bytes.put(value.byteValue());
                    case USHORT -> bytes.putShort(value.shortValue());
                    case FLOAT -> bytes.putFloat(value.floatValue());
                    case ULONG, LONG -> bytes.putLong(value.longValue());
                    default -> bytes.putInt(value.intValue());
                }
            }
            fill(buffer, bytes.flip());
            return buffer;
        }

        /** With something in it that has to be replaced. */
        DataBuffer out(ElementType type, long elements) {
            return of(type, elements, i -> 77);
        }

        /** Of which only the first elements that hold this are a result. */
        DataBuffer out(ElementType type, long elements, long results) {
            DataBuffer buffer = out(type, elements);
            meant.put(buffer, (int) results * type.bytes());
            return buffer;
        }

        void run(Job job) {
            Report report = evener.submit(job, policy).join();
            assertEquals(List.of(), report.failures());
        }

        List<byte[]> results() {
            List<byte[]> results = buffers.stream()
                    .map(b -> {
                        byte[] all = content(b);
                        return Arrays.copyOf(all, meant.getOrDefault(b, all.length));
                    })
                    .toList();
            buffers.forEach(DataBuffer::close);
            return results;
        }
    }

    private static Bed host(Evener evener, Policy policy) {
        return new Bed(evener, policy) {
            @Override
            DataBuffer allocate(ElementType type, long elements) {
                return evener.allocate(type, elements);
            }

            @Override
            void fill(DataBuffer buffer, ByteBuffer content) {
                ((HostBuffer) buffer).put(0, content);
            }

            @Override
            byte[] content(DataBuffer buffer) {
                byte[] bytes = new byte[(int) buffer.byteSize()];
                ((HostBuffer) buffer).bytes().get(bytes);
                return bytes;
            }
        };
    }

    private static Bed managed(Evener evener, Policy policy) {
        return new Bed(evener, policy) {
            @Override
            DataBuffer allocate(ElementType type, long elements) {
                return evener.allocateManaged(type, elements);
            }

            @Override
            void fill(DataBuffer buffer, ByteBuffer content) {
                if (content.hasRemaining()) {
                    try (ManagedBuffer.Scope scope = ((ManagedBuffer) buffer).overwrite()) {
                        scope.bytes().put(content);
                    }
                }
            }

            @Override
            byte[] content(DataBuffer buffer) {
                try (ManagedBuffer.Scope scope = ((ManagedBuffer) buffer).read()) {
                    byte[] bytes = new byte[(int) buffer.byteSize()];
                    scope.bytes().get(bytes);
                    return bytes;
                }
            }
        };
    }

    /** Runs a primitive over so many elements. */
    private interface Primitive {
        void run(Bed bed, int n);
    }

    private static IntFunction<Number> random(int n, int bound) {
        Random random = new Random(n);
        return i -> random.nextInt(bound);
    }

    private static final Map<String, Primitive> PRIMITIVES = new TreeMap<>(Map.ofEntries(
            Map.entry("map", (bed, n) -> {
                DataBuffer a = bed.of(ElementType.FLOAT, n, random(n, 1000));
                bed.run(VectorAdd.job(n, a, a, bed.out(ElementType.FLOAT, n)));
                bed.run(ColourInversion.job(
                        n, bed.of(ElementType.UINT, n, random(n, 1 << 24)), bed.out(ElementType.UINT, n)));
            }),
            Map.entry("scan", (bed, n) -> {
                DataBuffer floats = bed.of(ElementType.FLOAT, n, random(n, 1000));
                DataBuffer longs = bed.of(ElementType.LONG, n, random(n, 1 << 30));
                try (Scan scan = new Scan(bed.evener::allocate)) {
                    bed.run(scan.job(
                            ScanKind.EXCLUSIVE,
                            dev.evener.kernels.scan.Operation.ADD,
                            floats,
                            bed.out(ElementType.FLOAT, n)));
                    bed.run(scan.job(
                            ScanKind.INCLUSIVE,
                            dev.evener.kernels.scan.Operation.MAX,
                            longs,
                            bed.out(ElementType.LONG, n + 2)));
                }
            }),
            Map.entry(
                    "segmented scan",
                    (bed, n) -> bed.run(SegmentedScan.job(
                            ScanKind.INCLUSIVE,
                            bed.of(ElementType.INT, n * 3L, random(n, 1000)),
                            bed.out(ElementType.INT, n * 3L),
                            3))),
            Map.entry("reduce", (bed, n) -> {
                DataBuffer ints = bed.of(ElementType.INT, n, random(n, 1 << 30));
                try (Reduce reduce = new Reduce(bed.evener::allocate)) {
                    bed.run(reduce.job(Operation.SUM, ints, bed.out(ElementType.INT, 1)));
                    bed.run(reduce.job(Operation.ARG_MAX, ints, bed.out(ElementType.LONG, 1)));
                }
            }),
            Map.entry("histogram", (bed, n) -> {
                DataBuffer bytes = bed.of(ElementType.UBYTE, n, random(n, 256));
                DataBuffer floats = bed.of(ElementType.FLOAT, n, random(n, 100));
                try (Histogram histogram = new Histogram(bed.evener::allocate)) {
                    bed.run(histogram.job(Bins.even(7, 10, 200), bytes, bed.out(ElementType.ULONG, 7)));
                    bed.run(histogram.job(Bins.even(10, 0f, 99f), floats, bed.out(ElementType.UINT, 10)));
                }
                bed.run(RgbHistogram.job(
                        RgbStyle.BEST,
                        16,
                        bed.of(ElementType.UINT, n, random(n, 1 << 24)),
                        bed.out(ElementType.UINT, 48)));
            }),
            Map.entry("sort", (bed, n) -> {
                DataBuffer keys = bed.of(ElementType.UINT, n, random(n, 1 << 20));
                DataBuffer values = bed.of(ElementType.UINT, n, i -> i);
                try (RadixSort sort = new RadixSort(bed.evener::allocate)) {
                    bed.run(sort.job(RadixSort.keys(keys)
                            .into(bed.out(ElementType.UINT, n))
                            .values(values)
                            .into(bed.out(ElementType.UINT, n))));
                }
            }),
            Map.entry("compact", (bed, n) -> {
                DataBuffer in = bed.of(ElementType.INT, n, i -> i % 7);
                DataBuffer flags = bed.of(ElementType.UBYTE, n, i -> i % 5 == 0 ? 1 : 0);
                bed.run(Compact.valuesJob(
                        Selection.where(Comparison.EQUAL, 0),
                        in,
                        bed.out(ElementType.INT, n, (n + 6) / 7),
                        bed.out(ElementType.UINT, 1)));
                bed.run(Compact.indicesJob(
                        Selection.flagged(flags),
                        in,
                        bed.out(ElementType.UINT, n, (n + 4) / 5),
                        bed.out(ElementType.ULONG, 1)));
            }),
            Map.entry("matrix", (bed, n) -> {
                int side = (int) Math.sqrt(n);
                DataBuffer a = bed.of(ElementType.FLOAT, n, random(n, 9));
                bed.run(MatrixMultiply.job(side, side, side, a, a, bed.out(ElementType.FLOAT, n)));
                bed.run(MatrixMultiply.job(side, 0, side, a, a, bed.out(ElementType.FLOAT, n)));
            }),
            Map.entry("image", (bed, n) -> {
                ImageSize size = new ImageSize(64, Math.max(1, n / 64));
                DataBuffer words = bed.of(ElementType.UINT, size.pixels(), random(n, 1 << 24));
                DataBuffer grey = bed.out(ElementType.UBYTE, size.pixels());
                bed.run(GreyConversion.job(size.pixels(), words, grey));
                bed.run(Gradient.job(
                        size,
                        grey,
                        bed.out(ElementType.USHORT, size.pixels()),
                        bed.out(ElementType.UBYTE, size.pixels())));
                try (Canny canny = new Canny(bed.evener::allocate);
                        HarrisCorners harris = new HarrisCorners(bed.evener::allocate)) {
                    bed.run(canny.job(size, grey, bed.out(ElementType.UBYTE, size.pixels()), 40, 300));
                    bed.run(harris.job(
                            size,
                            grey,
                            bed.out(ElementType.UINT, size.pixels()),
                            bed.out(ElementType.FLOAT, size.pixels()),
                            bed.out(ElementType.UINT, 1),
                            bed.out(ElementType.UINT, 1),
                            new HarrisCorners.Settings(1, 0.05f, 1e8f)));
                }
            })));

    static Stream<String> primitives() {
        return PRIMITIVES.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("primitives")
    void theyTakeBuffersOfEitherKind(String name) {
        Primitive primitive = PRIMITIVES.get(name);
        try (Evener discrete = TestBed.open("0.0,0.1,jvm", false);
                Evener sharing = TestBed.open("0.0,0.1,jvm")) {
            for (int n : new int[] {1, TILE, 3 * TILE + 17}) {
                for (Policy policy : List.of(Policies.single(), Policies.fixed(0.4, 0.35, 0.25))) {
                    Bed plain = host(sharing, policy);
                    primitive.run(plain, n);
                    List<byte[]> expected = plain.results();
                    for (Evener each : List.of(discrete, sharing)) {
                        Bed bed = managed(each, policy);
                        primitive.run(bed, n);
                        List<byte[]> found = bed.results();
                        for (int i = 0; i < expected.size(); i++) {
                            assertArrayEquals(
                                    expected.get(i), found.get(i), name + ", " + n + ", " + policy + ", buffer " + i);
                        }
                    }
                }
            }
        }
    }

    /** The input goes up once, and the results are fetched by who looks at them. */
    @Test
    void aChainStaysOnItsDevice() {
        int n = 256 * TILE;
        try (Evener evener = TestBed.open("0.0", false);
                ManagedBuffer in = evener.allocateManaged(ElementType.UINT, n);
                ManagedBuffer sums = evener.allocateManaged(ElementType.UINT, n);
                ManagedBuffer kept = evener.allocateManaged(ElementType.UINT, n);
                ManagedBuffer count = evener.allocateManaged(ElementType.UINT, 1);
                ManagedBuffer sorted = evener.allocateManaged(ElementType.UINT, n);
                Scan scan = new Scan(evener::allocate);
                RadixSort sort = new RadixSort(evener::allocate)) {
            int[] values = new Random(1).ints(n, 0, 1 << 20).toArray();
            try (ManagedBuffer.Scope scope = in.overwrite()) {
                scope.ints().put(values);
            }
            long up = 0;
            long down = 0;
            for (Job job : List.of(
                    scan.job(ScanKind.INCLUSIVE, dev.evener.kernels.scan.Operation.ADD, in, sums),
                    Compact.valuesJob(Selection.where(Comparison.LESS, 1 << 30), sums, kept, count),
                    sort.job(sums, sorted))) {
                Report.DeviceUse use = evener.submit(job).join().devices().get(0);
                up += use.bytesIn();
                down += use.bytesOut();
            }
            // Besides the input a sort's table of 256 KiB, and some words.
            assertTrue(up >= 4L * n && up < 4L * n + 300_000, up + " bytes sent");
            assertTrue(down < 1000, down + " bytes fetched");

            int[] expected = values.clone();
            Arrays.parallelPrefix(expected, Integer::sum);
            int[] small = Arrays.stream(expected)
                    .filter(sum -> Integer.compareUnsigned(sum, 1 << 30) < 0)
                    .toArray();
            int[] found = new int[small.length];
            try (ManagedBuffer.Scope scope = count.read()) {
                assertEquals(small.length, scope.ints().get(0));
            }
            try (ManagedBuffer.Scope scope = kept.read(0, small.length)) {
                scope.ints().get(found);
            }
            assertArrayEquals(small, found);
            int[] order = IntStream.range(0, n)
                    .map(i -> expected[i] + Integer.MIN_VALUE)
                    .sorted()
                    .map(key -> key + Integer.MIN_VALUE)
                    .toArray();
            try (ManagedBuffer.Scope scope = sorted.read()) {
                int[] all = new int[n];
                scope.ints().get(all);
                assertArrayEquals(order, all);
            }
        }
    }
}
