package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ChildJava;
import dev.evener.LongTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What drivers end the process for, in processes of their own: nothing of it may reach them. */
class LaunchLimitsTest {
    @TempDir
    Path folder = Path.of("");

    /**
     * Guards against launches that drivers do not check: with local memory above the device's, with more private memory than a thread's
     * stack holds, of kernels whose name makes no file's; and against refusing what is exactly at a limit.
     */
    @Test
    void whatADeviceDoesNotTakeIsRefused() throws IOException, InterruptedException {
        assertTrue(lastLineOf(LaunchLimitsProgram.class, "0.0,0.1", LongTests.orAll(5, 2_000))
                .endsWith(", 0 wrong"));
        assertTrue(lastLineOf(LaunchLimitsProgram.class, "1.0", LongTests.orAll(5, 2_000))
                .endsWith(", 0 wrong"));
    }

    private static String lastLineOf(Class<?> program, Object... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = ChildJava.of(program, arguments);
        return ChildJava.lastLineOf(builder);
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
