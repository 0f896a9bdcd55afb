package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.workloads.bench.Case.Timing;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.Statistics.Estimate;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.Sizes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
        Map<String, Function<Entry, String>> columns = details ? all(result) : plain(result);
        columns.replaceAll((heading, column) ->
                heading.equals("contender") ? column : entry -> entry.measured() ? column.apply(entry) : "-");
        String notes = result.entries().stream()
                .filter(e -> e.problem() != null)
                .map(e -> e.name() + ": " + e.problem() + LINE)
                .collect(Collectors.joining());
        Case what = result.what();
        return format(
                        "%s, %d %ss%s, devices %s (%s), %d rounds%s",
                        what.request().workload().name(),
                        result.items(),
                        what.request().workload().item(),
                        what.details(),
                        what.set(),
                        result.devices().stream().map(DeviceInfo::id).collect(Collectors.joining(", ")),
                        result.rounds(),
                        what.timing() == Timing.KERNELS ? ", times in kernels" : "")
                + LINE
                + table(columns, result.entries())
                + notes;
    }

    private static <T> String table(Map<String, Function<T, String>> columns, List<T> rows) {
        TextTable table = new TextTable(columns.keySet().toArray(String[]::new));
        rows.forEach(row -> table.row(
                columns.values().stream().map(column -> column.apply(row)).toArray(String[]::new)));
        return table.toString();
    }

    private static Map<String, Function<Entry, String>> plain(Result result) {
        Map<String, Function<Entry, String>> columns = new LinkedHashMap<>();
        columns.put("contender", BenchText::name);
        columns.put(">median", e -> millis(e.medianNanos()));
        String yardstick = result.mainYardstick();
        columns.put("x " + yardstick, ratio(result, result.yardsticks().get(yardstick)));
        if (learns(result)) {
            columns.put(">first 30", e -> first(result, e));
        } else {
            columns.put(">speed", e -> speed(result, e));
        }
        return columns;
    }

    private static Map<String, Function<Entry, String>> all(Result result) {
        Map<String, Function<Entry, String>> columns = new LinkedHashMap<>();
        columns.put("contender", BenchText::name);
        columns.put("shares, %", BenchText::shares);
        columns.put(">median", e -> millis(e.medianNanos()));
        columns.put(">spread", e -> percent(Statistics.medianAbsoluteDeviation(e.times()) / e.medianNanos()));
        if (learns(result)) {
            columns.put(">first 30", e -> first(result, e));
        }
        result.yardsticks().forEach((name, entry) -> columns.put("x " + name, ratio(result, entry)));
        columns.put(">efficiency", e -> percent(result.efficiency(e)));
        columns.put(">speed", e -> speed(result, e));
        columns.put(">items/s", e -> format("%.4g", result.itemsPerSecond(e)));
        if (result.what().timing() == Timing.KERNELS) {
            columns.put(">in all", e -> millis(e.wallNanos()));
        }
        if (result.entries().stream().anyMatch(e -> e.latencyNanos() > 0)) {
            columns.put(">latency", e -> millis(e.latencyNanos()));
        }
        columns.put(">chunks", e -> count(e.chunks()));
        columns.put(">steals", e -> count(e.steals()));
        if (result.entries().stream().anyMatch(e -> e.verified() != null)) {
            columns.put("result", e -> e.verified() == null ? "-" : e.verified() ? "right" : "WRONG");
        }
        return columns;
    }

    private static boolean learns(Result result) {
        return result.entries().stream().anyMatch(e -> e.firstNanos() > 0);
    }

    private static String name(Entry entry) {
        return entry.name() + (Boolean.FALSE.equals(entry.verified()) ? " WRONG" : "");
    }

    /** What the first jobs took, over the best static split or, without one, the best device. */
    private static String first(Result result, Entry entry) {
        Map<String, Entry> yardsticks = result.yardsticks();
        Entry yardstick = yardsticks.getOrDefault("best static", yardsticks.get("best single"));
        return entry.firstNanos() == 0 || yardstick == null
                ? "-"
                : format("%.2f x", entry.firstNanos() / yardstick.medianNanos());
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
    public static String summary(List<Result> results) {
        Map<String, Function<Result, String>> columns = new LinkedHashMap<>();
        columns.put("workload", r -> r.what().request().workload().name());
        columns.put(">items", r -> Sizes.text(r.items()));
        columns.put(
                "with",
                r -> r.what().details().isEmpty() ? "-" : r.what().details().substring(2));
        columns.put("devices", r -> r.what().set().toString());
        columns.put(
                "best single",
                r -> r.bestSingle()
                        .map(e -> e.name().substring("single ".length()) + ", " + millis(e.medianNanos()))
                        .orElse("-"));
        for (Result result : results) {
            for (Entry each : result.entries()) {
                if (each.role() != Role.SINGLE) {
                    columns.putIfAbsent(">" + each.name(), r -> beside(r, each.name()));
                }
            }
        }
        return table(columns, results);
    }

    private static String beside(Result result, String name) {
        return result.entries().stream()
                .filter(e -> e.name().equals(name) && e.measured())
                .findFirst()
                .map(e -> result.bestSingle()
                        .map(best -> e.role() == Role.BASELINE ? result.ratio(e, best) : result.ratio(best, e))
                        .map(ratio -> format("%.2f", ratio.value()))
                        .orElseGet(() -> speed(result, e)))
                .orElse("-");
    }

    static String shares(Entry entry) {
        return entry.shares().isEmpty()
                ? "-"
                : entry.shares().stream().map(s -> format("%.1f", 100 * s)).collect(Collectors.joining(" : "));
    }

    private static String millis(double nanos) {
        return format("%.3f ms", nanos / 1e6);
    }

    private static String percent(@Nullable Double part) {
        return part == null ? "-" : format("%.1f%%", 100 * part);
    }

    private static Function<Entry, String> ratio(Result result, @Nullable Entry yardstick) {
        return entry -> {
            if (yardstick == null) {
                return "-";
            }
            Estimate ratio = result.ratio(yardstick, entry);
            return format("%.3f (%.3f-%.3f)", ratio.value(), ratio.low(), ratio.high());
        };
    }

    /** Medians of whole numbers: whole, or halfway between two. */
    private static String count(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : format("%.1f", value);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
