package dev.evener.kernels.reduce;

import dev.evener.ElementType;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import java.util.List;

/** Every operation over every type, on every set of devices. */
class ReduceConformanceTest extends PrimitiveConformance {
    @Override
    protected List<? extends PrimitiveCase> cases() {
        return ReduceCase.all(false);
    }

    @Override
    protected List<? extends PrimitiveCase> someOf(List<? extends PrimitiveCase> all) {
        return ReduceCase.all(false).stream()
                .filter(c -> c.type() == ElementType.INT || c.type() == ElementType.FLOAT)
                .toList();
    }
}
