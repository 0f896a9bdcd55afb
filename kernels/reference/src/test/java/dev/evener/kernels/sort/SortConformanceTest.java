package dev.evener.kernels.sort;

import dev.evener.ElementType;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import java.util.ArrayList;
import java.util.List;

class SortConformanceTest extends PrimitiveConformance {

    @Override
    protected List<? extends PrimitiveCase> cases() {
        List<SortCase> cases = new ArrayList<>();
        for (int n : new int[] {0, 1, 2, 255, 1023, 1024, 1025}) {
            cases.add(new SortCase(ElementType.UINT, SortData.UNIFORM, n, false, false));
        }
        for (SortData data : SortData.values()) {
            cases.add(new SortCase(ElementType.INT, data, 5000, true, false));
        }
        cases.add(new SortCase(ElementType.DOUBLE, SortData.SPECIAL, 4097, false, false));
        return cases;
    }
}
