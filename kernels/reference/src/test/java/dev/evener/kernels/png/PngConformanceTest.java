package dev.evener.kernels.png;

import dev.evener.LongTests;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import dev.evener.kernels.png.PngCase.Kind;
import java.util.ArrayList;
import java.util.List;

/** Sizes about segments and blocks, on pictures in which all, nothing or something repeats. */
class PngConformanceTest extends PrimitiveConformance {

    @Override
    protected List<? extends PrimitiveCase> cases() {
        List<PngCase> cases = new ArrayList<>();
        int[][] sizes = {{1, 1}, {1, 100}, {3, 33}, {31, 64}, {32, 65}, {33, 31}, {257, 130}};
        for (Kind kind : Kind.values()) {
            for (int[] size : sizes) {
                cases.add(new PngCase(kind, size[0], size[1], size[0] % 3, false));
            }
            cases.add(PngCase.wide(kind, 1, 40, 2, false));
            cases.add(PngCase.wide(kind, 131, 67, 0, false));
        }
        cases.add(new PngCase(Kind.BLOCKS, 9001, 40, 0, false)); // sums of a row in two pieces
        return cases;
    }

    /** Of a quarter of a second each. */
    @Override
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        return LongTests.inTurn(3, all);
    }
}
