package dev.evener.kernels.scan;

import dev.evener.ElementType;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.TuningConformance;
import java.util.List;

class ScanTuningTest extends TuningConformance {
    ScanTuningTest() {
        super("scan");
    }

    @Override
    protected List<? extends TunedCase> cases(boolean groupsOnCpus) {
        return List.of(
                new ScanCase(
                        ElementType.FLOAT,
                        Operation.ADD,
                        ScanKind.EXCLUSIVE,
                        Data.UNIFORM,
                        600 * Scan.TILE + 5,
                        groupsOnCpus),
                new ScanCase(
                        ElementType.INT, Operation.ADD, ScanKind.INCLUSIVE, Data.SKEWED, 67 * Scan.TILE, groupsOnCpus));
    }
}
