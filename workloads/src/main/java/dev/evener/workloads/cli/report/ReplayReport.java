package dev.evener.workloads.cli.report;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.record.Recording;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.replay.JobFigures;
import dev.evener.workloads.replay.Replayed;
import dev.evener.workloads.replay.Replayer;
import dev.evener.workloads.replay.Tasks;
import dev.evener.workloads.workload.Sizes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What {@code replay} reports: then and now side by side, as a table and as the JSON of docs/report.md. */
public final class ReplayReport {
    private final Path record;
    private final Recording recording;
    private final Replayer.Result result;
    private final double speed;
    private final Map<String, Long> leftOut;
    private final Map<String, Object> bounds;
    private final List<Group> groups;
    private final List<String> differences;
    private final long checked;

    /**
     * Of a replay.
     *
     * @param leftOut how many jobs of each name could not be run again
     * @param bounds of the makespan this time, as {@link JobFigures#add} tells them
     */
    public ReplayReport(
            Path record,
            Recording recording,
            Replayer.Result result,
            double speed,
            Map<String, Long> leftOut,
            Map<String, Object> bounds) {
        this.bounds = bounds;
        this.record = record;
        this.recording = recording;
        this.result = result;
        this.speed = speed;
        this.leftOut = leftOut;
        Map<List<Object>, Group> byKey = new LinkedHashMap<>();
        result.jobs()
                .forEach(each -> byKey.computeIfAbsent(Group.key(each), key -> new Group(each, new ArrayList<>()))
                        .all
                        .add(each));
        this.groups = List.copyOf(byKey.values());
        this.differences = result.jobs().stream()
                .filter(Replayed::different)
                .map(ReplayReport::difference)
                .toList();
        this.checked = result.jobs().stream().filter(r -> r.same() != null).count();
    }

    private static String difference(Replayed each) {
        Recording.Task task = each.request().task();
        return "request " + each.request().number() + " ("
                + (Tasks.isFrame(task) && !task.files().isEmpty()
                        ? task.files().get(0).path().toString()
                        : task.workload() + ", " + task.items() + " items")
                + "): "
                + (each.now().failure() != null
                        ? "it failed now: " + each.now().failure()
                        : "the result is not the one of the record");
    }

    /** One line for each request whose result is another, or that failed now only. */
    public List<String> differences() {
        return differences;
    }

    /** Jobs of one line of the table, beginning with the first; frames of one command are together. */
    private record Group(Replayed first, List<Replayed> all) {
        static List<Object> key(Replayed each) {
            Recording.Task task = each.request().task();
            return Arrays.asList(
                    each.run(),
                    task.command(),
                    task.workload(),
                    Tasks.isFrame(task) ? 0 : task.items(),
                    task.distribution(),
                    task.parameters(),
                    each.request().policy(),
                    each.policy());
        }

        Recording.Task task() {
            return first.request().task();
        }

        private Stream<Replayed.Outcome> outcomes(Function<Replayed, Replayed.@Nullable Outcome> which) {
            return all.stream().map(which).filter(Objects::nonNull);
        }

        /** In seconds; null if none succeeded. */
        @Nullable
        Double median(Function<Replayed, Replayed.@Nullable Outcome> which, ToLongFunction<Replayed.Outcome> time) {
            double median = Statistics.median(
                    outcomes(which).filter(outcome -> outcome.failure() == null).toList(), time::applyAsLong);
            return median > 0 ? median / 1e9 : null;
        }

        /** What each device did of all; none if nothing was done. */
        List<Double> shares(Function<Replayed, Replayed.@Nullable Outcome> which) {
            List<Long> sums = outcomes(which).map(Replayed.Outcome::units).reduce(List.of(), (a, b) -> {
                List<Long> sum = new ArrayList<>(a.size() > b.size() ? a : b);
                for (int d = 0; d < Math.min(a.size(), b.size()); d++) {
                    sum.set(d, a.get(d) + b.get(d));
                }
                return sum;
            });
            double total = sums.stream().mapToDouble(Long::doubleValue).sum();
            return total == 0 ? List.of() : sums.stream().map(s -> s / total).toList();
        }

        long same() {
            return all.stream().filter(r -> Boolean.TRUE.equals(r.same())).count();
        }

        long different() {
            return all.stream().filter(Replayed::different).count();
        }

        String result() {
            return different() > 0
                    ? different() + " DIFFERENT"
                    : same() == 0 ? "not checked" : same() == all.size() ? "same" : "same (" + same() + " checked)";
        }

        String policy() {
            String was = first.request().policy();
            return was.equals(first.policy()) ? was : was + " -> " + first.policy();
        }

        @Nullable
        String ratio() {
            Double then = median(Replayed::then, Replayed.Outcome::wallNanos);
            Double now = median(Replayed::now, Replayed.Outcome::wallNanos);
            return then != null && now != null ? format("%.2f", then / now) : null;
        }
    }

    private TextTable<Group> table() {
        return new TextTable<Group>()
                .field("run", g -> g.first.run())
                .field("command", g -> g.task().command())
                .column("workload", g -> g.task().workload() + differing(g.task()))
                .field("workload", g -> g.task().workload())
                .column(
                        "items",
                        g -> Tasks.isFrame(g.task())
                                ? "frames"
                                : Sizes.text(g.task().items()))
                .field("items", g -> Tasks.isFrame(g.task()) ? null : g.task().items())
                .field("distribution", g -> g.task().distribution())
                .field("parameters", g -> g.task().parameters())
                .column("policy", Group::policy)
                .field("policyThen", g -> g.first.request().policy())
                .field("policyNow", g -> g.first.policy())
                .column(">jobs", "jobs", g -> g.all().size(), count -> count)
                .column(
                        ">then",
                        "medianSecondsThen",
                        g -> g.median(Replayed::then, Replayed.Outcome::wallNanos),
                        ReplayReport::millis)
                .column(
                        ">now",
                        "medianSecondsNow",
                        g -> g.median(Replayed::now, Replayed.Outcome::wallNanos),
                        ReplayReport::millis)
                .column(">x then", Group::ratio)
                .field("medianResponseSecondsThen", g -> g.median(Replayed::then, Replayed.Outcome::responseNanos))
                .field("medianResponseSecondsNow", g -> g.median(Replayed::now, Replayed.Outcome::responseNanos))
                .column("shares then", "sharesThen", g -> g.shares(Replayed::then), ReplayReport::percent)
                .column("shares now", "sharesNow", g -> g.shares(Replayed::now), ReplayReport::percent)
                .column("result", Group::result)
                .field("same", Group::same)
                .field("different", Group::different);
    }

    /** For people; a row of CSV is one of the table. */
    public Tables tables() {
        Tables tables = new Tables().add("", table(), groups);
        lines().forEach(tables::note);
        return tables;
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(format(
                "recorded %s%s: %s; makespan %.3f s then, %.3f s now%s",
                recording.header().date(),
                recording.complete() ? "" : " (cut off)",
                TextTable.counted(result.jobs().size(), "job"),
                result.makespanThen().toNanos() / 1e9,
                result.makespanNow().toNanos() / 1e9,
                speed == 1 ? "" : Double.isInfinite(speed) ? ", as soon as possible" : format(", at %sx", speed)));
        Optional.ofNullable(JobFigures.boundText(bounds)).ifPresent(lines::add);
        for (int i = 0; i < recording.runs().size(); i++) {
            String then = ids(recording.runs().get(i).devices());
            String now = ids(result.devices().get(i));
            lines.add("devices: " + (then.equals(now) ? now : then + " then, " + now + " now"));
        }
        lines.add(
                differences.isEmpty()
                        ? checked + " results checked, all are the same"
                        : differences.size() + " OF THE JOBS ENDED OTHERWISE");
        return lines;
    }

    /** What is set otherwise than for other lines of the same workload, so that they can be told apart. */
    private String differing(Recording.Task task) {
        List<Map<String, String>> alike = groups.stream()
                .map(Group::task)
                .filter(other -> other.workload().equals(task.workload()))
                .map(Recording.Task::parameters)
                .toList();
        return alike.stream()
                .flatMap(parameters -> parameters.keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .filter(name -> alike.stream().map(p -> p.get(name)).distinct().count() > 1)
                .map(name -> " " + name + "=" + task.parameters().getOrDefault(name, "default"))
                .collect(Collectors.joining());
    }

    private static String ids(List<DeviceInfo> devices) {
        return devices.isEmpty() ? "none" : devices.stream().map(DeviceInfo::id).collect(Collectors.joining(","));
    }

    private static String millis(double seconds) {
        return format("%.3f ms", 1e3 * seconds);
    }

    private static @Nullable String percent(List<Double> shares) {
        return shares.isEmpty()
                ? null
                : shares.stream().map(s -> format("%.1f%%", 100 * s)).collect(Collectors.joining(" "));
    }

    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("record", record.toString());
        map.put("recorded", recording.header().date().toString());
        map.put("complete", recording.complete());
        map.put("speed", Double.isInfinite(speed) ? null : speed);
        map.put("jobs", result.jobs().size());
        map.put("checked", checked);
        map.put("makespanSecondsThen", result.makespanThen().toNanos() / 1e9);
        map.put("makespanSecondsNow", result.makespanNow().toNanos() / 1e9);
        map.putAll(bounds);
        List<Object> runs = new ArrayList<>();
        for (int i = 0; i < recording.runs().size(); i++) {
            Map<String, Object> run = new LinkedHashMap<>();
            run.put("devicesThen", ids(recording.runs().get(i).devices()));
            run.put("devicesNow", ids(result.devices().get(i)));
            runs.add(run);
        }
        map.put("runs", runs);
        map.put("groups", table().maps(groups));
        map.put("leftOut", leftOut);
        map.put("failures", differences);
        return map;
    }
}
