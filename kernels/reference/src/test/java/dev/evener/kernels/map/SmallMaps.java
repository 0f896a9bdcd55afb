package dev.evener.kernels.map;

import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Maps that an interpreter of kernels gets through in seconds. */
public final class SmallMaps {
    private SmallMaps() {}

    /** Both forms around the sizes of a vector, a group and a CPU's work-item. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>(MapConformanceTest.cases(new int[] {1, 7, 4099, 16385}, false));
        cases.addAll(MapConformanceTest.cases(new int[] {1, 7, 1025, 4099}, true));
        return cases;
    }
}
