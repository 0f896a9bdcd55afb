package dev.evener.kernels;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The same of a primitive that GPUs run in another form than CPUs, who try that one too. */
public abstract class GroupedConformance extends PrimitiveConformance {
    /** @param asGpu whether CPUs are to run what GPUs do */
    protected abstract List<PrimitiveCase> cases(boolean asGpu);

    @Override
    protected final List<PrimitiveCase> cases() {
        return cases(false);
    }

    @Test
    void whatGpusRun() {
        GpuForms.check(cases(true));
    }
}
