package dev.evener.workloads.cli.report;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.workloads.document.TextTable;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What each device did over several jobs.
 *
 * @param reports the jobs
 * @param devices the devices, in lane order
 */
record DeviceTotals(List<Report> reports, List<DeviceInfo> devices) {

    /** What a device did for a job; nothing if it was another one's. */
    DeviceUse use(Report report, int lane) {
        DeviceInfo device = devices.get(lane);
        return report.devices().stream()
                .filter(use -> use.id().equals(device.id()))
                .findFirst()
                .orElseGet(() -> new DeviceUse(
                        device.id(),
                        device.name(),
                        device.kind(),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        0));
    }

    /** A figure of each device, in their order. */
    List<Double> each(Report report, ToDoubleFunction<DeviceUse> figure) {
        return lanes().stream()
                .map(lane -> figure.applyAsDouble(use(report, lane)))
                .toList();
    }

    double sum(int lane, ToDoubleFunction<DeviceUse> figure) {
        return reports.stream()
                .mapToDouble(r -> figure.applyAsDouble(use(r, lane)))
                .sum();
    }

    long units() {
        return reports.stream().mapToLong(Report::units).sum();
    }

    /** A device's part of all units, 0 to 1. */
    double share(int lane) {
        long units = units();
        return units == 0 ? 0 : sum(lane, DeviceUse::units) / units;
    }

    /**
     * What each did, for people; to be continued with how fast it was.
     *
     * @param each what was repeated
     * @param busyNanos how long a device was at work on a typical one; NaN if it did nothing
     */
    TextTable<Integer> table(String each, ToDoubleFunction<Integer> busyNanos) {
        return new TextTable<Integer>()
                .column("device", lane -> devices.get(lane).id())
                .column("name", lane -> devices.get(lane).name())
                .column(">share", lane -> format("%.1f%%", 100 * share(lane)))
                .column(">busy, " + each, lane -> {
                    double nanos = busyNanos.applyAsDouble(lane);
                    return Double.isNaN(nanos) ? null : format("%.3f ms", nanos / 1e6);
                })
                .column(">busy, total", lane -> format("%.3f s", sum(lane, DeviceUse::busyNanos) / 1e9));
    }

    List<Integer> lanes() {
        return IntStream.range(0, devices.size()).boxed().toList();
    }

    /** So much for each nanosecond at work; null if it had none. */
    @Nullable
    String speed(int lane, String format, double done) {
        double busy = sum(lane, DeviceUse::busyNanos);
        return busy == 0 ? null : format(format, done / busy);
    }

    /** What went wrong on a device and was made good by others, each once. */
    List<String> recovered() {
        return reports.stream().flatMap(r -> r.failures().stream()).distinct().toList();
    }

    /** The {@code devices} of docs/report.md. */
    List<Map<String, Object>> toList() {
        return lanes().stream().map(lane -> device(lane).toMap()).toList();
    }

    private DeviceUse device(int lane) {
        return new DeviceUse(
                devices.get(lane).id(),
                devices.get(lane).name(),
                devices.get(lane).kind(),
                (long) sum(lane, DeviceUse::units),
                share(lane),
                (long) sum(lane, DeviceUse::busyNanos),
                (long) sum(lane, DeviceUse::kernelNanos),
                (long) sum(lane, DeviceUse::transferNanos),
                (int) sum(lane, DeviceUse::chunks),
                (int) sum(lane, DeviceUse::stolenChunks),
                (long) sum(lane, DeviceUse::bytesIn),
                (long) sum(lane, DeviceUse::bytesOut),
                byCause(lane, DeviceUse::sent),
                byCause(lane, DeviceUse::fetched),
                moved(lane),
                0);
    }

    private Map<String, Long> moved(int lane) {
        Map<String, Long> all = new TreeMap<>();
        reports.forEach(r -> use(r, lane).moved().forEach((buffer, count) -> all.merge(buffer, count, Long::sum)));
        return all;
    }

    private Map<Report.Cause, Long> byCause(int lane, Function<DeviceUse, Map<Report.Cause, Long>> bytes) {
        Map<Report.Cause, Long> all = new EnumMap<>(Report.Cause.class);
        reports.forEach(r -> bytes.apply(use(r, lane)).forEach((cause, count) -> all.merge(cause, count, Long::sum)));
        return all;
    }
}
