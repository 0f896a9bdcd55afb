package dev.evener.kernels.matrix;

import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Matrix products that an interpreter of kernels gets through in seconds. */
public final class SmallProducts {
    private static final int[][] SIZES = {{1, 1, 1}, {5, 7, 3}, {37, 1, 19}, {33, 19, 65}, {66, 17, 129}};

    private SmallProducts() {}

    /** Both forms, with sides below, at and above those of their tiles. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>(MatrixMultiplyConformanceTest.cases(SIZES, false));
        cases.addAll(MatrixMultiplyConformanceTest.cases(SIZES, true));
        return cases;
    }
}
