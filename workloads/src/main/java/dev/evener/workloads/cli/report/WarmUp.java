package dev.evener.workloads.cli.report;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.Report;
import dev.evener.workloads.document.TextTable;

/**
 * What no other figure includes.
 *
 * @param cold whether there was no warm-up
 * @param buildNanos time in which programs were built
 * @param times how often it was done to warm up; 0 where programs were built while the work was under way
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
        String text;
        if (cold) {
            text = format("cold: %.3f ms with building, which took %s", all, building);
        } else if (times == 0) {
            text = "in that time: " + building + " of building";
        } else {
            text = "before: " + building + " of building, " + TextTable.counted(times, what) + " to warm up";
        }
        return text + System.lineSeparator();
    }
}
