package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.bench.Statistics;
import dev.evener.workloads.workload.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What became of all jobs.
 *
 * @param jobs in the order of their arrival
 * @param devices the devices, in lane order
 * @param busyNanos how long each device was at work
 * @param preparedNanos how long data were made and programs built before the first job was due; -1 where that was not needed
 */
public record ArrivalReport(List<Outcome> jobs, List<DeviceInfo> devices, List<Long> busyNanos, long preparedNanos) {
    private static final double HIGH = 0.95;

    /**
     * What became of a job. Times are nanoseconds after the beginning of the run.
     *
     * @param line where it stands in its file
     * @param job what else JSON is to say of it
     * @param dueNanos when it was to arrive
     * @param submittedNanos when it did; later where it waited for others' end, its data were not ready, or too many were waiting
     * @param startedNanos when the devices were free for it
     * @param endedNanos when its result was complete
     * @param failure what it failed with, in one line; null if it did not
     */
    public record Outcome(
            int line,
            Map<String, Object> job,
            long dueNanos,
            long submittedNanos,
            long startedNanos,
            long endedNanos,
            @Nullable String failure) {
        /** One of a trace. */
        public Outcome(Trace.Job<?> job, long due, long submitted, long started, long ended, @Nullable String failure) {
            this(job.line(), described(job), due, submitted, started, ended, failure);
        }

        /**
         * One that was submitted.
         *
         * @param report null if it did not succeed
         */
        static Outcome of(
                Trace.Job<?> job, long due, long submitted, @Nullable Report report, @Nullable String failure) {
            long started = submitted + (report == null ? 0 : report.queuedNanos());
            long ended = started + (report == null ? 0 : report.buildNanos() + report.wallNanos());
            return new Outcome(job, due, submitted, started, ended, failure);
        }

        private static Map<String, Object> described(Trace.Job<?> job) {
            if (!(job.work() instanceof Request request)) {
                return Map.of("job", job.id());
            }
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("workload", request.workload().name());
            map.put("parameters", request.values().toMap());
            map.put("items", request.items());
            map.put("arrivalSeconds", job.nanos() / 1e9);
            return map;
        }

        private Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("line", line);
            map.putAll(job);
            map.put("dueSeconds", dueNanos / 1e9);
            map.put("submittedSeconds", submittedNanos / 1e9);
            map.put("startedSeconds", failure == null ? startedNanos / 1e9 : null);
            map.put("endedSeconds", endedNanos / 1e9);
            map.put("failure", failure);
            return map;
        }
    }

    /** From the beginning to the last result. */
    public long makespanNanos() {
        return jobs.stream().mapToLong(Outcome::endedNanos).max().orElse(0);
    }

    /** Those that failed. */
    public List<Outcome> failed() {
        return jobs.stream().filter(j -> j.failure() != null).toList();
    }

    private double utilisation(int device) {
        return busyNanos.get(device) / (double) Math.max(1, makespanNanos());
    }

    /** Seconds of each job that succeeded, by what is counted: the name in JSON and the one for people are apart by a space. */
    private Map<String, double[]> spreads() {
        Map<String, ToLongFunction<Outcome>> figures = new LinkedHashMap<>();
        figures.put("wait waiting", j -> j.startedNanos() - j.submittedNanos());
        figures.put("run running", j -> j.endedNanos() - j.startedNanos());
        figures.put("response response", j -> j.endedNanos() - j.dueNanos());
        figures.put("late late", j -> j.submittedNanos() - j.dueNanos());
        Map<String, double[]> spreads = new LinkedHashMap<>();
        figures.forEach((names, figure) -> spreads.put(
                names,
                jobs.stream()
                        .filter(j -> j.failure() == null)
                        .mapToDouble(j -> figure.applyAsLong(j) / 1e9)
                        .toArray()));
        return spreads;
    }

    /** The report as the JSON object that docs/records.md describes. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("jobs", jobs.size());
        map.put("failed", failed().size());
        if (preparedNanos >= 0) {
            map.put("prepareSeconds", preparedNanos / 1e9);
        }
        map.put("makespanSeconds", makespanNanos() / 1e9);
        spreads().forEach((names, seconds) -> {
            String name = names.split(" ", -1)[0];
            boolean any = seconds.length > 0;
            map.put(name + "MedianSeconds", any ? Statistics.median(seconds) : null);
            map.put(name + "P95Seconds", any ? Statistics.quantile(seconds, HIGH) : null);
            map.put(name + "MaxSeconds", any ? Statistics.quantile(seconds, 1) : null);
        });
        List<Map<String, Object>> uses = new ArrayList<>();
        for (int i = 0; i < devices.size(); i++) {
            Map<String, Object> use = new LinkedHashMap<>();
            use.put("id", devices.get(i).id());
            use.put("name", devices.get(i).name());
            use.put("busySeconds", busyNanos.get(i) / 1e9);
            use.put("utilisation", utilisation(i));
            uses.add(use);
        }
        map.put("devices", uses);
        map.put("outcomes", jobs.stream().map(Outcome::toMap).toList());
        return map;
    }

    /** A few lines for people. */
    public String summary() {
        StringBuilder text = new StringBuilder();
        String failed = failed().isEmpty() ? "" : ", " + failed().size() + " failed";
        line(text, "%d jobs in %.3f s%s", jobs.size(), makespanNanos() / 1e9, failed);
        if (preparedNanos >= 0) {
            line(text, "prepared in %.3f s before the first", preparedNanos / 1e9);
        }
        spreads().forEach((names, seconds) -> {
            if (seconds.length > 0) {
                line(
                        text,
                        "%s: median %.3f ms, 95 %% within %.3f ms, at most %.3f ms",
                        names.split(" ", -1)[1],
                        1e3 * Statistics.median(seconds),
                        1e3 * Statistics.quantile(seconds, HIGH),
                        1e3 * Statistics.quantile(seconds, 1));
            }
        });
        for (int i = 0; i < devices.size(); i++) {
            DeviceInfo device = devices.get(i);
            line(text, "device %s at work %.1f %% of the time (%s)", device.id(), 100 * utilisation(i), device.name());
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(format(format, values)).append(System.lineSeparator());
    }
}
