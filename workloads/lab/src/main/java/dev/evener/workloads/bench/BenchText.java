package dev.evener.workloads.bench;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.Statistics.Estimate;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.Sizes;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What {@code bench} prints for people: a table for each case, and one line for each in the end. Stateless. */
public final class BenchText {
    private static final String LINE = System.lineSeparator();

    private BenchText() {}

    /** A table of a case: four columns, or all there are. */
    public static String table(Result result, boolean details) {
        return add(new Tables(), result, details).text();
    }

    static Tables add(Tables tables, Result result, boolean details) {
        tables.add(title(result), details ? all(result) : plain(result), result.entries());
        Double bound = result.boundNanos();
        if (bound != null && result.devices().size() > 1) {
            tables.note("bound by what devices take alone: " + millis(bound));
        }
        result.entries().stream()
                .filter(e -> e.problem() != null)
                .forEach(e -> tables.note(e.name() + ": " + e.problem()));
        return tables;
    }

    private static String title(Result result) {
        Case what = result.what();
        return format(
                "%s, %s%s, devices %s (%s), %s%s%s",
                what.request().workload().name(),
                TextTable.counted(result.items(), what.request().workload().item()),
                what.details(),
                what.set(),
                result.devices().stream().map(DeviceInfo::id).collect(Collectors.joining(", ")),
                TextTable.counted(result.rounds(), "round"),
                result.processes().isEmpty() ? "" : " in " + result.processes().size() + " processes",
                what.timing() == Timing.KERNELS ? ", times in kernels" : "");
    }

    /** A table that says nothing of what was not measured. */
    private static final class Columns {
        private final TextTable<Entry> table = new TextTable<Entry>().column("contender", BenchText::name);

        Columns add(String heading, Function<Entry, @Nullable String> cell) {
            table.column(heading, entry -> entry.measured() ? cell.apply(entry) : null);
            return this;
        }
    }

    private static TextTable<Entry> plain(Result result) {
        String yardstick = result.mainYardstick();
        Columns columns = new Columns()
                .add(">median", e -> median(result, e))
                .add("x " + yardstick, ratio(result, result.yardsticks().get(yardstick)));
        return (learns(result)
                        ? columns.add(">first 30", e -> first(result, e))
                        : columns.add(">speed", e -> speed(result, e)))
                .table;
    }

    private static TextTable<Entry> all(Result result) {
        Columns columns = new Columns()
                .add("shares, %", BenchText::shares)
                .add(">median", e -> median(result, e))
                .add(">spread", e -> percent(Statistics.medianAbsoluteDeviation(e.times()) / e.medianNanos()));
        if (learns(result)) {
            columns.add(">first 30", e -> first(result, e))
                    .add(
                            ">their median",
                            e -> e.first() == null ? null : millis(e.first().medianNanos()))
                    .add(">excess", BenchText::excess)
                    .add("of plan, build, enqueue, device, looks", BenchText::excessParts);
        }
        result.yardsticks().forEach((name, entry) -> columns.add("x " + name, ratio(result, entry)));
        columns.add(">efficiency", e -> percent(result.efficiency(e)))
                .add(">speed", e -> speed(result, e))
                .add(">items/s", e -> format("%.4g", result.itemsPerSecond(e)));
        if (result.what().timing() == Timing.KERNELS) {
            columns.add(">in all", e -> millis(e.wallNanos()));
        }
        if (result.entries().stream().anyMatch(e -> e.latencyNanos() > 0)) {
            columns.add(">latency", e -> millis(e.latencyNanos()));
        }
        columns.add(">chunks", e -> count(e.chunks())).add(">steals", e -> count(e.steals()));
        if (result.entries().stream().anyMatch(e -> e.verified() != null)) {
            columns.add("result", e -> e.verified() == null ? null : e.verified() ? "right" : "WRONG");
        }
        return columns.table;
    }

    private static String median(Result result, Entry entry) {
        Estimate interval = result.median(entry);
        return millis(entry.medianNanos())
                + (interval == null ? "" : format(" (%.3f-%.3f)", interval.low() / 1e6, interval.high() / 1e6));
    }

    private static boolean learns(Result result) {
        return result.entries().stream().anyMatch(e -> e.first() != null);
    }

    private static String name(Entry entry) {
        return entry.name() + (Boolean.FALSE.equals(entry.verified()) ? " WRONG" : "");
    }

    /** What the first jobs took, over the best static split or, without one, the best device. */
    private static @Nullable String first(Result result, Entry entry) {
        Map<String, Entry> yardsticks = result.yardsticks();
        Entry yardstick = yardsticks.getOrDefault("best static", yardsticks.get("best single"));
        FirstJobs first = entry.first();
        return first == null || yardstick == null ? null : format("%.2f", first.meanNanos() / yardstick.medianNanos());
    }

    /** What they took longer than as many settled ones. */
    private static @Nullable String excess(Entry entry) {
        FirstJobs first = entry.first();
        return first == null ? null : format("%.1f ms", first.excessNanos() / 1e6);
    }

    private static @Nullable String excessParts(Entry entry) {
        FirstJobs first = entry.first();
        return first == null
                ? null
                : first.excess().values().stream()
                        .map(nanos -> format("%.1f", nanos / 1e6))
                        .collect(Collectors.joining(", "));
    }

    /** In GB/s or, where bytes are not known, items. */
    private static String speed(Result result, Entry entry) {
        return entry.bytes() > 0
                ? TextTable.number(result.bytesPerSecond(entry) / 1e9) + " GB/s"
                : TextTable.number(result.itemsPerSecond(entry)) + " "
                        + result.what().request().workload().item() + "s/s";
    }

    /** The reasons of those that had something to decide. */
    public static String explanations(Result result) {
        StringBuilder text = new StringBuilder();
        for (Entry entry : result.entries()) {
            boolean decided = entry.role() == Role.POLICY || entry.policy() == null;
            if (decided && !entry.explanation().isEmpty()) {
                text.append(entry.name()).append(':').append(LINE);
                entry.explanation().lines().forEach(line -> text.append("  " + line + LINE));
            }
        }
        return text.length() == 0 ? "" : text + LINE;
    }

    /**
     * One line for each case: how many times as fast as the best device alone each contender is, and of baselines how many times as
     * fast as they that device is; where none was measured, the speeds.
     */
    public static TextTable<Result> summary(List<Result> results) {
        TextTable<Result> table = new TextTable<Result>()
                .column("workload", r -> r.what().request().workload().name())
                .column(">items", r -> Sizes.text(r.items()))
                .column(
                        "with",
                        r -> r.what().details().isEmpty()
                                ? null
                                : r.what().details().substring(2))
                .column("devices", r -> r.what().set())
                .column(
                        "best single",
                        r -> r.bestSingle()
                                .map(e -> e.name().substring("single ".length()) + ", " + millis(e.medianNanos()))
                                .orElse(null));
        results.stream()
                .flatMap(result -> result.entries().stream())
                .filter(each -> each.role() != Role.SINGLE)
                .map(Entry::name)
                .distinct()
                .forEach(name -> table.column(">" + name, r -> beside(r, name)));
        return table;
    }

    private static @Nullable String beside(Result result, String name) {
        return result.entries().stream()
                .filter(e -> e.name().equals(name) && e.measured())
                .findFirst()
                .map(e -> result.bestSingle()
                        .map(best -> e.role() == Role.BASELINE ? result.ratio(e, best) : result.ratio(best, e))
                        .map(ratio -> format("%.2f", ratio.value()))
                        .orElseGet(() -> speed(result, e)))
                .orElse(null);
    }

    static String shares(Entry entry) {
        return entry.shares().isEmpty()
                ? "-"
                : entry.shares().stream().map(s -> format("%.1f", 100 * s)).collect(Collectors.joining(" : "));
    }

    private static String millis(double nanos) {
        return format("%.3f ms", nanos / 1e6);
    }

    private static @Nullable String percent(@Nullable Double part) {
        return part == null ? null : format("%.1f%%", 100 * part);
    }

    private static Function<Entry, @Nullable String> ratio(Result result, @Nullable Entry yardstick) {
        return entry -> {
            if (yardstick == null) {
                return null;
            }
            Estimate ratio = result.ratio(yardstick, entry);
            return format("%.3f (%.3f-%.3f)", ratio.value(), ratio.low(), ratio.high());
        };
    }

    /** Medians of whole numbers: whole, or halfway between two. */
    private static String count(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : format("%.1f", value);
    }
}
