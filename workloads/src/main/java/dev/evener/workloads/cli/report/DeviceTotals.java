package dev.evener.workloads.cli.report;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

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
        List<Map<String, Object>> list = new ArrayList<>();
        for (int lane = 0; lane < devices.size(); lane++) {
            list.add(device(lane));
        }
        return list;
    }

    private Map<String, Object> device(int lane) {
        DeviceInfo device = devices.get(lane);
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", device.id());
        map.put("name", device.name());
        map.put("type", device.kind().name().toLowerCase(Locale.ROOT));
        map.put("units", (long) sum(lane, DeviceUse::units));
        map.put("share", share(lane));
        map.put("busySeconds", sum(lane, DeviceUse::busyNanos) / 1e9);
        map.put("kernelSeconds", sum(lane, DeviceUse::kernelNanos) / 1e9);
        map.put("transferSeconds", sum(lane, DeviceUse::transferNanos) / 1e9);
        map.put("chunks", (long) sum(lane, DeviceUse::chunks));
        map.put("stolenChunks", (long) sum(lane, DeviceUse::stolenChunks));
        map.put("bytesIn", (long) sum(lane, DeviceUse::bytesIn));
        map.put("bytesOut", (long) sum(lane, DeviceUse::bytesOut));
        return map;
    }
}
