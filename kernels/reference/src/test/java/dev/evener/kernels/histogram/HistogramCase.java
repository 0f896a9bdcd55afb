package dev.evener.kernels.histogram;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.reference.HistogramReference;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Elements of one type and kind, in one set of bins.
 *
 * @param wide whether counts have 64 bits
 */
record HistogramCase(
        ElementType type, String kind, int elements, String label, Bins bins, boolean wide, boolean groupsOnCpus)
        implements TunedCase {
    private static final Map<List<Object>, ByteBuffer> DATA = new ConcurrentHashMap<>();
    private static final Map<HistogramCase, long[]> EXPECTED = new ConcurrentHashMap<>();
    private static final int LARGE = 5 * 65_536 + 13;

    static List<HistogramCase> all(boolean groupsOnCpus) {
        List<HistogramCase> cases = new ArrayList<>();
        Bins bytes = Bins.even(256, 0, 256);
        for (int elements : new int[] {0, 1, 7, 9, 63, 65, 4097, 65_535, 65_536, 65_537, LARGE}) {
            cases.add(of(ElementType.UBYTE, "uniform", elements, "256 even", bytes, groupsOnCpus));
            cases.add(of(ElementType.UINT, "uniform", Math.min(elements, 70_001), "100 even", full(100), groupsOnCpus));
        }
        for (String kind : List.of("constant", "sorted", "skewed")) {
            cases.add(of(ElementType.UBYTE, kind, LARGE, "256 even", bytes, groupsOnCpus));
            cases.add(of(ElementType.USHORT, kind, 160_007, "1000 even", Bins.even(1000, 99, 65_000), groupsOnCpus));
            cases.add(of(ElementType.FLOAT, kind, 80_001, "64 even", Bins.even(64, -100f, 100f), groupsOnCpus));
        }
        cases.add(of(ElementType.UBYTE, "uniform", 999, "7 of a part", Bins.even(7, 10, 201), groupsOnCpus));
        cases.add(of(ElementType.UBYTE, "uniform", 999, "edges", Bins.edges(3L, 3L, 9L, 90L, 256L), groupsOnCpus));
        cases.add(of(ElementType.USHORT, "uniform", 160_007, "all values", Bins.even(65_536, 0, 65_536), groupsOnCpus));
        cases.add(of(ElementType.USHORT, "uniform", 70_007, "edges", Bins.edges(0L, 9L, 777L, 65_536L), groupsOnCpus));
        cases.add(of(ElementType.UINT, "uniform", 70_007, "1", full(1), groupsOnCpus));
        cases.add(of(ElementType.UINT, "uniform", 70_007, "4096", full(4096), groupsOnCpus));
        cases.add(of(ElementType.UINT, "uniform", 70_007, "9999", full(9999), groupsOnCpus));
        cases.add(of(ElementType.UINT, "uniform", 600_007, "65536", full(65_536), groupsOnCpus));
        // A range so odd that no multiplier is exact.
        cases.add(of(
                ElementType.UINT,
                "uniform",
                70_007,
                "divided",
                Bins.even(65_535, 12_345, 4_294_967_291L),
                groupsOnCpus));
        cases.add(of(
                ElementType.UINT,
                "top",
                70_007,
                "edges",
                Bins.edges(5L, 5L, 1L << 31, (1L << 32) - 3, 1L << 32),
                groupsOnCpus));
        cases.add(of(
                ElementType.UINT,
                "top",
                70_007,
                "edges at the end",
                Bins.edges(0L, 1L << 32, 1L << 32, 1L << 32),
                groupsOnCpus));
        cases.add(of(ElementType.UINT, "top", 999, "edges of nothing", Bins.edges(7L, 7L, 7L), groupsOnCpus));
        cases.add(
                of(ElementType.FLOAT, "uniform", 70_007, "1000 even", Bins.even(1000, -900.1f, 1000.7f), groupsOnCpus));
        cases.add(of(ElementType.FLOAT, "uniform", 5_007, "ulps", Bins.even(999, 1f, 1.00001f), groupsOnCpus));
        cases.add(of(
                ElementType.FLOAT,
                "special",
                70_007,
                "all floats",
                Bins.even(50, -Float.MAX_VALUE, Float.MAX_VALUE),
                groupsOnCpus));
        cases.add(of(
                ElementType.FLOAT,
                "special",
                70_007,
                "edges",
                Bins.edges(Float.NEGATIVE_INFINITY, -1f, -0f, 0f, Float.MIN_VALUE, 1e-40f, 3f, Float.POSITIVE_INFINITY),
                groupsOnCpus));
        cases.add(of(ElementType.FLOAT, "special", 9_007, "integer bounds", Bins.even(10, 0, 10), groupsOnCpus));
        cases.add(new HistogramCase(ElementType.UBYTE, "uniform", LARGE, "wide", bytes, true, groupsOnCpus));
        cases.add(new HistogramCase(ElementType.UINT, "uniform", 70_001, "wide", full(77), true, groupsOnCpus));
        return cases;
    }

    /** One of each kind of build, and all sizes of bytes. */
    static List<HistogramCase> oneOfEachBuild(List<HistogramCase> cases) {
        Set<String> builds = new HashSet<>();
        return cases.stream()
                .filter(c -> c.type == ElementType.UBYTE
                        || builds.add(c.type + " " + Method.of(c.type, c.bins).way())
                        || c.bins.count() == Bins.MOST)
                .toList();
    }

    private static Bins full(int bins) {
        return Bins.even(bins, 0, 1L << 32);
    }

    private static HistogramCase of(
            ElementType type, String kind, int elements, String label, Bins bins, boolean groupsOnCpus) {
        return new HistogramCase(type, kind, elements, label, bins, false, groupsOnCpus);
    }

    @Override
    public String name() {
        return kind + " " + type + ", " + elements + " elements, " + label;
    }

    @Override
    public Object run(Evener evener, Policy policy, Tuning tuning) {
        ElementType counted = wide ? ElementType.ULONG : ElementType.UINT;
        try (HostBuffer input = evener.allocate(type, elements);
                HostBuffer counts = evener.allocate(counted, bins.count());
                Histogram histogram = new Histogram(evener::allocate, tuning)) {
            input.bytes().put(data().duplicate());
            counts.bytes().put(0, (byte) 99); // what was there before is replaced
            evener.submit(GpuForms.job(groupsOnCpus, histogram.job(bins, input, counts)), policy)
                    .join();
            long[] result = new long[bins.count()];
            for (int i = 0; i < result.length; i++) {
                result[i] = wide
                        ? counts.bytes().getLong(i * Long.BYTES)
                        : counts.ints().get(i) & 0xffffffffL;
            }
            return result;
        }
    }

    @Override
    public void check(Object output) {
        long[] expected = EXPECTED.computeIfAbsent(this, key -> HistogramReference.count(type, data(), elements, bins));
        assertArrayEquals(expected, (long[]) output, name());
    }

    private ByteBuffer data() {
        return DATA.computeIfAbsent(List.of(type, kind, elements), key -> {
            ByteBuffer data = ByteBuffer.allocate(elements * type.bytes()).order(ByteOrder.nativeOrder());
            SplittableRandom random = new SplittableRandom(elements);
            int[] bits = new int[elements];
            for (int i = 0; i < elements; i++) {
                bits[i] = bits(random.nextInt(), random.nextInt(10));
            }
            if (kind.equals("sorted")) {
                Arrays.sort(bits);
            }
            for (int value : bits) {
                switch (type.bytes()) {
                    case 1 -> data.put((byte) (value >>> 24));
                    case 2 -> data.putShort((short) (value >>> 16));
                    default -> data.putInt(value);
                }
            }
            return data.flip().asReadOnlyBuffer().order(ByteOrder.nativeOrder());
        });
    }

    private int bits(int random, int tenth) {
        boolean rare = tenth == 0;
        if (type != ElementType.FLOAT) {
            return switch (kind) {
                case "constant" -> 0x7b123456;
                case "skewed" -> rare ? random : 0x40404040;
                case "top" -> rare ? -1 : tenth == 1 ? -3 + random % 2 : random;
                default -> random;
            };
        }
        float value = random * 0x1p-21f;
        return Float.floatToRawIntBits(
                switch (kind) {
                    case "constant" -> 0.1f;
                    case "skewed" -> rare ? value : -99.5f;
                    case "special" ->
                        switch (tenth) {
                            case 0 -> Float.NaN;
                            case 1 -> Float.intBitsToFloat(0xff800001);
                            case 2 -> Float.POSITIVE_INFINITY;
                            case 3 -> Float.NEGATIVE_INFINITY;
                            case 4 -> -0f;
                            case 5 -> 0f;
                            case 6 -> Float.MIN_VALUE * (random & 0xffff);
                            case 7 -> random % 2 == 0 ? Float.MAX_VALUE : -Float.MAX_VALUE;
                            case 8 -> Float.intBitsToFloat(random);
                            default -> (random & 0xff) * 0.05f;
                        };
                    default -> elements == 5_007 ? 1f + (random & 127) * 0x1p-23f : value;
                });
    }
}
