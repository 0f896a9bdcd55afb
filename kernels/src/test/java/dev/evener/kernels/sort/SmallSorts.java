package dev.evener.kernels.sort;

import dev.evener.ElementType;
import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Sorts that an interpreter of kernels gets through in seconds. */
public final class SmallSorts {
    private SmallSorts() {}

    /** Both forms, of keys and of pairs, of 32 bits and of 64. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean groups : new boolean[] {false, true}) {
            cases.add(new SortCase(ElementType.UINT, SortData.UNIFORM, 1, false, groups));
            cases.add(new SortCase(ElementType.INT, SortData.SKEWED, groups ? 5000 : 1100, true, groups));
            cases.add(new SortCase(ElementType.DOUBLE, SortData.SPECIAL, groups ? 600 : 300, false, groups));
        }
        return cases;
    }
}
