package dev.evener.workloads.cli.report;

import dev.evener.Report;
import java.util.Locale;

/**
 * What no other figure includes.
 *
 * @param cold whether there was no warm-up
 * @param buildNanos time in which programs were built
 * @param times how often it was done to warm up
 */
public record WarmUp(boolean cold, long buildNanos, long times) {
    /**
     * A line for people.
     *
     * @param what was repeated: run, frame
     * @param first what counts of these
     */
    public String text(String what, Report first) {
        String building = String.format(Locale.ROOT, "%.3f ms", buildNanos / 1e6);
        return (cold
                        ? String.format(
                                Locale.ROOT,
                                "cold: %.3f ms with building, which took %s",
                                (first.buildNanos() + first.wallNanos()) / 1e6,
                                building)
                        : "before: " + building + " of building, " + times + " " + what + (times == 1 ? "" : "s")
                                + " to warm up")
                + System.lineSeparator();
    }
}
