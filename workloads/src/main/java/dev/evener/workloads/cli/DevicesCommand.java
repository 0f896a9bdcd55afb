package dev.evener.workloads.cli;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.workloads.bench.DeviceMeasurement;
import dev.evener.workloads.bench.DeviceProbe;
import dev.evener.workloads.bench.DeviceProbe.Figure;
import dev.evener.workloads.bench.DeviceProbe.Transfers;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.document.TextTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists platforms and devices, and the lanes a job would get. */
@Command(
        name = "devices",
        description = "Lists platforms, devices and their limits, which lanes would be used, and what was measured.")
final class DevicesCommand extends CliCommand {
    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Mixin
    private ReportOptions.Json json = new ReportOptions.Json();

    @Option(names = "--probe")
    private boolean probe;

    @Override
    int execute() {
        DeviceSelector selector = devices.selector();
        Map<String, DeviceProbe> probes = probe ? measure(selector) : Map.of();
        try (Evener evener = devices.builder().open()) {
            List<Listed> all = listed(evener.devices(), probes);
            if (!quiet() && !json.toStandardOutput()) {
                print(all, DeviceOptions.notes(evener));
            }
            json.write(out(), () -> report(all, evener.notes()));
        }
        return EvenerCommand.DONE;
    }

    /**
     * A device, or a part of one that is a lane.
     *
     * @param lane its number; null if it is none
     * @param probe what was measured; null if nothing was
     */
    private record Listed(
            DeviceInfo device,
            @Nullable Integer lane,
            @Nullable DeviceProbe probe) {}

    /** All devices, each followed by those of its parts that are lanes. */
    private static List<Listed> listed(List<DeviceInfo> lanes, Map<String, DeviceProbe> probes) {
        List<DeviceInfo> all = new ArrayList<>();
        for (DeviceInfo device : Evener.discover()) {
            all.add(lanes.stream()
                    .filter(l -> l.id().equals(device.id()))
                    .findFirst()
                    .orElse(device));
            lanes.stream().filter(l -> l.id().startsWith(device.id() + ":")).forEach(all::add);
        }
        return all.stream()
                .map(d -> new Listed(d, lanes.contains(d) ? lanes.indexOf(d) : null, probes.get(d.identity())))
                .toList();
    }

    /** What was measured, by the device's identity. */
    private Map<String, DeviceProbe> measure(DeviceSelector selector) {
        ProgressLine line = progress();
        try {
            Map<String, DeviceProbe> byIdentity = new HashMap<>();
            for (DeviceInfo device : Evener.select(selector)) {
                DeviceProbe found = DeviceMeasurement.measure(
                        device, true, what -> line.show("device " + device.id() + ": " + what));
                byIdentity.put(device.identity(), found);
            }
            return byIdentity;
        } finally {
            line.clear();
        }
    }

    private void print(List<Listed> all, List<String> notes) {
        out().print(new TextTable<Listed>()
                .column("id", l -> l.device.id())
                .column("type", l -> type(l.device))
                .column("device", l -> l.device.name())
                .column("platform", l -> l.device.platform())
                .column("driver", l -> l.device.driver())
                .column(">units", l -> l.device.computeUnits())
                .column("parts", l -> parts(Evener.partitioning(l.device)))
                .column(">MHz", l -> l.device.clockMhz() == 0 ? null : l.device.clockMhz())
                .column(">memory", l -> bytes(l.device.memoryBytes()))
                .column(">max alloc", l -> bytes(l.device.maxAllocationBytes()))
                .column(">align", l -> l.device.alignmentBytes())
                .column("memory is", l -> l.device.sharesHostMemory() ? "shared" : "its own")
                .column("lane", l -> l.lane == null ? null : "lane " + l.lane + ", " + group(l.device))
                .of(all));
        if (all.stream().anyMatch(l -> l.probe != null)) {
            out().println();
            out().print(measured(all));
        }
        notes.forEach(note -> out().println("note: " + note));
    }

    /** What was measured: a row for a device, and one more for its second kind of host memory. */
    private static String measured(List<Listed> all) {
        record Row(
                String id,
                @Nullable DeviceProbe probe,
                String memory,
                @Nullable Transfers transfers) {
            String of(Function<DeviceProbe, Figure> figure, double scale) {
                return probe == null ? "" : text(figure.apply(probe), scale);
            }

            String way(Function<Transfers, Figure> figure) {
                return transfers == null ? "none needed" : text(figure.apply(transfers), 1e-9);
            }
        }
        List<Row> rows = new ArrayList<>();
        for (Listed listed : all) {
            DeviceProbe probe = listed.probe;
            if (probe != null) {
                boolean inPlace = probe.pinned() == null;
                rows.add(new Row(listed.device.id(), probe, inPlace ? "in place" : "page-locked", probe.pinned()));
                if (!inPlace) {
                    rows.add(new Row("", null, "pageable", probe.pageable()));
                }
            }
        }
        return new TextTable<Row>()
                .column("id", Row::id)
                .column(">launch, us", r -> r.of(DeviceProbe::launchNanos, 1e-3))
                .column(">copy, GB/s", r -> r.of(DeviceProbe::copyBytesPerSecond, 1e-9))
                .column(">read, GB/s", r -> r.of(DeviceProbe::readBytesPerSecond, 1e-9))
                .column("host memory", Row::memory)
                .column(">to device, GB/s", r -> r.way(Transfers::toDevice))
                .column(">from device, GB/s", r -> r.way(Transfers::fromDevice))
                .column(">both ways, GB/s", r -> r.way(Transfers::bothWays))
                .of(rows);
    }

    /** With three digits and its spread. */
    private static String text(Figure figure, double scale) {
        double value = figure.median() * scale;
        int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
        return format("%." + digits + "f +-%.0f%%", value, 100 * figure.spread());
    }

    private static Map<String, Object> report(List<Listed> all, List<String> notes) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (Listed listed : all) {
            DeviceInfo device = listed.device;
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("id", device.id());
            map.put("name", device.name());
            map.put("type", type(device));
            map.put("platform", device.platform());
            map.put("driver", device.driver());
            map.put("computeUnits", device.computeUnits());
            Partitioning can = Evener.partitioning(device);
            map.put(
                    "partitioning",
                    new TreeMap<>(Map.of(
                            "maxParts", can.maxParts(), "byCounts", can.byCounts(), "numaNodes", can.numaNodes())));
            map.put("clockMhz", device.clockMhz());
            map.put("memoryBytes", device.memoryBytes());
            map.put("maxAllocationBytes", device.maxAllocationBytes());
            map.put("alignmentBytes", device.alignmentBytes());
            map.put("cacheLineBytes", device.cacheLineBytes());
            map.put("workGroupMultiple", device.workGroupMultiple());
            map.put("sharesHostMemory", device.sharesHostMemory());
            map.put("physical", device.physical());
            map.put("lane", listed.lane);
            map.put("probe", listed.probe == null ? null : listed.probe.toMap());
            list.add(map);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("devices", list);
        report.put("notes", notes);
        return report;
    }

    private static String parts(Partitioning can) {
        List<String> ways = new ArrayList<>();
        if (can.byCounts()) {
            ways.add("up to " + can.maxParts());
        }
        if (!can.numaNodes().isEmpty()) {
            ways.add(can.numaNodes().size() + " NUMA");
        }
        return ways.isEmpty() ? "-" : String.join(", ", ways);
    }

    /** Devices of one platform share a context; platforms are federated. */
    private static String group(DeviceInfo lane) {
        return lane.kind() == DeviceKind.JVM
                ? "JVM threads"
                : "context " + lane.id().substring(0, lane.id().indexOf('.'));
    }

    private static String type(DeviceInfo device) {
        return device.kind().name().toLowerCase(Locale.ROOT);
    }

    private static String bytes(long count) {
        return count >= 1L << 30 ? format("%.1f GiB", count * 0x1p-30) : format("%.1f MiB", count * 0x1p-20);
    }
}
