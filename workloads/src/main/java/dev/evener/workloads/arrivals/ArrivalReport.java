package dev.evener.workloads.arrivals;

import dev.evener.DeviceInfo;
import dev.evener.workloads.bench.Statistics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * What became of all jobs.
 *
 * @param jobs in the order of their arrival
 * @param devices the devices, in lane order
 * @param busyNanos how long each device was at work
 * @param preparedNanos how long data were made and programs built before the first job was due
 */
public record ArrivalReport(
        List<ArrivalOutcome> jobs, List<DeviceInfo> devices, List<Long> busyNanos, long preparedNanos) {
    private static final double HIGH = 0.95;

    public ArrivalReport {
        jobs = List.copyOf(jobs);
        devices = List.copyOf(devices);
        busyNanos = List.copyOf(busyNanos);
    }

    /** From the beginning to the last result. */
    public long makespanNanos() {
        return jobs.stream().mapToLong(ArrivalOutcome::endedNanos).max().orElse(0);
    }

    /** Those that failed. */
    public List<ArrivalOutcome> failed() {
        return jobs.stream().filter(j -> j.failure() != null).toList();
    }

    private List<ArrivalOutcome> done() {
        return jobs.stream().filter(j -> j.failure() == null).toList();
    }

    private double[] of(ToLongFunction<ArrivalOutcome> figure) {
        return done().stream().mapToLong(figure).mapToDouble(n -> n / 1e9).toArray();
    }

    /** The report as the JSON object that docs/arrivals.md describes. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("jobs", jobs.size());
        map.put("failed", failed().size());
        map.put("prepareSeconds", preparedNanos / 1e9);
        map.put("makespanSeconds", makespanNanos() / 1e9);
        spread(map, "wait", of(j -> j.startedNanos() - j.submittedNanos()));
        spread(map, "run", of(j -> j.endedNanos() - j.startedNanos()));
        spread(map, "response", of(ArrivalOutcome::responseNanos));
        spread(map, "late", of(ArrivalOutcome::lateNanos));
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
        map.put("outcomes", jobs.stream().map(ArrivalOutcome::toMap).toList());
        return map;
    }

    private double utilisation(int device) {
        return busyNanos.get(device) / (double) Math.max(1, makespanNanos());
    }

    private static void spread(Map<String, Object> map, String name, double[] seconds) {
        boolean any = seconds.length > 0;
        map.put(name + "MedianSeconds", any ? Statistics.median(seconds) : null);
        map.put(name + "P95Seconds", any ? Statistics.quantile(seconds, HIGH) : null);
        map.put(name + "MaxSeconds", any ? Statistics.quantile(seconds, 1) : null);
    }

    /** A few lines for people. */
    public String summary() {
        String line = System.lineSeparator();
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%d jobs in %.3f s%s",
                jobs.size(),
                makespanNanos() / 1e9,
                failed().isEmpty() ? "" : ", " + failed().size() + " failed"));
        text.append(line);
        text.append(String.format(Locale.ROOT, "prepared in %.3f s before the first", preparedNanos / 1e9))
                .append(line);
        line(text, "waiting", of(j -> j.startedNanos() - j.submittedNanos()));
        line(text, "running", of(j -> j.endedNanos() - j.startedNanos()));
        line(text, "response", of(ArrivalOutcome::responseNanos));
        line(text, "late", of(ArrivalOutcome::lateNanos));
        for (int i = 0; i < devices.size(); i++) {
            text.append(String.format(
                            Locale.ROOT,
                            "device %s at work %.1f %% of the time (%s)",
                            devices.get(i).id(),
                            100 * utilisation(i),
                            devices.get(i).name()))
                    .append(line);
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String name, double[] seconds) {
        if (seconds.length > 0) {
            text.append(String.format(
                            Locale.ROOT,
                            "%s: median %.3f ms, 95 %% within %.3f ms, at most %.3f ms",
                            name,
                            1e3 * Statistics.median(seconds),
                            1e3 * Statistics.quantile(seconds, HIGH),
                            1e3 * Statistics.quantile(seconds, 1)))
                    .append(System.lineSeparator());
        }
    }
}
