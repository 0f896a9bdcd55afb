package dev.evener.workloads.cli.report;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What each device did over several jobs.
 *
 * @param reports the jobs
 * @param devices the devices, in lane order
 */
record DeviceTotals(List<Report> reports, List<DeviceInfo> devices) {

    static DeviceUse use(Report report, int lane) {
        return report.devices().get(lane);
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

    /** What went wrong on a device and was made good by others, each once. */
    List<String> recovered() {
        return reports.stream().flatMap(r -> r.failures().stream()).distinct().toList();
    }

    /** The {@code devices} of docs/report.md. */
    List<Map<String, Object>> toList() {
        return IntStream.range(0, devices.size())
                .mapToObj(lane -> device(lane).toMap())
                .toList();
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
                0);
    }
}
