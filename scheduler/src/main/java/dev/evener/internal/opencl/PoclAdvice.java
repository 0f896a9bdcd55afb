package dev.evener.internal.opencl;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells an embedding application, once, what PoCL would do to its JVM: nothing a library can prevent after the process has
 * started. The {@code evener} launcher sets both. Thread-safe.
 */
final class PoclAdvice {
    private static final Logger LOG = LoggerFactory.getLogger(PoclAdvice.class);
    private static final AtomicBoolean GIVEN = new AtomicBoolean();

    private PoclAdvice() {}

    static void give(List<ClDevice> devices) {
        boolean pocl = devices.stream().anyMatch(d -> d.platformVersion().contains("PoCL"));
        if (!pocl || !GIVEN.compareAndSet(false, true)) {
            return;
        }
        if (!"0".equals(System.getenv("POCL_SIGFPE_HANDLER"))) {
            LOG.warn("PoCL replaces the JVM's handler for division by zero, after which 5 / 0 is 5 in Java; set"
                    + " POCL_SIGFPE_HANDLER=0 before Java starts");
        }
        // Seen with 5.0 (LLVM 16); 3.1 and 6.0 ran without.
        if (devices.stream().anyMatch(d -> d.platformVersion().contains("PoCL 5")) && !signalsAreChained()) {
            LOG.warn("PoCL 5 takes the JVM's SIGSEGV handler away while it compiles, which can kill the process; start"
                    + " Java with LD_PRELOAD=$JAVA_HOME/lib/libjsig.so");
        }
    }

    private static boolean signalsAreChained() {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.anyMatch(line -> line.endsWith("/libjsig.so"));
        } catch (IOException | RuntimeException e) { // not Linux: nothing is known of such trouble there
            return true;
        }
    }
}
