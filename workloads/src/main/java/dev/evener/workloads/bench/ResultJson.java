package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.workloads.bench.Entry.Role;
import dev.evener.workloads.bench.Result.Timed;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Node;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
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

    /** What a contender achieved, by the names that JSON and CSV have for it; figures that are not known are null. */
    static Map<String, Object> contender(Result result, Entry entry) {
        double[] nanos = entry.times();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", entry.name());
        map.put("role", Node.name(entry.role()));
        map.put("policy", entry.policy());
        map.put("shares", entry.shares());
        map.put("firstJobsSeconds", known(entry.firstNanos() / 1e9));
        map.put("medianSeconds", measured(entry, () -> entry.medianNanos() / 1e9));
        map.put("madSeconds", measured(entry, () -> Statistics.medianAbsoluteDeviation(nanos) / 1e9));
        map.put("lowerQuartileSeconds", measured(entry, () -> Statistics.quantile(nanos, 0.25) / 1e9));
        map.put("upperQuartileSeconds", measured(entry, () -> Statistics.quantile(nanos, 0.75) / 1e9));
        map.put("medianWallSeconds", known(entry.wallNanos() / 1e9));
        map.put("latencySeconds", known(entry.latencyNanos() / 1e9));
        map.put("itemsPerSecond", measured(entry, () -> result.itemsPerSecond(entry)));
        map.put("bytes", known(entry.bytes()));
        map.put("bytesPerSecond", measured(entry, () -> known(result.bytesPerSecond(entry))));
        Map<String, Object> ratios = new LinkedHashMap<>();
        result.yardsticks()
                .forEach((name, yardstick) -> ratios.put(
                        name,
                        measured(entry, () -> result.ratio(yardstick, entry).toMap())));
        map.put("ratios", ratios);
        map.put("efficiency", measured(entry, () -> result.efficiency(entry)));
        map.put("chunks", entry.chunks());
        map.put("stolenChunks", entry.steals());
        map.put("recovered", entry.recovered());
        map.put("explanation", entry.explanation().isEmpty() ? null : entry.explanation());
        map.put("verified", entry.verified());
        map.put("problem", entry.problem());
        map.put("seconds", entry.nanos().stream().map(n -> n / 1e9).toList());
        return map;
    }

    private static @Nullable Object measured(Entry entry, Supplier<? extends @Nullable Object> figure) {
        return entry.measured() ? figure.get() : null;
    }

    private static @Nullable Double known(double value) {
        return value == 0 ? null : value;
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
                figure(object, "flopsPerItem"),
                devices,
                (int) object.get("rounds").whole(1, PlanReader.MOST_ROUNDS),
                object.get("warmUpJobs").whole(0, Long.MAX_VALUE),
                object.get("contenders").list(1, MOST, ResultJson::entry),
                object.get("sweep").list(0, MOST, ResultJson::timed));
    }

    private static Entry entry(Node contender) {
        return new Entry(
                contender.get("name").text(),
                contender.get("role").constant(Role.class),
                contender.<@Nullable String>find("policy", null, Node::text),
                1e9 * figure(contender, "firstJobsSeconds"),
                numbers(contender, "seconds").stream().map(s -> 1e9 * s).toList(),
                1e9 * figure(contender, "medianWallSeconds"),
                figure(contender, "bytes"),
                1e9 * figure(contender, "latencySeconds"),
                numbers(contender, "shares"),
                figure(contender, "chunks"),
                figure(contender, "stolenChunks"),
                contender.get("recovered").list(0, MOST, Node::text),
                contender.find("explanation", "", Node::text),
                contender.<@Nullable Boolean>find("verified", null, Node::flag),
                contender.<@Nullable String>find("problem", null, Node::text));
    }

    /** 0 where it is not known. */
    private static double figure(Node object, String name) {
        return object.find(name, 0.0, n -> n.number(0, Double.MAX_VALUE / 1e9));
    }

    private static List<Double> numbers(Node object, String name) {
        return object.get(name).list(0, PlanReader.MOST_ROUNDS, n -> n.number(0, 1e300));
    }

    private static Timed timed(Node split) {
        return new Timed(
                numbers(split, "split"),
                numbers(split, "shares"),
                Math.rint(1e9 * figure(split, "medianSeconds")),
                (int) split.get("rounds").whole(1, PlanReader.MOST_ROUNDS));
    }
}
