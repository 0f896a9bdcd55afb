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
 * started. The {@code evener} launcher does. Thread-safe.
 */
final class PoclAdvice {
    private static final Logger LOG = LoggerFactory.getLogger(PoclAdvice.class);
    private static final AtomicBoolean GIVEN = new AtomicBoolean();

    private PoclAdvice() {}

    static void give(List<ClDevice> devices) {
        boolean pocl = devices.stream().anyMatch(d -> d.platformVersion().contains("PoCL"));
        if (pocl && !signalsAreChained() && GIVEN.compareAndSet(false, true)) {
            LOG.warn("PoCL takes signal handlers of the JVM away: a division by zero may be a number in Java, and with"
                    + " PoCL 5 the process may end while a kernel is compiled; start Java with"
                    + " LD_PRELOAD=$JAVA_HOME/lib/libjsig.so");
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
