package dev.evener.workloads.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Option;

/**
 * What comes before anything is timed: the work itself, once, and for a second more where it is repeated for measuring. By then
 * drivers have compiled what they compile only at a launch, memory has been touched, and the JVM has compiled what a job
 * needs; before, its compiler threads compete with CPU devices.
 */
final class WarmUpOption {
    private static final Duration FOR_MEASURING = Duration.ofSeconds(1);

    @Option(
            names = "--cold",
            description =
                    "Do not warm up: time the very first run, and show it with the time of building programs too.")
    private boolean cold;

    private volatile boolean over;

    /** Whether nothing is to be warmed up. */
    boolean cold() {
        return cold;
    }

    /** Nothing is, whatever was asked for. */
    void leaveOut() {
        cold = true;
    }

    /**
     * Warms up, if that is wanted.
     *
     * @param repeat how often the work is timed
     * @param work done at least once
     */
    void run(int repeat, Runnable work) {
        if (!cold && !over) {
            work.run(); // which builds programs, and may take seconds by itself
            long start = System.nanoTime();
            while (repeat > 1 && System.nanoTime() - start < FOR_MEASURING.toNanos()) {
                work.run();
            }
        }
        over = true;
    }

    /** When what is timed begins. */
    BooleanSupplier over() {
        return () -> cold || over;
    }

    /**
     * A line for people on what no other figure includes.
     *
     * @param what was repeated: run, frame
     * @param coldNanos time of the first of them with building
     */
    String text(long buildNanos, long times, String what, long coldNanos) {
        String building = String.format(Locale.ROOT, "%.3f ms", buildNanos / 1e6);
        return (cold
                        ? String.format(
                                Locale.ROOT, "cold: %.3f ms with building, which took %s", coldNanos / 1e6, building)
                        : "before: " + building + " of building, " + times + " " + what + (times == 1 ? "" : "s")
                                + " to warm up")
                + System.lineSeparator();
    }
}
