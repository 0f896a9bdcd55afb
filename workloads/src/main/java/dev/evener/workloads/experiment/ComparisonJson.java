package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A comparison as the JSON object that docs/compare.md describes, and back. Stateless. */
public final class ComparisonJson {
    private static final int MOST = 10_000;

    private ComparisonJson() {}

    /** The object. */
    public static Map<String, Object> toMap(Setup setup, Comparison comparison) {
        Outcome bestStatic = comparison.bestStatic();
        Scenario scenario = setup.scenario();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("workload", comparison.workload().name());
        map.put("item", comparison.workload().item());
        map.put("parameters", comparison.request().values().toMap());
        map.put("itemsAsked", comparison.request().items());
        map.put("items", comparison.items());
        map.put("bytesPerItem", comparison.bytesPerItem());
        map.put("flopsPerItem", comparison.flopsPerItem());
        map.put("unit", comparison.workload().about().unit());
        map.put("selector", setup.set().toString());
        map.put("scenario", scenario.name().isEmpty() ? null : scenario.name());
        map.put("faults", scenario.faults());
        map.put(
                "faultsFrom",
                scenario.faults().isEmpty() ? null : scenario.from().text());
        map.put(
                "devices",
                comparison.devices().stream().map(ComparisonJson::device).toList());
        map.put("warmUpJobs", comparison.warmUpJobs());
        map.put("rounds", comparison.rounds());
        map.put("bestSingle", comparison.bestSingle().name());
        map.put("bestStatic", bestStatic == null ? null : bestStatic.shares());
        map.put(
                "contenders",
                comparison.outcomes().stream()
                        .map(o -> contender(comparison, o))
                        .toList());
        map.put("sweep", comparison.sweep().stream().map(ComparisonJson::timed).toList());
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
        map.put("firstJobsSeconds", outcome.firstNanos() == 0 ? null : outcome.firstNanos() / 1e9);
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
        map.put("explanation", outcome.explanation().isEmpty() ? null : outcome.explanation());
        map.put("verified", outcome.verified());
        map.put("seconds", outcome.wallNanos().stream().map(n -> n / 1e9).toList());
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

    /**
     * The comparison that an object describes.
     *
     * @param setup what was measured
     * @param devices the devices that this means on this machine
     * @throws DocumentException if the object is no comparison of it
     */
    public static Comparison comparison(Node object, Setup setup, List<DeviceInfo> devices) {
        List<Outcome> outcomes = new ArrayList<>();
        for (Node contender : object.get("contenders").list(1, MOST)) {
            outcomes.add(outcome(contender, devices.size()));
        }
        return new Comparison(
                setup.request(),
                object.get("items").whole(1, Long.MAX_VALUE),
                figure(object, "bytesPerItem"),
                figure(object, "flopsPerItem"),
                devices,
                (int) object.get("rounds").whole(1, Settings.MOST_ROUNDS),
                object.get("warmUpJobs").whole(0, Long.MAX_VALUE),
                outcomes,
                outcomes.stream()
                        .filter(o -> o.name().equals(object.get("bestSingle").text()))
                        .findFirst()
                        .orElseThrow(() -> object.get("bestSingle").wrong("there is no such contender")),
                outcomes.stream()
                        .filter(o -> o.role() == Role.BEST_STATIC)
                        .findFirst()
                        .orElse(null),
                object.get("sweep").list(0, MOST).stream()
                        .map(ComparisonJson::timed)
                        .toList(),
                List.of());
    }

    private static Outcome outcome(Node contender, int devices) {
        List<Long> nanos = contender.get("seconds").list(1, Settings.MOST_ROUNDS).stream()
                .map(s -> Math.round(s.number(0, 1e9) * 1e9))
                .toList();
        Node ofBestStatic = contender.find("ofBestStatic");
        Node verified = contender.find("verified");
        Node efficiency = contender.find("efficiency");
        Node explanation = contender.find("explanation");
        Node role = contender.get("role");
        Node first = contender.find("firstJobsSeconds"); // which results of earlier builds do not have
        try {
            return new Outcome(
                    contender.get("name").text(),
                    Role.named(role.text()),
                    contender.get("policy").text(),
                    first == null ? 0 : 1e9 * first.number(0, Double.MAX_VALUE / 1e9),
                    nanos,
                    numbers(contender.get("shares"), devices, devices),
                    figure(contender, "chunks"),
                    figure(contender, "stolenChunks"),
                    contender.get("recovered").list(0, MOST).stream()
                            .map(Node::text)
                            .toList(),
                    explanation == null ? "" : explanation.text(),
                    estimate(contender, "overBestSingle"),
                    ofBestStatic == null ? null : estimate(contender, "ofBestStatic"),
                    efficiency == null ? null : efficiency.number(0, Double.MAX_VALUE),
                    verified == null ? null : verified.flag());
        } catch (IllegalArgumentException e) {
            throw role.wrong(String.valueOf(e.getMessage()));
        }
    }

    private static Estimate estimate(Node contender, String name) {
        ToDoubleFunction<String> end = part -> figure(contender, name + part);
        return new Estimate(end.applyAsDouble(""), end.applyAsDouble("Low"), end.applyAsDouble("High"));
    }

    private static double figure(Node object, String name) {
        return object.get(name).number(0, Double.MAX_VALUE);
    }

    private static List<Double> numbers(Node array, int least, int most) {
        return array.list(least, most).stream().map(n -> n.number(0, 1e300)).toList();
    }

    private static Timed timed(Node split) {
        return new Timed(
                numbers(split.get("split"), 1, MOST),
                numbers(split.get("shares"), 1, MOST),
                figure(split, "medianSeconds") * 1e9,
                (int) split.get("rounds").whole(1, Settings.MOST_ROUNDS));
    }
}
