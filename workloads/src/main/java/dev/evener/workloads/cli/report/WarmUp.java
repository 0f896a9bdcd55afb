package dev.evener.workloads.cli.report;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.Report;

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
        String building = format("%.3f ms", buildNanos / 1e6);
        double all = (first.buildNanos() + first.wallNanos()) / 1e6;
        return (cold
                        ? format("cold: %.3f ms with building, which took %s", all, building)
                        : "before: " + building + " of building, " + times + " " + what + (times == 1 ? "" : "s")
                                + " to warm up")
                + System.lineSeparator();
    }
}
