package dev.evener.workloads.cli.report;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.workloads.document.Statistics;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What {@code run} reports: a table for people, and the JSON of docs/report.md. */
public final class RunReport {
    private final Request request;
    private final List<Report> reports;
    private final WarmUp warmUp;
    private final DeviceTotals totals;
    private final long items;
    private final double[] bytes; // that each run moved
    private final double flopsPerItem;
    private final @Nullable String result;
    private final double[] nanos;
    private final double median;

    /**
     * @param prepared what was run, its last run over
     * @param reports the runs that count, at least one
     */
    public RunReport(
            Request request, PreparedWorkload prepared, List<Report> reports, WarmUp warmUp, List<DeviceInfo> devices) {
        this.request = request;
        this.reports = List.copyOf(reports);
        this.warmUp = warmUp;
        this.totals = new DeviceTotals(this.reports, devices);
        this.items = prepared.items();
        this.bytes = reports.stream()
                .mapToDouble(r -> items * prepared.bytesPerItem(r))
                .toArray();
        this.flopsPerItem = prepared.flopsPerItem();
        this.result = prepared.result();
        this.nanos = reports.stream().mapToDouble(Report::wallNanos).toArray();
        this.median = Statistics.median(nanos);
    }

    /** What went wrong on a device and was made good by others. */
    public List<String> recovered() {
        return totals.recovered();
    }

    /** What was run, in a few words. */
    public String title() {
        return request.workload().amount(items);
    }

    public String text(@Nullable Boolean verified, @Nullable Path written) {
        StringBuilder text = new StringBuilder(table());
        text.append(format(
                "%s, %s, %s: %.3f ms, %s",
                request.workload().name(),
                TextTable.counted(items, request.workload().item()),
                data(),
                median / 1e6,
                rates()));
        if (reports.size() > 1) {
            text.append(format(
                    "; median of %d runs, spread %.1f%%",
                    reports.size(), 100 * Statistics.medianAbsoluteDeviation(nanos) / median));
        }
        text.append(System.lineSeparator());
        text.append(warmUp.text("run", reports.get(0)));
        if (result != null) {
            text.append("result: ").append(result).append(System.lineSeparator());
        }
        if (verified != null) {
            text.append(verified ? "verified: the result is right" : "verified: THE RESULT IS WRONG")
                    .append(System.lineSeparator());
        }
        if (written != null) {
            text.append(written).append(System.lineSeparator());
        }
        return text.toString();
    }

    private String table() {
        return totals.table(
                        "run",
                        lane -> Statistics.median(
                                reports, r -> totals.use(r, lane).busyNanos()))
                .column(
                        ">M" + request.workload().item() + "/s",
                        lane -> totals.speed(lane, "%.1f", totals.share(lane) * items * reports.size() * 1e3))
                .column(">GB/s", lane -> totals.speed(lane, "%.2f", moved(lane)))
                .of(totals.lanes());
    }

    /** Bytes that a device read and wrote. */
    private double moved(int lane) {
        return IntStream.range(0, bytes.length)
                .mapToDouble(r -> totals.use(reports.get(r), lane).share() * bytes[r])
                .sum();
    }

    private String rates() {
        double count = (double) items;
        String rates = format(
                "%.1f M%ss/s, %.2f GB/s",
                count / median * 1e3, request.workload().item(), bytesPerNano());
        return flopsPerItem == 0 ? rates : rates + format(", %.2f Gflop/s", count * flopsPerItem / median);
    }

    /** The median over the runs: one may move less than another, in a form for one device. */
    private double bytesPerNano() {
        return Statistics.median(IntStream.range(0, bytes.length)
                .mapToDouble(r -> bytes[r] / nanos[r])
                .toArray());
    }

    /** Where the data came from, and what was set. */
    private String data() {
        List<String> parts = new ArrayList<>();
        Distribution distribution = request.distribution();
        if (distribution != null) {
            parts.add(distribution.text());
            parts.add("seed " + request.seed());
        }
        request.files().forEach(f -> parts.add("from " + f.path()));
        String changed = request.values().changed();
        if (!changed.isEmpty()) {
            parts.add(changed);
        }
        parts.add("policy " + reports.get(0).policy());
        return String.join(", ", parts);
    }

    /** Why the last run's devices were chosen; empty if there was nothing to decide. */
    public String explanation() {
        return reports.get(reports.size() - 1).explain();
    }

    public Map<String, Object> toMap(@Nullable Boolean verified, List<String> failures, @Nullable Path written) {
        Distribution distribution = request.distribution();
        List<String> all = new ArrayList<>(failures);
        all.addAll(recovered());
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("workload", request.workload().name());
        map.put("policy", reports.get(0).policy());
        map.put("units", totals.units());
        map.put("buildSeconds", warmUp.buildNanos() / 1e9);
        map.put("wallSeconds", reports.stream().mapToLong(Report::wallNanos).sum() / 1e9);
        map.put("verified", verified);
        map.put("failures", all);
        map.put("devices", totals.toList());
        map.put("parameters", request.values().toMap());
        map.put("item", request.workload().item());
        map.put("items", items * reports.size());
        map.put("itemsPerRun", items);
        map.put("distribution", distribution == null ? null : distribution.text());
        map.put("seed", distribution == null ? null : request.seed());
        map.put("inputs", request.files().stream().map(f -> f.path().toString()).toList());
        map.put("output", written == null ? null : written.toString());
        map.put("result", result);
        map.put("runs", reports.size());
        map.put("warmUpRuns", warmUp.times());
        map.put("medianSeconds", median / 1e9);
        map.put("madSeconds", Statistics.medianAbsoluteDeviation(nanos) / 1e9);
        map.put("lowerQuartileSeconds", Statistics.quantile(nanos, 0.25) / 1e9);
        map.put("upperQuartileSeconds", Statistics.quantile(nanos, 0.75) / 1e9);
        map.put("itemsPerSecond", items / median * 1e9);
        map.put("bytesPerItem", DoubleStream.of(bytes).sum() / items / reports.size());
        map.put("bytesPerSecond", bytesPerNano() * 1e9);
        map.put("flopsPerItem", flopsPerItem);
        map.put("decision", reports.get(reports.size() - 1).toMap().get("decision"));
        return map;
    }
}
