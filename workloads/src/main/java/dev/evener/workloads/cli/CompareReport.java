package dev.evener.workloads.cli;

import dev.evener.workloads.experiment.Comparison;
import dev.evener.workloads.experiment.ComparisonJson;
import dev.evener.workloads.experiment.Outcome;
import dev.evener.workloads.experiment.Role;
import dev.evener.workloads.experiment.Settings;
import dev.evener.workloads.experiment.Setup;
import dev.evener.workloads.view.Ranking;
import dev.evener.workloads.workload.Distribution;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What {@code compare} found, and the JSON of docs/compare.md. One thread. */
final class CompareReport {
    private static final double IDLE = 0.5;

    private final String experiment;
    private final Settings settings;
    private final Distribution distribution;

    /** Threads of all processes that wanted a core in the minute before, or negative where the system does not say. */
    private final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();

    private final List<Result> results = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /**
     * One comparison.
     *
     * @param setup what was to be made
     */
    record Result(Setup setup, Comparison comparison) {
        /** For a page with charts. */
        Ranking ranking() {
            return new Ranking(
                    CompareText.title(setup),
                    comparison.outcomes().stream()
                            .map(o -> new Ranking.Entry(o.name(), group(o.role()), o.nanos(), note(o)))
                            .toList());
        }

        private static String group(Role role) {
            return switch (role) {
                case SINGLE -> "one device alone";
                case BEST_STATIC -> "best static split of a sweep";
                case POLICY -> "policy";
            };
        }

        private static String note(Outcome outcome) {
            return outcome.shares().stream()
                    .map(s -> String.format(Locale.ROOT, "%.0f", 100 * s))
                    .collect(Collectors.joining(" : ", "shares ", ""));
        }
    }

    /** @param experiment its name, or empty if it is none that a file describes */
    CompareReport(String experiment, Settings settings, Distribution distribution) {
        this.experiment = experiment;
        this.settings = settings;
        this.distribution = distribution;
    }

    void add(Setup setup, Comparison comparison) {
        results.add(new Result(setup, comparison));
    }

    void fail(String message) {
        failures.add(message);
    }

    List<Result> results() {
        return results;
    }

    List<String> failures() {
        return failures;
    }

    /** A line on other processes, which take cores from CPU devices, if the machine was not idle before. */
    String loadNote() {
        return load < IDLE
                ? ""
                : String.format(Locale.ROOT, "note: the load average was %.1f at the beginning;", load)
                        + " if other processes are running, they disturb these figures" + System.lineSeparator();
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("experiment", experiment.isEmpty() ? null : experiment);
        map.put("loadAverage", load < 0 ? null : load);
        map.put("distribution", distribution.text());
        map.put("seed", settings.seed());
        map.put("sweepSteps", settings.sweepSteps());
        map.put("warmUpSeconds", settings.warmUp().toNanos() / 1e9);
        map.put(
                "comparisons",
                results.stream()
                        .map(r -> ComparisonJson.toMap(r.setup(), r.comparison()))
                        .toList());
        map.put("failures", failures);
        return map;
    }
}
