package dev.evener.kernels.scan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import dev.evener.kernels.reference.SegmentedScanReference;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentedScanConformanceTest extends PrimitiveConformance {
    /** Of the number of segments and their length. */
    private static final int[][] SHAPES = {
        {0, 7},
        {1, 1},
        {300, 1},
        {301, 15},
        {260, 16},
        {77, 17},
        {10, 255},
        {9, 256},
        {8, 257},
        {3, 4095},
        {2, 4096},
        {5, 4097},
        {2, 100_001}, // a row, and some tiles of the next, which are added up among themselves first
        {4097, 32}
    };

    @Override
    protected List<? extends PrimitiveCase> cases() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (int[] shape : SHAPES) {
            cases.add(new Case(ElementType.FLOAT, ScanKind.EXCLUSIVE, shape[0], shape[1], Style.RUNS, 256, false));
            cases.add(new Case(ElementType.INT, ScanKind.INCLUSIVE, shape[0], shape[1], Style.RUNS, 256, false));
        }
        for (int length : new int[] {5, 64, 100, 1000}) {
            cases.add(new Case(ElementType.FLOAT, ScanKind.EXCLUSIVE, 129, length, Style.NAIVE, 64, false));
            cases.add(new Case(ElementType.FLOAT, ScanKind.INCLUSIVE, 129, length, Style.BLELLOCH, 32, false));
        }
        cases.add(new Case(ElementType.UINT, ScanKind.INCLUSIVE, 70, 300, Style.NAIVE, 8, false));
        cases.add(new Case(ElementType.INT, ScanKind.EXCLUSIVE, 70, 600, Style.BLELLOCH, 256, false));
        return cases;
    }

    @Test
    void whatGpusRun() {
        GpuForms.check(Arrays.stream(SHAPES)
                .map(s -> new Case(ElementType.FLOAT, ScanKind.EXCLUSIVE, s[0], s[1], Style.RUNS, 256, true))
                .toList());
    }

    record Case(ElementType type, ScanKind kind, int segments, int length, Style style, int groupSize, boolean groups)
            implements PrimitiveCase {
        @Override
        public String name() {
            return kind + " of " + segments + " * " + length + " " + type + ", " + style + " " + groupSize
                    + (groups ? " in groups" : "");
        }

        @Override
        public Object run(Evener evener, Policy policy) {
            Object data = data();
            try (HostBuffer input = evener.allocate(type, Data.length(data));
                    HostBuffer output = evener.allocate(type, Data.length(data))) {
                Data.fill(input, data);
                SegmentedScanSettings settings = new SegmentedScanSettings(style, groupSize);
                evener.submit(GpuForms.job(groups, SegmentedScan.job(kind, input, output, length, settings)), policy)
                        .join();
                return Data.content(output);
            }
        }

        @Override
        public void check(Object output) {
            Object data = data();
            if (data instanceof int[] ints) {
                assertArrayEquals(SegmentedScanReference.scan(kind, ints, length), (int[]) output);
                return;
            }
            float[] expected = SegmentedScanReference.scan(kind, (float[]) data, length);
            if (style == Style.RUNS) {
                assertArrayEquals((int[]) Data.bits(expected), (int[]) output);
                return;
            }
            for (int i = 0; i < expected.length; i++) { // elements are below 2048 and sums are of at most 1000
                assertEquals(expected[i], Float.intBitsToFloat(((int[]) output)[i]), 2, "element " + i);
            }
        }

        private Object data() {
            return Data.UNIFORM.make(type, segments * length, length);
        }
    }
}
