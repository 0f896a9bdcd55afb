package dev.evener.kernels.compact;

import dev.evener.ElementType;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.TuningConformance;
import java.util.List;

class CompactTuningTest extends TuningConformance {
    CompactTuningTest() {
        super("compact");
    }

    @Override
    protected List<? extends TunedCase> cases(boolean groupsOnCpus) {
        return List.of(
                new CompactCase(ElementType.INT, Comparison.LESS, 0.5, 300 * Compact.TILE + 9, false, groupsOnCpus),
                new CompactCase(ElementType.LONG, null, 0.9, 20 * Compact.TILE + 1, true, groupsOnCpus));
    }
}
