package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.workloads.document.Node;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.view.Ranking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

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
            "workload",
            "items",
            "selector",
            "devices",
            "parameters",
            "distribution",
            "scenario",
            "timing",
            "rounds",
            "processes");
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

    /** All tables; a row of CSV is a contender of a result, with the single values of their JSON, so that both say the same. */
    public Tables tables(boolean details) {
        Tables tables = new Tables();
        results.forEach(result -> BenchText.add(tables, result, details));
        if (results.size() > 1) {
            tables.add("Beside the best single device", BenchText.summary(results), results);
        }
        return tables.rows(OF_CASE, this::contenders);
    }

    private List<Map<String, Object>> contenders() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Result result : results) {
            Map<String, Object> map = ResultsFile.toMap(result);
            map.put("devices", result.devices().stream().map(DeviceInfo::id).toList());
            map.put(
                    "parameters",
                    ((Map<?, ?>) map.get("parameters"))
                            .entrySet().stream().map(String::valueOf).toList());
            for (Entry entry : result.entries()) {
                Map<String, Object> row = new LinkedHashMap<>();
                OF_CASE.forEach(name -> row.put(name, map.get(name)));
                ResultsFile.contender(result, entry)
                        .forEach((name, value) -> row.put(name.equals("ratios") ? "x" : name, value));
                row.keySet().removeAll(NOT_IN_CSV);
                rows.add(row);
            }
        }
        return rows;
    }
}
