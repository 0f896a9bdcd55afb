package dev.evener.kernels;

import static dev.evener.kernels.Refusals.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.Report;
import dev.evener.TestBuffers;
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
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Every primitive that can works on more bytes than a {@code ByteBuffer} holds, on two devices; the others say why not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(6)
class BeyondTwoGigabytesTest {
    /** More than 2^31 bytes; no whole number of tiles. */
    private static final long ELEMENTS = (1L << 29) + 12_344;

    /** Elements that are filled and compared at a time. */
    private static final int BLOCK = 1 << 16;

    /** Sums of the elements before, within each eight. */
    private static final int[] BEFORE = {0, 0, 1, 3, 6, 10, 15, 21};

    private final Evener evener = open();

    /** 0 to 7, again and again. */
    private final HostBuffer large = evener.allocate(ElementType.UINT, ELEMENTS);

    /** What tests write to, from the first that does: memory of this size takes long to get. */
    private @Nullable HostBuffer written;

    private HostBuffer out() {
        if (written == null) {
            written = evener.allocate(ElementType.UINT, ELEMENTS);
        }
        return written;
    }

    @BeforeAll
    void fill() {
        assertTrue(large.byteSize() > 1L << 31 && large.segmentCount() > 1);
        int[] some = new int[BLOCK];
        Arrays.setAll(some, i -> i & 7);
        large.segments().forEach(segment -> {
            IntBuffer ints = segment.asIntBuffer();
            while (ints.hasRemaining()) {
                ints.put(some, 0, Math.min(some.length, ints.remaining()));
            }
        });
    }

    private static Evener open() {
        return TestBed.builder("0.0,0.1").policy(Policies.fixed(0.55, 0.45)).open();
    }

    @AfterAll
    void close() {
        evener.close();
    }

    @Test
    void map() {
        HostBuffer out = out();
        shared(ColourInversion.invert(evener, large, out));
        check(out, i -> (i & 7) ^ 0xffffff, 0);
    }

    @Test
    void scans() {
        HostBuffer out = out();
        shared(Scan.exclusive(evener, Operation.ADD, large, out));
        check(out, i -> 28 * (i >> 3) + BEFORE[i & 7], 28 * BLOCK / 8);
        shared(SegmentedScan.exclusive(evener, large, out, 8));
        check(out, i -> BEFORE[i & 7], 0);
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
                HostBuffer found = own.allocate(ElementType.UINT, ELEMENTS / 8);
                HostBuffer count = own.allocate(ElementType.ULONG, 1)) {
            shared(Compact.indices(own, Selection.where(Comparison.EQUAL, 3), large, found, count));
            assertEquals(ELEMENTS / 8, count.bytes().getLong(0));
            check(found, i -> 8 * i + 3, 8 * BLOCK);
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
            refused("lies in 3 segments; every device must see it in one piece", () -> sort.job(keys, sorted));
            EvenerException refusal =
                    assertThrows(EvenerException.class, () -> MatrixMultiply.job(1, 10, 300, a, b, c));
            assertTrue(refusal.getMessage().contains("12000 bytes in 3 segments"), refusal.getMessage());
        }
        refused(
                "at most 2147475455 pixels are possible, cut it into smaller ones",
                () -> new ImageSize(1 << 16, 1 << 15));
        refused("more than the 2 GiB that a picture may take", () -> new FrameLayout(1 << 15, 1 << 14));
    }

    private static void shared(Report report) {
        assertEquals(2, report.devices().stream().filter(d -> d.units() > 0).count(), report.summary());
    }

    /** Compares every element with the one a block before, to which it adds so much, and those of the first block. */
    private static void check(HostBuffer buffer, IntUnaryOperator first, int added) {
        int[] expected = new int[BLOCK];
        Arrays.setAll(expected, first);
        long from = 0;
        for (ByteBuffer segment : buffer.segments()) {
            IntBuffer ints = segment.asIntBuffer();
            assertEquals(0, from % BLOCK, "segments end where blocks do");
            for (int at = 0; at < ints.limit(); at += BLOCK) {
                int length = Math.min(BLOCK, ints.limit() - at);
                int wrong = ints.slice(at, length).mismatch(IntBuffer.wrap(expected, 0, length));
                if (wrong >= 0) {
                    throw new AssertionError("element " + (from + at + wrong) + " is " + ints.get(at + wrong) + ", not "
                            + expected[wrong]);
                }
                for (int i = 0; added != 0 && i < BLOCK; i++) {
                    expected[i] += added;
                }
            }
            from += ints.limit();
        }
        assertEquals(buffer.elements(), from);
    }
}
