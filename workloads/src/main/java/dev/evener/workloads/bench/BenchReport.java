package dev.evener.workloads.bench;

import dev.evener.workloads.document.EnumNames;
import dev.evener.workloads.view.Ranking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What {@code bench} found, and the JSON of docs/bench.md. One thread. */
public final class BenchReport {
    private static final double IDLE = 0.5;

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
}
