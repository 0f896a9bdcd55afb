package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.Result.Timed;
import dev.evener.workloads.bench.Statistics.Estimate;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.EnumNames;
import dev.evener.workloads.document.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A result as the JSON object that docs/bench.md describes, and back. Stateless. */
public final class ResultJson {
    private static final int MOST = 10_000;

    private ResultJson() {}

    /** The object. */
    public static Map<String, Object> toMap(Result result) {
        Map<String, Object> map = result.what().toMap();
        map.put("items", result.items());
        map.put("flopsPerItem", result.flopsPerItem());
        map.put("devices", result.devices().stream().map(ResultJson::device).toList());
        map.put("warmUpJobs", result.warmUpJobs());
        map.put("rounds", result.rounds());
        map.put("bestSingle", result.bestSingle().map(Entry::name).orElse(null));
        map.put(
                "contenders",
                result.entries().stream().map(e -> contender(result, e)).toList());
        map.put("sweep", result.sweep().stream().map(ResultJson::timed).toList());
        return map;
    }

    private static Map<String, Object> device(DeviceInfo device) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", device.id());
        map.put("name", device.name());
        map.put("type", device.kind().name().toLowerCase(Locale.ROOT));
        map.put("computeUnits", device.computeUnits());
        return map;
    }

    private static Map<String, Object> contender(Result result, Entry entry) {
        boolean measured = entry.measured();
        double[] nanos = entry.times();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", entry.name());
        map.put("role", EnumNames.text(entry.role()));
        map.put("policy", entry.policy());
        map.put("shares", entry.shares());
        map.put("firstJobsSeconds", known(entry.firstNanos() / 1e9));
        map.put("medianSeconds", measured ? entry.medianNanos() / 1e9 : null);
        map.put("madSeconds", measured ? Statistics.medianAbsoluteDeviation(nanos) / 1e9 : null);
        map.put("lowerQuartileSeconds", measured ? Statistics.quantile(nanos, 0.25) / 1e9 : null);
        map.put("upperQuartileSeconds", measured ? Statistics.quantile(nanos, 0.75) / 1e9 : null);
        map.put("medianWallSeconds", known(entry.wallNanos() / 1e9));
        map.put("latencySeconds", known(entry.latencyNanos() / 1e9));
        map.put("itemsPerSecond", measured ? result.itemsPerSecond(entry) : null);
        map.put("bytes", known(entry.bytes()));
        map.put("bytesPerSecond", measured ? known(result.bytesPerSecond(entry)) : null);
        Map<String, Object> ratios = new LinkedHashMap<>();
        result.yardsticks()
                .forEach((name, yardstick) -> ratios.put(name, measured ? ratio(result, yardstick, entry) : null));
        map.put("ratios", ratios);
        map.put("efficiency", measured ? result.efficiency(entry) : null);
        map.put("chunks", entry.chunks());
        map.put("stolenChunks", entry.steals());
        map.put("recovered", entry.recovered());
        map.put("explanation", entry.explanation().isEmpty() ? null : entry.explanation());
        map.put("verified", entry.verified());
        map.put("problem", entry.problem());
        map.put("seconds", entry.nanos().stream().map(n -> n / 1e9).toList());
        return map;
    }

    private static @Nullable Double known(double value) {
        return value == 0 ? null : value;
    }

    private static Map<String, Object> ratio(Result result, Entry yardstick, Entry entry) {
        Estimate ratio = result.ratio(yardstick, entry);
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("value", ratio.value());
        map.put("low", ratio.low());
        map.put("high", ratio.high());
        return map;
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
     * The result that an object describes.
     *
     * @param what what was measured
     * @param devices the devices that this means on this machine
     * @throws DocumentException if the object is no result of it
     */
    public static Result result(Node object, Case what, List<DeviceInfo> devices) {
        return new Result(
                what,
                object.get("items").whole(1, Long.MAX_VALUE),
                object.get("flopsPerItem").number(0, Double.MAX_VALUE),
                devices,
                (int) object.get("rounds").whole(1, PlanReader.MOST_ROUNDS),
                object.get("warmUpJobs").whole(0, Long.MAX_VALUE),
                object.get("contenders").list(1, MOST).stream()
                        .map(ResultJson::entry)
                        .toList(),
                object.get("sweep").list(0, MOST).stream()
                        .map(ResultJson::timed)
                        .toList());
    }

    private static Entry entry(Node contender) {
        Node policy = contender.find("policy");
        Node verified = contender.find("verified");
        Node explanation = contender.find("explanation");
        Node problem = contender.find("problem");
        Node role = contender.get("role");
        try {
            return new Entry(
                    contender.get("name").text(),
                    EnumNames.named(Role.class, role.text()),
                    policy == null ? null : policy.text(),
                    1e9 * figure(contender, "firstJobsSeconds"),
                    numbers(contender.get("seconds"), PlanReader.MOST_ROUNDS).stream()
                            .map(s -> 1e9 * s)
                            .toList(),
                    1e9 * figure(contender, "medianWallSeconds"),
                    figure(contender, "bytes"),
                    1e9 * figure(contender, "latencySeconds"),
                    numbers(contender.get("shares"), MOST),
                    figure(contender, "chunks"),
                    figure(contender, "stolenChunks"),
                    contender.get("recovered").list(0, MOST).stream()
                            .map(Node::text)
                            .toList(),
                    explanation == null ? "" : explanation.text(),
                    verified == null ? null : verified.flag(),
                    problem == null ? null : problem.text());
        } catch (IllegalArgumentException e) {
            throw role.wrong(String.valueOf(e.getMessage()));
        }
    }

    /** 0 where it is not known. */
    private static double figure(Node object, String name) {
        Node figure = object.find(name);
        return figure == null ? 0 : figure.number(0, Double.MAX_VALUE / 1e9);
    }

    private static List<Double> numbers(Node array, int most) {
        return array.list(0, most).stream().map(n -> n.number(0, 1e300)).toList();
    }

    private static Timed timed(Node split) {
        return new Timed(
                numbers(split.get("split"), MOST),
                numbers(split.get("shares"), MOST),
                Math.rint(1e9 * figure(split, "medianSeconds")),
                (int) split.get("rounds").whole(1, PlanReader.MOST_ROUNDS));
    }
}
