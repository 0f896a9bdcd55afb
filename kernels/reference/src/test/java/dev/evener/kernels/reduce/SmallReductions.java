package dev.evener.kernels.reduce;

import dev.evener.ElementType;
import dev.evener.LongTests;
import dev.evener.kernels.PrimitiveCase;
import java.util.ArrayList;
import java.util.List;

/** Reductions that an interpreter of kernels gets through in seconds. */
public final class SmallReductions {
    private SmallReductions() {}

    /** Both forms with types of each kind, in a long run with all, over one tile and several, and the teaching steps. */
    public static List<PrimitiveCase> all() {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (boolean groups : new boolean[] {false, true}) {
            for (ElementType type : LongTests.ASKED_FOR
                    ? List.of(ElementType.INT, ElementType.UINT, ElementType.LONG, ElementType.FLOAT)
                    : List.of(groups ? ElementType.LONG : ElementType.UINT, ElementType.FLOAT)) {
                cases.add(new ReduceCase(type, "uniform", Reduce.TILE + 5, groups));
            }
            cases.add(new ReduceCase(ElementType.INT, "uniform", 1001, groups));
        }
        for (ReduceSteps.Step step : ReduceSteps.Step.values()) {
            for (ReduceSteps.SecondPass second : ReduceSteps.SecondPass.values()) {
                cases.add(new ReduceStepsConformanceTest.Case(step, second, 257));
                cases.add(new ReduceStepsConformanceTest.Case(step, second, 4_200));
            }
        }
        return cases;
    }
}
