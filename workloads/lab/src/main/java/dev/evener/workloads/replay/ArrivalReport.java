package dev.evener.workloads.replay;

import static dev.evener.workloads.document.TextTable.format;
import static dev.evener.workloads.replay.JobFigures.time;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What became of all jobs.
 *
 * @param jobs in the order of their arrival
 * @param devices the devices, in lane order
 * @param busyNanos how long each device was at work
 * @param preparedNanos how long data were made and programs built before the first job was due; -1 where that was not needed
 * @param more figures of {@link JobFigures}, by their names
 * @param overTime how busy devices were
 */
public record ArrivalReport(
        List<Outcome> jobs,
        List<DeviceInfo> devices,
        List<Long> busyNanos,
        long preparedNanos,
        Map<String, Object> more,
        List<UseOverTime.Slice> overTime) {
    /** One of jobs that have neither deadlines nor users. */
    public ArrivalReport(List<Outcome> jobs, List<DeviceInfo> devices, List<Long> busyNanos, long preparedNanos) {
        this(jobs, devices, busyNanos, preparedNanos, Map.of(), List.of());
    }

    /** The same with further figures. */
    public ArrivalReport with(Map<String, Object> figures) {
        Map<String, Object> all = new LinkedHashMap<>(more);
        all.putAll(figures);
        return with(all, overTime);
    }

    /** The same with these. */
    ArrivalReport with(Map<String, Object> figures, List<UseOverTime.Slice> use) {
        return new ArrivalReport(jobs, devices, busyNanos, preparedNanos, figures, use);
    }

    private static final double HIGH = 0.95;
    private static final double HIGHEST = 0.99;

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

        /** For figures of many, beside what it could take at least. */
        JobFigures.Served served(Trace.Terms terms, double leastNanos) {
            double seconds = failure == null ? (endedNanos - dueNanos) / 1e9 : Double.POSITIVE_INFINITY;
            return new JobFigures.Served(seconds, leastNanos / 1e9, terms);
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
    }

    /** The rows for programs. What the job is stands between {@code line} and the times. */
    private static Map<String, Object> map(Outcome of) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("line", of.line);
        map.putAll(of.job);
        map.put("dueSeconds", of.dueNanos / 1e9);
        map.put("submittedSeconds", of.submittedNanos / 1e9);
        map.put("startedSeconds", of.failure == null ? of.startedNanos / 1e9 : null);
        map.put("endedSeconds", of.endedNanos / 1e9);
        map.put("failure", of.failure);
        return map;
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
        map.putAll(figures());
        map.put("devices", uses().maps(lanes()));
        map.put("overTime", UseOverTime.TABLE.maps(overTime));
        map.put("outcomes", outcomes());
        return map;
    }

    /** Those of all jobs together, in seconds, by their names in JSON; null where no job succeeded. */
    Map<String, @Nullable Object> figures() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("makespanSeconds", makespanNanos() / 1e9);
        spreads().forEach((names, seconds) -> {
            String name = names.split(" ", -1)[0];
            boolean any = seconds.length > 0;
            map.put(name + "MedianSeconds", any ? Statistics.median(seconds) : null);
            map.put(name + "P95Seconds", any ? Statistics.quantile(seconds, HIGH) : null);
            map.put(name + "P99Seconds", any ? Statistics.quantile(seconds, HIGHEST) : null);
            map.put(name + "MaxSeconds", any ? Statistics.quantile(seconds, 1) : null);
        });
        more.forEach(map::putIfAbsent);
        return map;
    }

    private List<Map<String, Object>> outcomes() {
        return jobs.stream().map(ArrivalReport::map).toList();
    }

    private List<Integer> lanes() {
        return IntStream.range(0, devices.size()).boxed().toList();
    }

    private TextTable<Integer> uses() {
        return new TextTable<Integer>()
                .column("device", "id", i -> devices.get(i).id(), id -> id)
                .column("name", "name", i -> devices.get(i).name(), name -> name)
                .field("busySeconds", i -> busyNanos.get(i) / 1e9)
                .column(">at work", "utilisation", this::utilisation, part -> format("%.1f %%", 100 * part));
    }

    /** For people what a job took and devices did; a row of CSV is a job. */
    public Tables tables() {
        TextTable<Map.Entry<String, double[]>> times = new TextTable<Map.Entry<String, double[]>>()
                .column("", e -> e.getKey().split(" ", -1)[1])
                .column(">median", e -> time(Statistics.median(e.getValue())))
                .column(">95 % within", e -> time(Statistics.quantile(e.getValue(), HIGH)))
                .column(">99 % within", e -> time(Statistics.quantile(e.getValue(), HIGHEST)))
                .column(">at most", e -> time(Statistics.quantile(e.getValue(), 1)));
        String failed = failed().isEmpty() ? "" : ", " + failed().size() + " failed";
        Tables tables = new Tables()
                .note(format("%s in %.3f s%s", TextTable.counted(jobs.size(), "job"), makespanNanos() / 1e9, failed));
        String bound = JobFigures.boundText(more);
        if (bound != null) {
            tables.note(bound);
        }
        if (more.containsKey("deadlinesMissed")) {
            tables.note(
                    format("%.1f %% of those with deadlines missed them", 100 * (Double) more.get("deadlinesMissed")));
        }
        if (more.containsKey("fairness")) {
            tables.note(format("fairness between users %.3f (Jain's index of their slow-downs)", more.get("fairness")));
        }
        if (more.get("joules") != null) {
            tables.note(format("%.4g J", more.get("joules")));
        }
        if (preparedNanos >= 0) {
            tables.note(format("prepared in %.3f s before the first", preparedNanos / 1e9));
        }
        if (failed().size() < jobs.size()) {
            tables.add("", times, spreads().entrySet());
        }
        return tables.add("", uses(), lanes()).rows(List.of("line"), this::outcomes);
    }
}
