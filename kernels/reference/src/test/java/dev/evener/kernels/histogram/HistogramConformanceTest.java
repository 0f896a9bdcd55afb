package dev.evener.kernels.histogram;

import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import java.util.List;

/** Every type of data in every kind of bins, on every set of devices. */
class HistogramConformanceTest extends PrimitiveConformance {
    @Override
    protected List<? extends PrimitiveCase> cases() {
        return HistogramCase.all(false);
    }

    @Override
    protected List<? extends PrimitiveCase> fewerOf(List<? extends PrimitiveCase> all) {
        return HistogramCase.oneOfEachBuild(HistogramCase.all(false));
    }

    @Override
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        return HistogramCase.all(false).stream()
                .filter(c -> List.of("256 even", "divided", "all floats").contains(c.label()))
                .toList();
    }
}
