package dev.evener.workloads.arrivals;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of a job. Times are nanoseconds after the beginning of the run.
 *
 * @param arrival the job
 * @param dueNanos when it was to arrive
 * @param submittedNanos when it did; later where its data were not ready, or too many jobs were waiting
 * @param startedNanos when the devices were free for it
 * @param endedNanos when its result was complete
 * @param failure what it failed with, in one line; null if it did not
 */
public record ArrivalOutcome(
        Arrival arrival,
        long dueNanos,
        long submittedNanos,
        long startedNanos,
        long endedNanos,
        @Nullable String failure) {

    /** How much later than due it was submitted. */
    public long lateNanos() {
        return submittedNanos - dueNanos;
    }

    /** From its arrival to its result: what whoever submitted it waits. */
    public long responseNanos() {
        return endedNanos - dueNanos;
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("line", arrival.line());
        map.put("workload", arrival.request().workload().name());
        map.put("parameters", arrival.request().values().toMap());
        map.put("items", arrival.request().items());
        map.put("arrivalSeconds", arrival.nanos() / 1e9);
        map.put("dueSeconds", dueNanos / 1e9);
        map.put("submittedSeconds", submittedNanos / 1e9);
        map.put("startedSeconds", failure == null ? startedNanos / 1e9 : null);
        map.put("endedSeconds", endedNanos / 1e9);
        map.put("failure", failure);
        return map;
    }
}
