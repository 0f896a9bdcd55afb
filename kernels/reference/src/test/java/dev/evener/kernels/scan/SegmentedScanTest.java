package dev.evener.kernels.scan;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.reference.SegmentedScanReference;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class SegmentedScanTest {

    @Test
    void referenceIsTheJdksOneSegmentAfterAnother() {
        int[] data = (int[]) Data.UNIFORM.make(ElementType.INT, 60, 1);
        int[] expected = data.clone();
        for (int i = 0; i < 60; i += 12) {
            Arrays.parallelPrefix(expected, i, i + 12, Integer::sum);
        }
        assertArrayEquals(expected, SegmentedScanReference.scan(ScanKind.INCLUSIVE, data, 12));
        int[] before = SegmentedScanReference.scan(ScanKind.EXCLUSIVE, data, 12);
        for (int i = 0; i < 60; i++) {
            assertEquals(expected[i] - data[i], before[i]);
        }
    }

    @Test
    void plainCallsScanAtOnce() {
        try (Evener evener = open("0.0")) {
            HostBuffer input = evener.allocate(ElementType.INT, 9);
            HostBuffer output = evener.allocate(ElementType.INT, 9);
            input.ints().put(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9});
            assertEquals(3, SegmentedScan.inclusive(evener, input, output, 3).units());
            assertArrayEquals(new int[] {1, 3, 6, 4, 9, 15, 7, 15, 24}, (int[]) Data.content(output));
            SegmentedScan.exclusive(evener, input, output, 3);
            assertArrayEquals(new int[] {0, 1, 3, 0, 4, 9, 0, 7, 15}, (int[]) Data.content(output));
        }
    }

    /** PoCL 3 has no collectives; the same job passes where they are. */
    @Test
    void collectivesGiveTheSameOrSayThatTheyAreMissing() {
        try (Evener evener = open("0.0")) {
            int[] data = (int[]) Data.UNIFORM.make(ElementType.INT, 50 * 100, 1);
            HostBuffer input = evener.allocate(ElementType.INT, data.length);
            HostBuffer output = evener.allocate(ElementType.INT, data.length);
            input.ints().put(data);
            SegmentedScanSettings settings = new SegmentedScanSettings(Style.COLLECTIVE, 32);
            try {
                evener.submit(SegmentedScan.job(ScanKind.INCLUSIVE, input, output, 100, settings))
                        .join();
                assertArrayEquals(
                        SegmentedScanReference.scan(ScanKind.INCLUSIVE, data, 100), (int[]) Data.content(output));
            } catch (CompletionException e) {
                assertTrue(e.getCause() instanceof EvenerException, e.toString());
                assertTrue(e.getCause().getMessage().contains("work-group collectives"), e.toString());
            }
        }
    }

    @Test
    void wrongBuffersAndSegmentsAreRefusedWithTheReason() {
        HostBuffer ints = TestBuffers.allocate(ElementType.INT, 12);
        HostBuffer others = TestBuffers.allocate(ElementType.INT, 12);
        HostBuffer few = TestBuffers.allocate(ElementType.INT, 11);
        HostBuffer floats = TestBuffers.allocate(ElementType.FLOAT, 12);
        HostBuffer longs = TestBuffers.allocate(ElementType.LONG, 12);
        assertRefused("has 11 elements", ints, few, 3);
        assertRefused("must hold int", ints, floats, 3);
        assertRefused("int, uint or float, not long", longs, longs, 3);
        assertRefused("one buffer", ints, ints, 3);
        assertRefused("segments of 0 elements", ints, others, 0);
        assertRefused("segments of -1 elements", ints, others, -1);
        assertRefused("segments of 5 elements do not divide the 12", ints, others, 5);
        assertRefused("segments of 24 elements do not divide the 12", ints, others, 24);
        HostBuffer sums = TestBuffers.allocate(ElementType.FLOAT, 12);
        SegmentedScanSettings collective = new SegmentedScanSettings(Style.COLLECTIVE, 8);
        refused("order", () -> SegmentedScan.job(ScanKind.INCLUSIVE, floats, sums, 3, collective));
        refused("from 8 to 256", () -> new SegmentedScanSettings(Style.NAIVE, 4));
        refused("power of two", () -> new SegmentedScanSettings(Style.NAIVE, 24));
        refused("from 8 to 256", () -> new SegmentedScanSettings(Style.BLELLOCH, 512));
    }

    private static void assertRefused(String part, HostBuffer input, HostBuffer output, long segment) {
        refused(part, () -> SegmentedScan.job(ScanKind.INCLUSIVE, input, output, segment));
    }
}
