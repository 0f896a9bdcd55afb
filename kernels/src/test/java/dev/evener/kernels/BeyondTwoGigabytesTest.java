package dev.evener.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Report;
import dev.evener.TestBuffers;
import dev.evener.history.History;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.histogram.RgbHistogram;
import dev.evener.kernels.histogram.RgbStyle;
import dev.evener.kernels.image.ImageSize;
import dev.evener.kernels.map.ColourInversion;
import dev.evener.kernels.matrix.MatrixMultiply;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.SegmentedScan;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.policy.Policies;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.function.LongToIntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Every primitive that can works on more bytes than a {@code ByteBuffer} holds, on two devices; the others say why not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BeyondTwoGigabytesTest {
    /** More than 2^31 bytes; no whole number of tiles. */
    private static final long ELEMENTS = (1L << 29) + 12_344;

    /** Bytes of all buffers of a test together. */
    private static final long MEMORY = 5L << 30;

    /** Sums of the elements before, within each eight. */
    private static final int[] BEFORE = {0, 0, 1, 3, 6, 10, 15, 21};

    private final Evener evener = open();

    /** 0 to 7, again and again; small until it is known that there is memory. */
    private HostBuffer large = evener.allocate(ElementType.UINT, 8);

    @BeforeAll
    void fill() {
        assumeTrue(Runtime.getRuntime().maxMemory() >= MEMORY, "needs " + MEMORY + " bytes of direct memory");
        large = evener.allocate(ElementType.UINT, ELEMENTS);
        assertTrue(large.byteSize() > 1L << 31 && large.segmentCount() > 1);
        int[] some = new int[1 << 16];
        Arrays.setAll(some, i -> i & 7);
        large.segments().forEach(segment -> {
            IntBuffer ints = segment.asIntBuffer();
            while (ints.hasRemaining()) {
                ints.put(some, 0, Math.min(some.length, ints.remaining()));
            }
        });
    }

    private static Evener open() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .policy(Policies.fixed(0.55, 0.45))
                .history(History.inMemory())
                .open();
    }

    @AfterAll
    void close() {
        evener.close();
    }

    @Test
    void map() {
        try (HostBuffer out = evener.allocate(ElementType.UINT, ELEMENTS)) {
            shared(ColourInversion.invert(evener, large, out));
            check(out, i -> (int) (i & 7) ^ 0xffffff);
        }
    }

    @Test
    void scans() {
        try (HostBuffer out = evener.allocate(ElementType.UINT, ELEMENTS)) {
            shared(Scan.exclusive(evener, Operation.ADD, large, out));
            check(out, i -> 28 * (int) (i >> 3) + BEFORE[(int) i & 7]);
            shared(SegmentedScan.exclusive(evener, large, out, 8));
            check(out, i -> BEFORE[(int) i & 7]);
        }
    }

    @Test
    void reduction() {
        long sum = 28 * (ELEMENTS / 8);
        assertEquals(
                sum,
                Reduce.of(evener, dev.evener.kernels.reduce.Operation.WIDE_SUM, large)
                        .longValue());
    }

    @Test
    void histograms() {
        long each = ELEMENTS / 8;
        long[] counts = Histogram.of(evener, Bins.even(4, 0, 8), large);
        assertEquals(Arrays.toString(new long[] {2 * each, 2 * each, 2 * each, 2 * each}), Arrays.toString(counts));
        try (HostBuffer colours = evener.allocate(ElementType.UINT, 3 * 256)) {
            shared(RgbHistogram.run(evener, RgbStyle.BEST, 256, large, colours));
            for (int value = 0; value < 8; value++) {
                assertEquals(each, colours.ints().get(value));
            }
            assertEquals(ELEMENTS, colours.ints().get(256));
            assertEquals(ELEMENTS, colours.ints().get(512));
        }
    }

    @Test
    void compaction() {
        // An Evener that takes its room for results of every tile, of the input's size, with it.
        try (Evener own = open();
                HostBuffer out = own.allocate(ElementType.UINT, ELEMENTS / 8);
                HostBuffer count = own.allocate(ElementType.ULONG, 1)) {
            shared(Compact.indices(own, Selection.where(Comparison.EQUAL, 3), large, out, count));
            assertEquals(ELEMENTS / 8, count.bytes().getLong(0));
            check(out, i -> (int) (8 * i + 3));
        }
    }

    @Test
    void whatEveryDeviceHasToSeeWholeIsRefused() {
        try (RadixSort sort = new RadixSort(evener::allocate);
                HostBuffer keys = TestBuffers.inPages(ElementType.UINT, 3000);
                HostBuffer sorted = evener.allocate(ElementType.UINT, 3000);
                HostBuffer a = evener.allocate(ElementType.FLOAT, 10);
                HostBuffer b = TestBuffers.inPages(ElementType.FLOAT, 3000);
                HostBuffer c = evener.allocate(ElementType.FLOAT, 300)) {
            says("lies in 3 segments; every device must see it in one piece", () -> sort.job(keys, sorted));
            says("segments", () -> MatrixMultiply.job(1, 10, 300, a, b, c));
        }
        says("at most 2147475455 pixels are possible, cut it into smaller ones", () -> new ImageSize(1 << 16, 1 << 15));
        says("more than the 2 GiB that one frame may take", () -> new FrameLayout(1 << 15, 1 << 14));
    }

    private static void says(String reason, Runnable action) {
        String message =
                String.valueOf(assertThrows(RuntimeException.class, action::run).getMessage());
        assertTrue(message.contains(reason), message);
    }

    private static void shared(Report report) {
        assertEquals(2, report.devices().stream().filter(d -> d.units() > 0).count(), report.summary());
    }

    /** Compares every element with what its index makes of it. */
    private static void check(HostBuffer buffer, LongToIntFunction expected) {
        long from = 0;
        for (ByteBuffer segment : buffer.segments()) {
            IntBuffer ints = segment.asIntBuffer();
            for (int i = 0; i < ints.limit(); i++) {
                if (ints.get(i) != expected.applyAsInt(from + i)) {
                    throw new AssertionError(
                            "element " + (from + i) + " is " + ints.get(i) + ", not " + expected.applyAsInt(from + i));
                }
            }
            from += ints.limit();
        }
    }
}
