package dev.evener.kernels.compact;

import dev.evener.ElementType;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import java.util.ArrayList;
import java.util.List;

class CompactConformanceTest extends PrimitiveConformance {

    @Override
    protected List<? extends PrimitiveCase> cases() {
        List<CompactCase> cases = new ArrayList<>();
        for (int n : new int[] {0, 1, 255, Compact.TILE - 1, Compact.TILE, Compact.TILE + 1, 9 * Compact.TILE + 77}) {
            cases.add(new CompactCase(ElementType.INT, Comparison.LESS, 0.5, n, false, false));
        }
        for (double share : new double[] {0, 0.1, 1}) {
            cases.add(new CompactCase(ElementType.UINT, null, share, 40_001, false, false));
        }
        cases.add(new CompactCase(ElementType.FLOAT, Comparison.NOT_EQUAL, 0.3, 30_000, false, false));
        cases.add(new CompactCase(ElementType.LONG, Comparison.GREATER_OR_EQUAL, 0.3, 30_001, true, false));
        cases.add(new CompactCase(ElementType.INT, null, 0.9, 30_000, true, false));
        return cases;
    }
}
