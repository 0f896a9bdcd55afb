package dev.evener.kernels.sort;

import dev.evener.ElementType;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.TuningConformance;
import java.util.List;

class SortTuningTest extends TuningConformance {
    SortTuningTest() {
        super("sort");
    }

    @Override
    protected List<? extends TunedCase> cases(boolean groupsOnCpus) {
        return List.of(
                new SortCase(ElementType.INT, SortData.UNIFORM, 300_001, !groupsOnCpus, groupsOnCpus),
                new SortCase(ElementType.LONG, SortData.SKEWED, 40_001, true, groupsOnCpus));
    }
}
