package dev.evener.kernels.histogram;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.reference.HistogramReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Plain calls, refusals, the arithmetic of bins, and the form for other devices than CPUs. */
class HistogramTest {
    @Test
    void theFormForOtherDevicesCountsTheSame() {
        GpuForms.check(HistogramCase.oneOfEachBuild(HistogramCase.all(true)));
    }

    @Test
    void plainCalls() {
        try (Evener evener = open("0.0,0.1")) {
            HostBuffer data = evener.allocate(ElementType.UBYTE, 1000);
            for (int i = 0; i < 1000; i++) {
                data.bytes().put(i, (byte) i);
            }
            assertArrayEquals(new long[] {512, 488}, Histogram.of(evener, Bins.even(2, 0, 256), data));
            HostBuffer counts = evener.allocate(ElementType.UINT, 2);
            Histogram.run(evener, Bins.edges(0L, 1L, 2L), data, counts);
            assertEquals(4, counts.ints().get(0));
            assertEquals(4, counts.ints().get(1));
        }
    }

    @Test
    void memoryOfTheCallersOwn() {
        ByteBuffer memory = ByteBuffer.allocateDirect(1000 + 8192)
                .alignedSlice(4096)
                .limit(1000)
                .order(ByteOrder.nativeOrder());
        memory.put(999, (byte) 200);
        try (Evener evener = open("jvm");
                HostBuffer bytes = evener.wrap(ElementType.UBYTE, memory);
                HostBuffer words = evener.wrap(ElementType.UINT, memory);
                HostBuffer longs = evener.wrap(ElementType.LONG, memory)) {
            assertArrayEquals(new long[] {999, 1}, Histogram.of(evener, Bins.even(2, 0, 256), bytes));
            long[] counts = RgbHistogram.of(evener, 256, words);
            assertEquals(250, counts[0]);
            assertEquals(250, counts[512]);
            refused("not long", () -> Histogram.of(evener, Bins.even(2, 0, 256), longs));
            refused("0 bins", () -> RgbHistogram.of(evener, 0, words));
        }
    }

    @Test
    void oneHistogramServesOneJobAfterAnother() {
        try (Evener evener = open("0.0");
                Histogram histogram = new Histogram(evener::allocate)) {
            HostBuffer data = evener.allocate(ElementType.UINT, 5000);
            for (int i = 0; i < 5000; i++) {
                data.ints().put(i, i);
            }
            for (int count : new int[] {2, 300, 7}) {
                HostBuffer counts = evener.allocate(ElementType.ULONG, count);
                long[] edges = new long[count + 1];
                for (int i = 0; i <= count; i++) {
                    edges[i] = 3L * i;
                }
                evener.submit(histogram.job(Bins.edges(edges), data, 601, counts))
                        .join();
                for (int i = 0; i < count; i++) {
                    assertEquals(
                            Math.max(0, Math.min(3, 601 - 3 * i)),
                            counts.bytes().getLong(8 * i));
                }
            }
        }
    }

    /** The exact methods against the definition, over random ranges and the values next to every edge. */
    @Test
    void evenBinsOfIntegersAreExact() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 3000; round++) {
            long low = random.nextLong(1L << 32) >> random.nextInt(32);
            long high = low + 1 + (random.nextLong((1L << 32) - low) >> random.nextInt(32));
            int count = 1 + (random.nextInt(65_536) >> random.nextInt(16));
            Bins.EvenIntegers bins = new Bins.EvenIntegers(count, low, high);
            Method method = Method.of(ElementType.UINT, bins);
            for (int i = 0; i < 50; i++) {
                int bin = random.nextInt(count);
                long edge = low + (bin * (high - low) + count - 1) / count;
                for (long value = Math.max(low, edge - 1); value < Math.min(high, edge + 2); value++) {
                    long x = value - low;
                    long found = (x * method.multiplier()) >>> method.shift();
                    if (method.way() == Method.Way.DIVIDED) {
                        found += x * count - found * method.range() >= method.range() ? 1 : 0;
                    }
                    assertEquals(HistogramReference.bin(bins, (double) value), found, bins + " " + value);
                }
            }
        }
    }

    /** The edges between floats against exact arithmetic, at the floats next to every edge. */
    @Test
    void evenBinsOfFloatsAreExact() {
        SplittableRandom random = new SplittableRandom(6);
        for (int round = 0; round < 2000; round++) {
            float a = Float.intBitsToFloat(random.nextInt());
            float b = round % 3 == 0 ? a + random.nextInt(100) * Math.ulp(a) : Float.intBitsToFloat(random.nextInt());
            if (!(a < b) || Float.isInfinite(a) || Float.isInfinite(b)) {
                continue;
            }
            int count = 1 + (random.nextInt(65_536) >> random.nextInt(16));
            Bins.EvenFloats bins = new Bins.EvenFloats(count, a, b);
            float[] edges = FloatEdges.of(bins);
            for (int i = 0; i < 20 && count > 1; i++) {
                int at = 1 + random.nextInt(count - 1);
                if (edges[at] < b) {
                    assertTrue(HistogramReference.bin(bins, edges[at]) >= at, bins + " edge " + at);
                }
                if (edges[at] > a) {
                    assertTrue(HistogramReference.bin(bins, Math.nextDown(edges[at])) < at, bins + " edge " + at);
                }
            }
        }
    }

    /** Every edge and the floats next to it, counted by a device, in ranges of which some are too small or large to guess. */
    @Test
    void floatsNextToEdgesAreCountedRight() {
        try (Evener evener = open("0.0")) {
            for (Bins.EvenFloats bins : List.of(
                    new Bins.EvenFloats(65_536, -1f, 1f),
                    new Bins.EvenFloats(65_521, 1e6f, 1e6f + 5000),
                    new Bins.EvenFloats(40_009, -3e-30f, 1e-31f),
                    new Bins.EvenFloats(5000, -1e-40f, 1e-38f),
                    new Bins.EvenFloats(60_000, -3e38f, 3e38f))) {
                float[] edges = FloatEdges.of(bins);
                HostBuffer data = evener.allocate(ElementType.FLOAT, 3L * edges.length);
                for (int i = 0; i < edges.length; i++) {
                    data.floats().put(3 * i, Math.nextDown(edges[i]));
                    data.floats().put(3 * i + 1, edges[i]);
                    data.floats().put(3 * i + 2, Math.nextUp(edges[i]));
                }
                assertArrayEquals(
                        HistogramReference.count(ElementType.FLOAT, data.bytes(), data.elements(), bins),
                        Histogram.of(evener, bins, data),
                        bins.toString());
            }
        }
    }

    /** Where a division is estimated, a value on an edge is the first of its bin: random values are hardly ever on one. */
    @Test
    void whatIsOnAnEdgeIsOfTheBinAboveIt() {
        long low = -1L << 31;
        int wide = 46_527;
        Bins.EvenIntegers bins = new Bins.EvenIntegers(65_535, low, low + 65_535L * wide);
        assertEquals(Method.Way.DIVIDED, Method.of(ElementType.INT, bins).way());
        for (String device : List.of("0.0", "jvm")) {
            try (Evener evener = open(device)) {
                HostBuffer ints = evener.allocate(ElementType.INT, 3 * 13_000);
                for (int i = 0; i < 3 * 13_000; i++) {
                    ints.ints().put(i, (int) (low + 5L * (1 + i / 3) * wide + i % 3 - 1));
                }
                assertArrayEquals(
                        HistogramReference.count(ElementType.INT, ints.bytes(), ints.elements(), bins),
                        Histogram.of(evener, bins, ints),
                        device);
            }
        }
    }

    /** Negative bounds were refused, with the advice that low must be less than high. */
    @Test
    void signedDataAreCountedAroundZero() {
        SplittableRandom random = new SplittableRandom(7);
        List<Bins> all = List.of(
                Bins.even(100, -1000, 1000),
                Bins.even(7, -10, 3),
                Bins.even(256, -1L << 31, 1L << 31),
                Bins.even(251, -1L << 31, (1L << 31) - 5),
                Bins.edges(-1L << 31, -70_000L, -5L, -5L, 0L, 17L, 1L << 31),
                Bins.edges(-9L, -8L));
        for (String device : List.of("0.0", "jvm")) {
            try (Evener evener = open(device)) {
                HostBuffer ints = evener.allocate(ElementType.INT, 40_000);
                HostBuffer floats = evener.allocate(ElementType.FLOAT, 40_000);
                for (int i = 0; i < 40_000; i++) {
                    int value = random.nextInt() >> random.nextInt(32);
                    ints.ints().put(i, i < 3 ? Integer.MIN_VALUE + i : i < 6 ? Integer.MAX_VALUE - (i - 3) : value);
                    floats.floats().put(i, value / 3f);
                }
                for (Bins bins : all) {
                    assertArrayEquals(
                            HistogramReference.count(ElementType.INT, ints.bytes(), ints.elements(), bins),
                            Histogram.of(evener, bins, ints),
                            device + ", " + bins);
                }
                Bins bins = Bins.even(100, -1000, 1000);
                assertArrayEquals(
                        HistogramReference.count(ElementType.FLOAT, floats.bytes(), floats.elements(), bins),
                        Histogram.of(evener, bins, floats));
            }
        }
    }

    @Test
    void whatIsWrongIsRefused() {
        try (Evener evener = open("jvm");
                Histogram histogram = new Histogram(evener::allocate)) {
            HostBuffer bytes = evener.allocate(ElementType.UBYTE, 10);
            HostBuffer floats = evener.allocate(ElementType.FLOAT, 10);
            HostBuffer longs = evener.allocate(ElementType.LONG, 10);
            HostBuffer counts = evener.allocate(ElementType.UINT, 8);
            Bins eight = Bins.even(8, 0, 256);
            refused("not long", () -> histogram.job(eight, longs, counts));
            refused("must hold uint or ulong, not float", () -> histogram.job(eight, bytes, floats));
            refused("has 8 elements, but there are 9 bins", () -> histogram.job(Bins.even(9, 0, 9), bytes, counts));
            refused("one buffer is given", () -> histogram.job(eight, counts, counts));
            refused("11 elements are asked for", () -> histogram.job(eight, bytes, 11, counts));
            HostBuffer uints = evener.allocate(ElementType.UINT, 10);
            HostBuffer ints = evener.allocate(ElementType.INT, 10);
            for (Bins bins : List.of(Bins.even(8, -4, 4), Bins.edges(-1L, 0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L))) {
                refused(
                        "bins of uchar data lie within [0, 4294967296], not [-",
                        () -> histogram.job(bins, bytes, counts));
                refused(
                        "bins of uint data lie within [0, 4294967296], not [-",
                        () -> histogram.job(bins, uints, counts));
            }
            refused(
                    "bins of int data lie within [-2147483648, 2147483648], not [0, 2147483649]",
                    () -> histogram.job(Bins.even(8, 0, (1L << 31) + 1), ints, counts));
            refused("need integer bounds", () -> histogram.job(Bins.even(8, 0f, 1f), bytes, counts));
            refused("cannot hold the bound", () -> histogram.job(Bins.even(8, 0, (1 << 24) + 1), floats, counts));
        }
        refused("0 bins", () -> Bins.even(0, 0, 1));
        refused("65537 bins", () -> Bins.even(65_537, 0f, 1f));
        refused("0 bins", () -> Bins.edges(1L));
        refused("low must be less than high", () -> Bins.even(3, 5, 5));
        refused("is not within", () -> Bins.even(3, (-1L << 31) - 1, 5));
        refused("is not within", () -> Bins.even(3, 0, (1L << 32) + 1));
        refused("both finite", () -> Bins.even(3, 0f, Float.POSITIVE_INFINITY));
        refused("both finite", () -> Bins.even(3, Float.NaN, 1f));
        refused("edge 2 is 3, less than", () -> Bins.edges(1L, 4L, 3L));
        refused("edge 1 is 0.5, less than", () -> Bins.edges(1f, 0.5f));
        refused("edge 1 is not a number", () -> Bins.edges(1f, Float.NaN));
        refused("edge 0 is -2147483649", () -> Bins.edges((-1L << 31) - 1, 4L));
    }

    @Test
    void whatAUintCannotCountIsRefused() {
        refused("give a buffer of ulong", () -> Histogram.requireCountable(ElementType.UINT, 1L << 32));
        Histogram.requireCountable(ElementType.UINT, (1L << 32) - 1);
        Histogram.requireCountable(ElementType.ULONG, 1L << 40);
    }
}
