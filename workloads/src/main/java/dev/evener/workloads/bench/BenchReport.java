package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.view.Ranking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code bench} found, and the JSON of docs/bench.md. One thread.
 *
 * @param experiment its name, or empty if it is none that a file describes
 * @param load threads of all processes that wanted a core in the minute before, or negative where the system does not say
 * @param results in the order in which they were made; to be added to
 * @param failures a line each on what went wrong; to be added to
 */
public record BenchReport(String experiment, double load, List<Result> results, List<String> failures) {
    private static final double IDLE = 0.5;
    private static final List<String> OF_CASE = List.of(
            "workload", "items", "selector", "devices", "parameters", "distribution", "scenario", "timing", "rounds");
    private static final Set<String> NOT_IN_CSV = Set.of("firstJobs", "seconds", "explanation", "recovered");

    /** Empty as yet. */
    public BenchReport(String experiment, double load) {
        this(experiment, load, new ArrayList<>(), new ArrayList<>());
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
        map.put("results", results.stream().map(ResultsFile::toMap).toList());
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
                                        Node.name(e.role()).replace('-', ' '),
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
        Set<String> headings = new LinkedHashSet<>(OF_CASE);
        List<Map<String, String>> rows = new ArrayList<>();
        for (Result result : results) {
            Map<String, Object> map = ResultsFile.toMap(result);
            map.put("devices", result.devices().stream().map(DeviceInfo::id).toList());
            for (Entry entry : result.entries()) {
                Map<String, String> row = new LinkedHashMap<>();
                OF_CASE.forEach(name -> row.put(name, text(map.get(name))));
                ResultsFile.contender(result, entry).forEach((name, value) -> flatten(row, name, value));
                headings.addAll(row.keySet());
                rows.add(row);
            }
        }
        Stream<Stream<String>> lines = Stream.concat(
                Stream.of(headings.stream().map(BenchReport::heading)),
                rows.stream().map(row -> headings.stream().map(h -> row.getOrDefault(h, ""))));
        return lines.map(cells -> cells.map(BenchReport::quoted).collect(Collectors.joining(",")))
                .map(line -> line + System.lineSeparator())
                .collect(Collectors.joining());
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
            return map.entrySet().stream().map(String::valueOf).collect(Collectors.joining(" "));
        }
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
            return Long.toString(number.longValue());
        }
        return value == null ? "" : value.toString();
    }

    private static String quoted(String cell) {
        return cell.matches("(?s).*[,\"\\n\\r].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }
}
