package dev.evener.workloads.cli.report;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.frames.StreamReport;
import dev.evener.frames.StreamReport.MappedFrame;
import dev.evener.frames.StreamReport.Times;
import dev.evener.kernels.pipeline.PipelineReport.StageUse;
import dev.evener.kernels.tonemap.ToneMapSettings;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.view.Activity;
import dev.evener.workloads.view.Activity.Span;
import dev.evener.workloads.view.HtmlReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The report of a stream of frames: a table for people, and the JSON of docs/report.md. Figures of a "typical frame" are
 * medians over the second half of the frames, when the history has settled.
 */
public final class TonemapReport {
    private final ToneMapSettings settings;
    private final StreamReport stream;
    private final List<MappedFrame> results;
    private final WarmUp warmUp;
    private final List<DeviceInfo> devices;
    private final DeviceTotals totals;
    private final FrameTimes times;

    public TonemapReport(ToneMapSettings settings, StreamReport stream, WarmUp warmUp, List<DeviceInfo> devices) {
        this.settings = settings;
        this.stream = stream;
        this.results = stream.frames();
        this.warmUp = warmUp;
        this.devices = devices;
        this.totals = new DeviceTotals(stream.jobs(), devices);
        this.times = new FrameTimes(stream, totals);
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        if (!results.isEmpty()) {
            text.append(totals.table("frame", this::busyNanos)
                    .column(">of the run", lane -> format("%.1f%%", 100 * times.busy(lane)))
                    .column(">Mpixel/s", lane -> totals.speed(lane, "%.0f", pixels(lane) * 1e3))
                    .of(totals.lanes()));
        }
        text.append(format(
                "%s in %.3f s: %.1f frames/s",
                TextTable.counted(results.size(), "frame"), seconds(), stream.framesPerSecond()));
        if (!results.isEmpty()) {
            text.append(format(
                    "; a frame takes the devices %.3f ms",
                    median(r -> r.report().deviceNanos()) / 1e6));
            speedUp()
                    .ifPresent(s ->
                            text.append(format(", %.2f x the best single device (estimated from the history)", s)));
        }
        text.append(System.lineSeparator());
        if (!results.isEmpty()) {
            text.append(limits()).append(times.text());
            text.append(warmUp.text("frame", results.get(0).report()));
        }
        named("layer", MappedFrame::layer, text);
        named("primaries", TonemapReport::primaries, text);
        stream.written().stream()
                .map(Path::toString)
                .forEach(f -> text.append(f).append(System.lineSeparator()));
        return text.toString();
    }

    /** Median over the frames that a device had a part in: of the second half, or of all if it had none there; NaN if it had none. */
    private double busyNanos(int lane) {
        return Stream.of(settled(), results)
                .map(over -> over.stream()
                        .map(r -> use(r, lane))
                        .filter(u -> u.units() > 0)
                        .mapToDouble(DeviceUse::busyNanos)
                        .toArray())
                .filter(busy -> busy.length > 0)
                .findFirst()
                .map(Statistics::median)
                .orElse(Double.NaN);
    }

    /** How many frames there are of each name, if it has any letter. */
    private void named(String what, Function<MappedFrame, String> name, StringBuilder text) {
        Map<String, Long> counts = results.stream()
                .map(name)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.groupingBy(each -> each, TreeMap::new, Collectors.counting()));
        counts.forEach((each, frames) -> text.append(
                        format("%s %s: %s", what, each, TextTable.counted(frames, "frame")))
                .append(System.lineSeparator()));
    }

    /** What is doubtful about files, a line for each doubt with the first file that it is about. */
    public List<String> warnings() {
        Map<String, Set<String>> files = new LinkedHashMap<>();
        results.forEach(frame -> frame.warnings()
                .forEach(warning -> files.computeIfAbsent(warning, w -> new LinkedHashSet<>())
                        .add(frame.source().toString())));
        return files.entrySet().stream()
                .map(each -> each.getValue().iterator().next() + ": " + each.getKey()
                        + (each.getValue().size() == 1
                                ? ""
                                : "; so of " + TextTable.counted(each.getValue().size(), "frame")))
                .toList();
    }

    /** Empty for those of displays. */
    private static String primaries(MappedFrame frame) {
        return frame.primaries().isRec709() ? "" : frame.primaries().name();
    }

    private String limits() {
        List<String> parts = new ArrayList<>();
        for (StageUse stage : stream.pipeline().stages()) {
            double held =
                    100.0 * stage.heldNanos() / Math.max(1, stream.pipeline().wallNanos());
            parts.add(format("%s %.0f%% of the time", stage.name(), held));
        }
        return "bottleneck: " + bottleneck() + " (" + String.join(", ", parts) + ")" + System.lineSeparator();
    }

    /** Why the last frame's devices were chosen; empty if there was nothing to decide. */
    public String explanation() {
        return results.isEmpty() ? "" : results.get(results.size() - 1).report().explain();
    }

    /** What went wrong on a device and was made good by others, each once. */
    public List<String> recovered() {
        return totals.recovered();
    }

    public Map<String, Object> toMap(String policy, boolean verify, List<String> unnamed, List<String> mismatches) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("workload", "tonemap");
        map.put("operator", settings.operator().commandLineName());
        map.put("policy", results.isEmpty() ? null : policy);
        map.put("units", totals.units());
        map.put("buildSeconds", warmUp.buildNanos() / 1e9);
        map.put("wallSeconds", seconds());
        map.put("verified", verify ? mismatches.isEmpty() && !results.isEmpty() : null);
        List<String> failures = new ArrayList<>(unnamed);
        stream.failures().forEach(f -> failures.add(f.message()));
        failures.addAll(mismatches);
        failures.addAll(recovered());
        map.put("failures", failures);
        map.put("warnings", warnings());
        map.put("devices", totals.toList());
        map.put("frames", results.size());
        map.put("warmUpFrames", warmUp.times());
        map.put("framesPerSecond", stream.framesPerSecond());
        map.put("bottleneck", bottleneck());
        map.put("stages", stream.pipeline().stages().stream().map(this::stage).toList());
        map.put("typicalFrame", results.isEmpty() ? null : typical());
        times.addTo(map);
        map.put("written", stream.written().stream().map(Path::toString).toList());
        map.put("frameList", results.stream().map(this::frame).toList());
        return map;
    }

    private Map<String, Object> typical() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("deviceSeconds", median(r -> r.report().deviceNanos()) / 1e9);
        map.put("wallSeconds", median(r -> r.report().wallNanos()) / 1e9);
        map.put("overheadSeconds", median(r -> r.report().overheadNanos()) / 1e9);
        map.put("busyImbalance", median(TonemapReport::imbalance));
        OptionalDouble speedUp = speedUp();
        map.put("speedUpOverBestSingle", speedUp.isPresent() ? speedUp.getAsDouble() : null);
        return map;
    }

    /** Shows how busy threads were, and how much was under way. */
    public void stages(HtmlReport page) {
        page.stages(
                List.of(host("read", Times::readFrom, Times::readTo)),
                List.of(
                        host("write", Times::writeFrom, Times::writeTo),
                        Activity.ofCount("frames under way", spans(Times::readFrom, Times::writeTo, t -> 1)),
                        Activity.ofBytes("their buffers", spans(Times::readFrom, Times::writeTo, Times::bytes))));
    }

    private Activity host(String stage, ToLongFunction<Times> from, ToLongFunction<Times> to) {
        int threads = stream.pipeline().stages().stream()
                .filter(s -> s.name().equals(stage))
                .mapToInt(StageUse::threads)
                .sum();
        return Activity.of(stage + ", " + TextTable.counted(threads, "thread"), threads, spans(from, to, t -> 1));
    }

    private List<Span> spans(ToLongFunction<Times> from, ToLongFunction<Times> to, ToDoubleFunction<Times> amount) {
        return results.stream()
                .map(MappedFrame::times)
                .map(t -> new Span(from.applyAsLong(t), to.applyAsLong(t), amount.applyAsDouble(t)))
                .toList();
    }

    private Map<String, Object> stage(StageUse stage) {
        boolean onHost = stage.threads() > 0;
        int workers = onHost ? stage.threads() : devices.size();
        long busy = onHost
                ? stage.wallNanos()
                : stage.busyNanos().values().stream().mapToLong(n -> n).sum();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("stage", stage.name());
        map.put("workers", workers);
        map.put("frames", stage.jobs());
        map.put("busySeconds", busy / 1e9);
        map.put("waitingSeconds", Math.max(0, workers * stream.pipeline().wallNanos() - busy) / 1e9);
        map.put("heldSeconds", stage.heldNanos() / 1e9);
        return map;
    }

    private Map<String, Object> frame(MappedFrame result) {
        Report report = result.report();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("input", result.source().toString());
        map.put("layer", result.layer().isEmpty() ? null : result.layer());
        map.put("primaries", result.primaries().name());
        map.put("width", result.layout().width());
        map.put("height", result.layout().height());
        map.put("shares", totals.each(report, DeviceUse::share));
        map.put("busySeconds", totals.each(report, d -> d.busyNanos() / 1e9));
        map.put("busyImbalance", imbalance(result));
        map.put("deviceSeconds", report.deviceNanos() / 1e9);
        map.put("wallSeconds", report.wallNanos() / 1e9);
        map.put("overheadSeconds", report.overheadNanos() / 1e9);
        return map;
    }

    /** How far the busy times of a frame lie apart: (longest - shortest) / longest, over devices with a share. */
    private static double imbalance(MappedFrame result) {
        double[] busy = result.report().devices().stream()
                .filter(d -> d.units() > 0)
                .mapToDouble(DeviceUse::busyNanos)
                .toArray();
        double longest = Arrays.stream(busy).max().orElse(0);
        return longest == 0 ? 0 : (longest - Arrays.stream(busy).min().orElse(0)) / longest;
    }

    /** Over the best single device, where frames are split and the history knows what each would need for the whole frame. */
    private OptionalDouble speedUp() {
        List<MappedFrame> known = settled().stream()
                .filter(r -> r.report().deviceNanos() > 0
                        && r.report().devices().stream()
                                        .filter(d -> d.units() > 0)
                                        .count()
                                > 1
                        && r.report().devices().stream().allMatch(d -> d.aloneNanos() > 0))
                .toList();
        if (known.isEmpty() || known.size() < settled().size()) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(Statistics.median(known, r -> {
            long alone = r.report().devices().stream()
                    .mapToLong(DeviceUse::aloneNanos)
                    .min()
                    .orElse(0);
            return alone / (double) r.report().deviceNanos();
        }));
    }

    private double pixels(int lane) {
        return results.stream()
                .mapToDouble(r -> (double) use(r, lane).units() * r.layout().width())
                .sum();
    }

    private List<MappedFrame> settled() {
        return results.subList(results.size() / 2, results.size());
    }

    private double median(ToDoubleFunction<MappedFrame> figure) {
        return Statistics.median(settled(), figure);
    }

    private @Nullable String bottleneck() {
        return results.isEmpty() ? null : stream.pipeline().bottleneck().name();
    }

    private double seconds() {
        return stream.pipeline().wallNanos() / 1e9;
    }

    private DeviceUse use(MappedFrame result, int lane) {
        return totals.use(result.report(), lane);
    }
}
