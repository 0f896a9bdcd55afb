package dev.evener.kernels.sort;

import dev.evener.ElementType;
import dev.evener.LongTests;
import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Sorts that an interpreter of kernels gets through in seconds. */
public final class SmallSorts {
    private SmallSorts() {}

    /**
     * Both forms, of keys and of pairs, of 32 bits and of 64. In groups, whose interpretation takes longest of all, it is two
     * tiles and a few keys: full tiles, one nearly empty, and more than one to a slice; and of 32 bits only two passes do
     * anything (one to a temporary and one to the result), of 64 bits three; the others are passed over.
     */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        cases.add(new SortCase(ElementType.UINT, SortData.UNIFORM, 1, false, false));
        cases.add(new SortCase(
                ElementType.INT, LongTests.ASKED_FOR ? SortData.SKEWED : SortData.LOW_BITS, 1100, true, false));
        cases.add(new SortCase(ElementType.DOUBLE, SortData.SPECIAL, 300, false, false));
        if (!LongTests.ASKED_FOR) {
            cases.add(new SortCase(ElementType.INT, SortData.LOW_BITS, 2100, true, true));
            cases.add(new SortCase(ElementType.DOUBLE, SortData.HIGH_BITS, 300, false, true));
        } else {
            cases.add(new SortCase(ElementType.INT, SortData.SKEWED, 5000, true, true));
            cases.add(new SortCase(ElementType.DOUBLE, SortData.SPECIAL, 300, false, true));
            cases.add(new SortCase(ElementType.UINT, SortData.UNIFORM, 1, false, true));
        }
        return cases;
    }
}
