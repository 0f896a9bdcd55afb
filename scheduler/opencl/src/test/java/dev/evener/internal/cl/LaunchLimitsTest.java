package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ChildJava;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.internal.recovery.LaneFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jocl.CL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What drivers end the process for, in processes of their own: nothing of it may reach them. */
@InTurn(2)
class LaunchLimitsTest {
    @TempDir
    Path folder = Path.of("");

    /**
     * Guards against launches that drivers do not check: with local memory above the device's, with more private memory than a thread's
     * stack holds, of kernels whose name makes no file's; and against refusing what is exactly at a limit.
     */
    @Test
    void whatADeviceDoesNotTakeIsRefused() throws IOException, InterruptedException {
        String pocl = LongTests.ASKED_FOR
                ? "0.0,0.1"
                : "0." + LongTests.TURN / 2 % 2; // its two drivers differ in the threads' stacks
        assertTrue(lastLineOf(LaunchLimitsProgram.class, pocl, LongTests.orAll(5, 2_000))
                .endsWith(", 0 wrong"));
        assertTrue(lastLineOf(LaunchLimitsProgram.class, "1.0", LongTests.orAll(5, 2_000))
                .endsWith(", 0 wrong"));
    }

    private static String lastLineOf(Class<?> program, Object... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = ChildJava.of(program, arguments);
        return ChildJava.lastLineOf(builder);
    }

    /** The status alone does not tell what was too much, nor what to do. */
    @Test
    void aLaunchRefusedForWantOfResourcesSaysWhatItNeeds() {
        LaunchLimits limits = new LaunchLimits(
                "0.0 (a GPU)",
                49_152,
                1024,
                List.of(1024L, 1024L, 64L),
                32_764,
                9,
                65_536,
                Integer.MAX_VALUE,
                Long.MAX_VALUE);
        limits.require("k", new long[] {64}, 1024, 0, 49_152, 16); // as the driver says, it fits
        String what = "launching 64 work-items in groups of 64";
        ClFailure refused = ClFailure.ofLaunch(
                what, CL.CL_OUT_OF_RESOURCES, () -> limits.figures("k", new long[] {32, 2}, 1024, 8, 1024, 49_152, 16));
        assertEquals(LaneFailure.Kind.LAUNCH, refused.kind());
        assertEquals(
                what + ": CL_OUT_OF_RESOURCES (-5); kernel k on device 0.0 (a GPU) has groups of 64 work-items"
                        + " (CL_KERNEL_WORK_GROUP_SIZE is 1024); 49152 bytes of local arguments beside 1024 of the kernel's own"
                        + " (CL_DEVICE_LOCAL_MEM_SIZE is 49152), of which a driver may keep some; 8 bytes of private memory"
                        + " each; 16 bytes of arguments (CL_DEVICE_MAX_PARAMETER_SIZE is 32764). Give it smaller groups,"
                        + " less local memory or smaller private arrays",
                refused.getMessage());
        assertTrue(limits.figures("k", null, Long.MAX_VALUE, 0, 0, 0, 16)
                .contains("groups whose size the driver chooses; 0"));
        ClFailure other = ClFailure.ofLaunch(what, CL.CL_MEM_OBJECT_ALLOCATION_FAILURE, () -> "");
        assertEquals(LaneFailure.Kind.MEMORY, other.kind());
    }

    @Test
    void theStackOfThreadsIsTheProcesss() throws IOException {
        Path limits = folder.resolve("limits");
        String head = "Limit                     Soft Limit           Hard Limit           Units     \n";
        for (List<Object> each : List.<List<Object>>of(
                List.of("8388608              unlimited            bytes", 8L << 20),
                List.of("unlimited            unlimited            bytes", 2L << 20),
                List.of("?                    unlimited            bytes", 2L << 20))) {
            Files.writeString(limits, head + "Max stack size            " + each.get(0) + "     \n");
            assertEquals(each.get(1), LaunchLimits.stackOfThreads(limits));
        }
        assertEquals(2L << 20, LaunchLimits.stackOfThreads(folder.resolve("none")));
    }
}
