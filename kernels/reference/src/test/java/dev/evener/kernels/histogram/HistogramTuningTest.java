package dev.evener.kernels.histogram;

import dev.evener.ElementType;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.TuningConformance;
import java.util.List;

class HistogramTuningTest extends TuningConformance {
    HistogramTuningTest() {
        super("histogram");
    }

    @Override
    protected List<? extends TunedCase> cases(boolean groupsOnCpus) {
        return List.of(
                new HistogramCase(
                        ElementType.UBYTE, "uniform", 600_007, "256 even", Bins.even(256, 0, 256), false, groupsOnCpus),
                new HistogramCase(
                        ElementType.UINT,
                        "uniform",
                        600_007,
                        "9999",
                        Bins.even(9999, 0, 1L << 32),
                        false,
                        groupsOnCpus),
                new HistogramCase(
                        ElementType.UINT, "uniform", 70_007, "9", Bins.even(9, 0, 1L << 32), false, groupsOnCpus));
    }
}
