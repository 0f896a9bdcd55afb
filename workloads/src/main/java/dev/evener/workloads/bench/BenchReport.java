package dev.evener.workloads.bench;

import dev.evener.workloads.document.EnumNames;
import dev.evener.workloads.view.Ranking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What {@code bench} found, and the JSON of docs/bench.md. One thread. */
public final class BenchReport {
    private static final double IDLE = 0.5;
    private static final List<String> OF_CASE = List.of(
            "workload", "items", "selector", "devices", "parameters", "distribution", "scenario", "timing", "rounds");
    private static final Set<String> NOT_IN_CSV = Set.of("seconds", "explanation", "recovered");

    private final String experiment;
    private final double load;
    private final List<Result> results = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /**
     * @param experiment its name, or empty if it is none that a file describes
     * @param load threads of all processes that wanted a core in the minute before, or negative where the system does not say
     */
    public BenchReport(String experiment, double load) {
        this.experiment = experiment;
        this.load = load;
    }

    /** One more result. */
    public void add(Result result) {
        results.add(result);
    }

    /** One more line on what went wrong. */
    public void fail(String message) {
        failures.add(message);
    }

    /** In the order in which they were made. */
    public List<Result> results() {
        return results;
    }

    /** A line each. */
    public List<String> failures() {
        return failures;
    }

    /** A line on other processes, which take cores from CPU devices, if the machine was not idle before. */
    public String loadNote() {
        return load < IDLE
                ? ""
                : String.format(Locale.ROOT, "note: the load average was %.1f at the beginning;", load)
                        + " if other processes are running, they disturb these figures" + System.lineSeparator();
    }

    /** For JSON. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("experiment", experiment.isEmpty() ? null : experiment);
        map.put("loadAverage", load < 0 ? null : load);
        map.put("results", results.stream().map(ResultJson::toMap).toList());
        map.put("failures", failures);
        return map;
    }

    /** For a page with charts. */
    public List<Ranking> rankings() {
        return results.stream()
                .map(r -> new Ranking(
                        r.what().title(),
                        r.entries().stream()
                                .filter(Entry::measured)
                                .map(e -> new Ranking.Entry(
                                        e.name(),
                                        EnumNames.text(e.role()).replace('-', ' '),
                                        e.times(),
                                        "shares " + BenchText.shares(e)))
                                .toList()))
                .toList();
    }

    /**
     * As CSV (RFC 4180, but with the system's line ends): the headings, then a row for each contender of each result, with the
     * single values of their JSON, so that both say the same. A figure that is not known is an empty field.
     */
    public String csv() {
        Set<String> headings = new LinkedHashSet<>();
        List<Map<String, String>> rows = new ArrayList<>();
        for (Result result : results) {
            Map<String, Object> map = ResultJson.toMap(result);
            map.put("devices", result.devices().stream().map(d -> d.id()).toList());
            map.keySet().retainAll(OF_CASE);
            for (Object contender : (List<?>) ResultJson.toMap(result).get("contenders")) {
                Map<String, String> row = new LinkedHashMap<>();
                OF_CASE.forEach(name -> row.put(name, text(map.get(name))));
                ((Map<?, ?>) contender).forEach((name, value) -> flatten(row, String.valueOf(name), value));
                headings.addAll(row.keySet());
                rows.add(row);
            }
        }
        StringBuilder csv = new StringBuilder();
        line(csv, headings.stream().map(BenchReport::heading).toList());
        rows.forEach(row ->
                line(csv, headings.stream().map(h -> row.getOrDefault(h, "")).toList()));
        return csv.toString();
    }

    private static void flatten(Map<String, String> row, String name, @Nullable Object value) {
        if (name.equals("ratios")) {
            ((Map<?, ?>) value).forEach((yardstick, ratio) -> {
                if (ratio instanceof Map<?, ?> figures) {
                    figures.forEach((end, figure) ->
                            row.put("x " + yardstick + (end.equals("value") ? "" : " " + end), text(figure)));
                }
            });
        } else if (!NOT_IN_CSV.contains(name)) {
            row.put(name, text(value));
        }
    }

    /** In lower case, words joined by underscores. */
    private static String heading(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1_$2").replaceAll("\\W", "_").toLowerCase(Locale.ROOT);
    }

    private static String text(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(BenchReport::text).collect(Collectors.joining(" "));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(e -> e.getKey() + "=" + e.getValue())
                    .collect(Collectors.joining(" "));
        }
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
            return Long.toString(number.longValue());
        }
        return value == null ? "" : value.toString();
    }

    private static void line(StringBuilder csv, List<String> cells) {
        csv.append(cells.stream()
                        .map(c -> c.matches("(?s).*[,\"\\n\\r].*") ? '"' + c.replace("\"", "\"\"") + '"' : c)
                        .collect(Collectors.joining(",")))
                .append(System.lineSeparator());
    }
}
