package dev.evener.kernels.matrix;

import dev.evener.kernels.TunedCase;
import dev.evener.kernels.TuningConformance;
import java.util.List;

class MatrixTuningTest extends TuningConformance {
    MatrixTuningTest() {
        super("matrix");
    }

    @Override
    protected List<? extends TunedCase> cases(boolean groupsOnCpus) {
        return List.of(
                new MatrixMultiplyConformanceTest.Case(1030, 9, 70, false, groupsOnCpus),
                new MatrixMultiplyConformanceTest.Case(300, 17, 129, true, groupsOnCpus));
    }
}
