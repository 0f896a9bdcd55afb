package dev.evener.kernels.compact;

import dev.evener.ElementType;
import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Compactions that an interpreter of kernels gets through in seconds. */
public final class SmallSelections {
    private SmallSelections() {}

    /** Both forms around a tile, by condition and by flags, of elements and of indices. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        int tile = Compact.TILE;
        for (boolean groups : new boolean[] {false, true}) {
            for (int n : new int[] {1, tile - 1, tile, 2 * tile + 77}) {
                cases.add(new CompactCase(ElementType.INT, Comparison.LESS, 0.5, n, false, groups));
            }
            cases.add(new CompactCase(ElementType.FLOAT, Comparison.NOT_EQUAL, 0.3, tile + 1, false, groups));
            cases.add(new CompactCase(ElementType.LONG, Comparison.GREATER_OR_EQUAL, 0.3, tile + 2, true, groups));
            cases.add(new CompactCase(ElementType.UINT, null, 1, tile + 3, false, groups));
            cases.add(new CompactCase(ElementType.INT, null, 0.9, tile + 4, true, groups));
        }
        return cases;
    }
}
