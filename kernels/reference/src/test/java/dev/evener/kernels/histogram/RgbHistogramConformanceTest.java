package dev.evener.kernels.histogram;

import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import java.util.List;

/** Both styles, on every set of devices. */
class RgbHistogramConformanceTest extends PrimitiveConformance {
    @Override
    protected List<? extends PrimitiveCase> cases() {
        return RgbCase.all(false);
    }
}
