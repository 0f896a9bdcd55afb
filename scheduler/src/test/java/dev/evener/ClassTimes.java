package dev.evener;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Writes for each test class of a build, to {@code target/class-times} of its module, the seconds of processor time that it took, with
 * those of the processes that it started and waited for, and the seconds that passed. {@code ./evener verify} prints the slowest. A
 * class has its process for itself, so what the process took meanwhile is the class's. Nothing is written where there is no {@code
 * /proc}, nor in the JVMs that tests start.
 */
public final class ClassTimes implements TestExecutionListener {
    private static final Path STATUS = Path.of("/proc/self/stat");

    /** Linux counts what processes take in hundredths of a second, whatever its timer. */
    private static final double TICKS_PER_SECOND = 100;

    /** Fields behind the command's name, which ends with a parenthesis: own user and system time, and those of children. */
    private static final int FIRST_TIME = 11;

    private static final int TIMES = 4;

    private record Moment(double processors, long nanos) {}

    private final boolean written = System.getProperty("surefire.test.class.path") != null
            && Files.exists(STATUS)
            && Files.isDirectory(file().getParent());

    private final Map<String, Moment> begun = new ConcurrentHashMap<>(); // by class

    private static Path file() {
        return Path.of("target", "class-times");
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (written && isClass(test) && test.getSource().orElse(null) instanceof ClassSource c) {
            begun.put(c.getClassName(), now());
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (written && isClass(test) && test.getSource().orElse(null) instanceof ClassSource c) {
            Moment from = begun.remove(c.getClassName());
            Moment now = now();
            String line = String.format(
                    Locale.ROOT,
                    "%6.1f %6.1f %s%n",
                    now.processors - from.processors,
                    (now.nanos - from.nanos) / 1e9,
                    c.getClassName());
            try {
                Files.writeString(file(), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A class of its own, also one that is run with several parameters; not one within, nor a run with one of them. */
    private static boolean isClass(TestIdentifier test) {
        String type = test.getUniqueIdObject().getLastSegment().getType();
        return type.equals("class") || type.equals("class-template");
    }

    private static Moment now() {
        try {
            String status = Files.readString(STATUS);
            String[] fields = status.substring(status.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int i = FIRST_TIME; i < FIRST_TIME + TIMES; i++) {
                ticks += Long.parseLong(fields[i]);
            }
            return new Moment(ticks / TICKS_PER_SECOND, System.nanoTime());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
