package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.workloads.experiment.Comparison;
import dev.evener.workloads.experiment.Estimate;
import dev.evener.workloads.experiment.Outcome;
import dev.evener.workloads.experiment.Role;
import dev.evener.workloads.experiment.Settings;
import dev.evener.workloads.experiment.Statistics;
import dev.evener.workloads.experiment.Timed;
import dev.evener.workloads.view.Ranking;
import dev.evener.workloads.workload.Distribution;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What {@code compare} found, and the JSON of docs/compare.md. One thread. */
final class CompareReport {
    private static final double IDLE = 0.5;

    private final Settings settings;
    private final Distribution distribution;

    /** Threads of all processes that wanted a core in the minute before, or negative where the system does not say. */
    private final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();

    private final List<Result> results = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /**
     * One comparison.
     *
     * @param set the devices as they were asked for
     */
    record Result(DeviceSelector set, Comparison comparison) {
        /** What was compared, in a few words. */
        String title() {
            return comparison.workload().name() + ", " + Sizes.text(comparison.items()) + " "
                    + comparison.workload().item() + "s" + CompareText.details(comparison.request()) + " on " + set;
        }

        /** For a page with charts. */
        Ranking ranking() {
            return new Ranking(
                    title(),
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

    CompareReport(Settings settings, Distribution distribution) {
        this.settings = settings;
        this.distribution = distribution;
    }

    void add(DeviceSelector set, Comparison comparison) {
        results.add(new Result(set, comparison));
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
        map.put("loadAverage", load < 0 ? null : load);
        map.put("distribution", distribution.text());
        map.put("seed", settings.seed());
        map.put("sweepSteps", settings.sweepSteps());
        map.put("warmUpSeconds", settings.warmUp().toNanos() / 1e9);
        map.put("comparisons", results.stream().map(CompareReport::comparison).toList());
        map.put("failures", failures);
        return map;
    }

    private static Map<String, Object> comparison(Result result) {
        Comparison comparison = result.comparison();
        Outcome bestStatic = comparison.bestStatic();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("workload", comparison.workload().name());
        map.put("item", comparison.workload().item());
        map.put("parameters", comparison.request().values().toMap());
        map.put("itemsAsked", comparison.request().items());
        map.put("items", comparison.items());
        map.put("bytesPerItem", comparison.bytesPerItem());
        map.put("flopsPerItem", comparison.flopsPerItem());
        map.put("unit", comparison.workload().about().unit());
        map.put("selector", result.set().toString());
        map.put(
                "devices",
                comparison.devices().stream().map(CompareReport::device).toList());
        map.put("warmUpJobs", comparison.warmUpJobs());
        map.put("rounds", comparison.rounds());
        map.put("bestSingle", comparison.bestSingle().name());
        map.put("bestStatic", bestStatic == null ? null : bestStatic.shares());
        map.put(
                "contenders",
                comparison.outcomes().stream()
                        .map(o -> contender(comparison, o))
                        .toList());
        map.put("sweep", comparison.sweep().stream().map(CompareReport::timed).toList());
        return map;
    }

    private static Map<String, Object> device(DeviceInfo device) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", device.id());
        map.put("name", device.name());
        map.put("type", device.kind().name().toLowerCase(Locale.ROOT));
        return map;
    }

    private static Map<String, Object> contender(Comparison comparison, Outcome outcome) {
        double[] nanos = outcome.nanos();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", outcome.name());
        map.put("role", outcome.role().text());
        map.put("policy", outcome.policy());
        map.put("shares", outcome.shares());
        map.put("medianSeconds", outcome.medianNanos() / 1e9);
        map.put("madSeconds", Statistics.medianAbsoluteDeviation(nanos) / 1e9);
        map.put("lowerQuartileSeconds", Statistics.quantile(nanos, 0.25) / 1e9);
        map.put("upperQuartileSeconds", Statistics.quantile(nanos, 0.75) / 1e9);
        map.put("itemsPerSecond", comparison.items() / outcome.medianNanos() * 1e9);
        estimate(map, "overBestSingle", outcome.overBestSingle());
        estimate(map, "ofBestStatic", outcome.ofBestStatic());
        map.put("efficiency", outcome.efficiency());
        map.put("chunks", outcome.chunks());
        map.put("stolenChunks", outcome.steals());
        map.put("recovered", outcome.recovered());
        map.put("verified", outcome.verified());
        map.put("seconds", Arrays.stream(nanos).mapToObj(n -> n / 1e9).toList());
        return map;
    }

    private static void estimate(Map<String, Object> map, String name, @Nullable Estimate estimate) {
        map.put(name, estimate == null ? null : estimate.value());
        map.put(name + "Low", estimate == null ? null : estimate.low());
        map.put(name + "High", estimate == null ? null : estimate.high());
    }

    private static Map<String, Object> timed(Timed timed) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("split", timed.split());
        map.put("shares", timed.shares());
        map.put("medianSeconds", timed.medianNanos() / 1e9);
        map.put("rounds", timed.rounds());
        return map;
    }
}
