package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ChildJava;
import dev.evener.LongTests;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Guards against an assertion of PoCL before 6, which ends the process where devices of one driver run one kernel at once. */
class SameKernelTest {
    @Test
    void devicesOfOneDriverRunOneKernelAtOnce() throws IOException, InterruptedException {
        int jobs = LongTests.orAll(40, 5_000);
        ProcessBuilder builder = ChildJava.of(SameKernelProgram.class, jobs);
        builder.environment().put("POCL_DEVICES", "pthread basic basic");
        assertEquals(jobs + " jobs, all right", ChildJava.lastLineOf(builder));
    }
}
