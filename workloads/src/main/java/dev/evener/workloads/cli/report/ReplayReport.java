package dev.evener.workloads.cli.report;

import dev.evener.DeviceInfo;
import dev.evener.record.Recording;
import dev.evener.workloads.bench.Statistics;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.replay.Replayed;
import dev.evener.workloads.replay.Replayer;
import dev.evener.workloads.workload.Sizes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What {@code replay} reports: then and now side by side, as a table and as the JSON of docs/report.md. */
public final class ReplayReport {
    private final Path record;
    private final Recording recording;
    private final Clocks clocks;
    private final List<Replayed> replayed;
    private final double speed;
    private final Map<String, Long> leftOut;
    private final Map<List<Object>, List<Replayed>> groups = new LinkedHashMap<>();
    private final List<String> differences = new ArrayList<>();

    /**
     * What is known of all jobs together.
     *
     * @param makespanThen from the first arrival to the last result
     * @param makespanNow the same this time
     * @param devices of each run of the record, this time
     */
    public record Clocks(Duration makespanThen, Duration makespanNow, List<List<DeviceInfo>> devices) {
        public static Clocks of(Replayer replayer) {
            return new Clocks(replayer.makespanThen(), replayer.makespanNow(), replayer.devices());
        }
    }

    /** What jobs of one line of the table have in common; frames of one command are together. */
    private static List<Object> key(Replayed each) {
        Recording.Task task = each.request().task();
        return Arrays.asList(
                each.run(),
                task.command(),
                task.workload(),
                isFrame(task) ? 0 : task.items(),
                task.distribution(),
                task.parameters(),
                each.request().policy(),
                each.policy());
    }

    private static boolean isFrame(Recording.Task task) {
        return task.command().equals("tonemap");
    }

    /** @param leftOut how many jobs of each name could not be run again */
    public ReplayReport(
            Path record,
            Recording recording,
            Clocks clocks,
            List<Replayed> replayed,
            double speed,
            Map<String, Long> leftOut) {
        this.record = record;
        this.recording = recording;
        this.clocks = clocks;
        this.replayed = replayed;
        this.speed = speed;
        this.leftOut = leftOut;
        for (Replayed each : replayed) {
            groups.computeIfAbsent(key(each), key -> new ArrayList<>()).add(each);
            if (each.different()) {
                differences.add("request " + each.request().number() + " ("
                        + what(each.request().task()) + "): "
                        + (each.now().failure() != null
                                ? "it failed now: " + each.now().failure()
                                : "the result is not the one of the record"));
            }
        }
    }

    private static String what(Recording.Task task) {
        return isFrame(task) && !task.files().isEmpty()
                ? task.files().get(0).path().toString()
                : task.workload() + ", " + task.items() + " items";
    }

    /** One line for each request whose result is another, or that failed now only. */
    public List<String> differences() {
        return differences;
    }

    public String text() {
        TextTable table = new TextTable(
                "workload",
                "items",
                "policy",
                ">jobs",
                ">then",
                ">now",
                ">now/then",
                "shares then",
                "shares now",
                "result");
        groups.values().forEach(all -> {
            Recording.Request first = all.get(0).request();
            String policy = all.get(0).policy();
            double then = median(all, Replayed::then, Replayed.Outcome::wallNanos);
            double now = median(all, Replayed::now, Replayed.Outcome::wallNanos);
            table.row(
                    first.task().workload() + differing(first.task()),
                    isFrame(first.task()) ? "frames" : Sizes.text(first.task().items()),
                    first.policy().equals(policy) ? policy : first.policy() + " -> " + policy,
                    String.valueOf(all.size()),
                    milliseconds(then),
                    milliseconds(now),
                    then > 0 && now > 0 ? format("%.2f", now / then) : "-",
                    shares(all, Replayed::then),
                    shares(all, Replayed::now),
                    result(all));
        });
        StringBuilder text = new StringBuilder(table.toString());
        text.append(format(
                        "recorded %s%s: %d jobs; makespan %.3f s then, %.3f s now%s",
                        recording.header().date(),
                        recording.complete() ? "" : " (cut off)",
                        replayed.size(),
                        clocks.makespanThen().toNanos() / 1e9,
                        clocks.makespanNow().toNanos() / 1e9,
                        speed == 1
                                ? ""
                                : Double.isInfinite(speed) ? ", as soon as possible" : format(", at %sx", speed)))
                .append(System.lineSeparator());
        for (int i = 0; i < recording.runs().size(); i++) {
            String then = ids(recording.runs().get(i).devices());
            String now = ids(clocks.devices().get(i));
            text.append("devices: ")
                    .append(then.equals(now) ? now : then + " then, " + now + " now")
                    .append(System.lineSeparator());
        }
        long checked = replayed.stream().filter(r -> r.same() != null).count();
        text.append(
                        differences.isEmpty()
                                ? checked + " results checked, all are the same"
                                : differences.size() + " OF THE JOBS ENDED OTHERWISE")
                .append(System.lineSeparator());
        return text.toString();
    }

    /** What is set otherwise than for other lines of the same workload, so that they can be told apart. */
    private String differing(Recording.Task task) {
        StringBuilder text = new StringBuilder();
        Set<String> names = new TreeSet<>();
        List<Map<String, String>> alike = groups.values().stream()
                .map(all -> all.get(0).request().task())
                .filter(other -> other.workload().equals(task.workload()))
                .map(Recording.Task::parameters)
                .toList();
        alike.forEach(parameters -> names.addAll(parameters.keySet()));
        for (String name : names) {
            if (alike.stream().map(p -> p.get(name)).distinct().count() > 1) {
                text.append(' ')
                        .append(name)
                        .append('=')
                        .append(task.parameters().getOrDefault(name, "default"));
            }
        }
        return text.toString();
    }

    private static String ids(List<DeviceInfo> devices) {
        return devices.isEmpty()
                ? "none"
                : String.join(",", devices.stream().map(DeviceInfo::id).toList());
    }

    private static String milliseconds(double nanos) {
        return nanos > 0 ? format("%.3f ms", nanos / 1e6) : "-";
    }

    private static double median(
            List<Replayed> all,
            Function<Replayed, Replayed.@Nullable Outcome> which,
            ToLongFunction<Replayed.Outcome> time) {
        double[] nanos = all.stream()
                .map(which)
                .filter(outcome -> outcome != null && outcome.failure() == null)
                .mapToDouble(time::applyAsLong)
                .toArray();
        return nanos.length == 0 ? 0 : Statistics.median(nanos);
    }

    private static String shares(List<Replayed> all, Function<Replayed, Replayed.@Nullable Outcome> which) {
        List<Double> shares = fractions(all, which);
        return shares.isEmpty()
                ? "-"
                : String.join(
                        " ", shares.stream().map(s -> format("%.1f%%", 100 * s)).toList());
    }

    /** What each device did of all; none if nothing was done. */
    private static List<Double> fractions(List<Replayed> all, Function<Replayed, Replayed.@Nullable Outcome> which) {
        List<Double> sums = new ArrayList<>();
        double total = 0;
        for (Replayed each : all) {
            Replayed.Outcome outcome = which.apply(each);
            for (int d = 0; outcome != null && d < outcome.units().size(); d++) {
                if (d == sums.size()) {
                    sums.add(0.0);
                }
                sums.set(d, sums.get(d) + outcome.units().get(d));
                total += outcome.units().get(d);
            }
        }
        double units = total;
        return units == 0 ? List.of() : sums.stream().map(s -> s / units).toList();
    }

    private static String result(List<Replayed> all) {
        long same = all.stream().filter(r -> Boolean.TRUE.equals(r.same())).count();
        long different = all.stream().filter(Replayed::different).count();
        if (different > 0) {
            return different + " DIFFERENT";
        }
        return same == 0 ? "not checked" : same == all.size() ? "same" : "same (" + same + " checked)";
    }

    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("record", record.toString());
        map.put("recorded", recording.header().date().toString());
        map.put("complete", recording.complete());
        map.put("speed", Double.isInfinite(speed) ? null : speed);
        map.put("jobs", replayed.size());
        map.put("checked", replayed.stream().filter(r -> r.same() != null).count());
        map.put("makespanSecondsThen", clocks.makespanThen().toNanos() / 1e9);
        map.put("makespanSecondsNow", clocks.makespanNow().toNanos() / 1e9);
        List<Object> runs = new ArrayList<>();
        for (int i = 0; i < recording.runs().size(); i++) {
            Map<String, Object> run = new LinkedHashMap<>();
            run.put("devicesThen", ids(recording.runs().get(i).devices()));
            run.put("devicesNow", ids(clocks.devices().get(i)));
            runs.add(run);
        }
        map.put("runs", runs);
        List<Object> list = new ArrayList<>();
        groups.values().forEach(all -> list.add(group(all)));
        map.put("groups", list);
        map.put("leftOut", leftOut);
        map.put("failures", differences);
        return map;
    }

    private static Map<String, Object> group(List<Replayed> all) {
        Recording.Task task = all.get(0).request().task();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("run", all.get(0).run());
        map.put("command", task.command());
        map.put("workload", task.workload());
        map.put("items", isFrame(task) ? null : task.items());
        map.put("distribution", task.distribution());
        map.put("parameters", task.parameters());
        map.put("policyThen", all.get(0).request().policy());
        map.put("policyNow", all.get(0).policy());
        map.put("jobs", all.size());
        map.put("medianSecondsThen", seconds(median(all, Replayed::then, Replayed.Outcome::wallNanos)));
        map.put("medianSecondsNow", seconds(median(all, Replayed::now, Replayed.Outcome::wallNanos)));
        map.put("medianResponseSecondsThen", seconds(median(all, Replayed::then, Replayed.Outcome::responseNanos)));
        map.put("medianResponseSecondsNow", seconds(median(all, Replayed::now, Replayed.Outcome::responseNanos)));
        map.put("sharesThen", fractions(all, Replayed::then));
        map.put("sharesNow", fractions(all, Replayed::now));
        map.put("same", all.stream().filter(r -> Boolean.TRUE.equals(r.same())).count());
        map.put("different", all.stream().filter(Replayed::different).count());
        return map;
    }

    private static @Nullable Double seconds(double nanos) {
        return nanos > 0 ? nanos / 1e9 : null;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
