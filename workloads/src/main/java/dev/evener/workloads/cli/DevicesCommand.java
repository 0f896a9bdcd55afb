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
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import java.nio.file.Path;
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

    @Mixin
    private ReportOptions.Formats formats = new ReportOptions.Formats();

    @Option(names = "--probe")
    private boolean probe;

    @Override
    int execute() {
        DeviceSelector selector = devices.selector();
        Map<String, DeviceProbe> probes = probe ? measure(selector) : Map.of();
        try (Evener evener = devices.builder().open()) {
            List<Listed> all = listed(evener, probes);
            List<String> notes = new ArrayList<>(DeviceOptions.notes(evener));
            notes.addAll(notKeptApart(evener));
            String nodes = NumaNodes.note(evener.devices(), Path.of("/sys"));
            if (nodes != null) {
                notes.add(nodes);
            }
            Tables tables = tables(all);
            if (!quiet() && !json.toStandardOutput() && !formats.toStandardOutput()) {
                out().print(tables.text());
                notes.forEach(note -> out().println("note: " + note));
            }
            json.write(out(), () -> {
                Map<String, Object> report = new LinkedHashMap<>();
                report.put("devices", ALL.maps(all));
                report.put("notes", evener.notes());
                return report;
            });
            formats.write(out(), () -> tables);
        }
        return EvenerCommand.DONE;
    }

    /**
     * A device, or a part of one that is a lane.
     *
     * @param lane its number; null if it is none
     * @param context the number of its context; null if it is no lane, or has none
     * @param probe what was measured; null if nothing was
     */
    private record Listed(
            DeviceInfo device,
            @Nullable Integer lane,
            @Nullable Integer context,
            @Nullable DeviceProbe probe) {}

    /** All devices, each followed by those of its parts that are lanes. */
    private static List<Listed> listed(Evener evener, Map<String, DeviceProbe> probes) {
        List<DeviceInfo> lanes = evener.devices();
        List<DeviceInfo> all = new ArrayList<>();
        for (DeviceInfo device : Evener.discover()) {
            all.add(lanes.stream()
                    .filter(l -> l.id().equals(device.id()))
                    .findFirst()
                    .orElse(device));
            lanes.stream().filter(l -> l.id().startsWith(device.id() + ":")).forEach(all::add);
        }
        return all.stream()
                .map(d -> new Listed(
                        d,
                        lanes.contains(d) ? lanes.indexOf(d) : null,
                        lanes.contains(d) ? context(evener, d) : null,
                        probes.get(d.identity())))
                .toList();
    }

    private static @Nullable Integer context(Evener evener, DeviceInfo lane) {
        for (int i = 0; i < evener.contexts().size(); i++) {
            if (evener.contexts().get(i).contains(lane.id())) {
                return i;
            }
        }
        return null;
    }

    /** What Java cannot set, and PoCL only for its pthread device: docs/known-issues.md. */
    private static List<String> notKeptApart(Evener evener) {
        List<String> cpus = evener.devices().stream()
                .filter(device -> device.kind() == DeviceKind.CPU)
                .map(DeviceInfo::id)
                .toList();
        return cpus.size() < 2
                ? List.of()
                : List.of(
                        "devices " + String.join(", ", cpus) + " compute on this host's processors, and nothing keeps"
                                + " their threads apart: the system may leave several on one of them while others want the rest");
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

    private static final TextTable<Listed> ALL = new TextTable<Listed>()
            .column("id", "id", l -> l.device.id(), id -> id)
            .column("type", "type", l -> type(l.device), type -> type)
            .column("device", "name", l -> l.device.name(), name -> name)
            .column("platform", "platform", l -> l.device.platform(), name -> name)
            .column("driver", "driver", l -> l.device.driver(), version -> version)
            .column(">units", "computeUnits", l -> l.device.computeUnits(), units -> units)
            .column("parts", l -> parts(Evener.partitioning(l.device)))
            .field("partitioning", l -> partitioning(Evener.partitioning(l.device)))
            .column(">MHz", "clockMhz", l -> l.device.clockMhz(), mhz -> mhz == 0 ? null : mhz)
            .column(">memory", "memoryBytes", l -> l.device.memoryBytes(), DevicesCommand::bytes)
            .column(">max alloc", "maxAllocationBytes", l -> l.device.maxAllocationBytes(), DevicesCommand::bytes)
            .column(">align", "alignmentBytes", l -> l.device.alignmentBytes(), bytes -> bytes)
            .field("cacheLineBytes", l -> l.device.cacheLineBytes())
            .field("workGroupMultiple", l -> l.device.workGroupMultiple())
            .column(
                    "memory is",
                    "sharesHostMemory",
                    l -> l.device.sharesHostMemory(),
                    shared -> shared ? "shared" : "its own")
            .field("physical", l -> l.device.physical())
            .column("lane", l -> l.lane == null ? null : "lane " + l.lane + ", " + group(l.context))
            .field("lane", l -> l.lane)
            .field("context", l -> l.context)
            .field("probe", l -> l.probe == null ? null : l.probe.toMap());

    private static Map<String, Object> partitioning(Partitioning can) {
        return new TreeMap<>(
                Map.of("maxParts", can.maxParts(), "byCounts", can.byCounts(), "numaNodes", can.numaNodes()));
    }

    private static Tables tables(List<Listed> all) {
        Tables tables = new Tables().add("", ALL, all);
        return all.stream().anyMatch(l -> l.probe != null) ? measured(tables, all) : tables;
    }

    /** What was measured: a row for a device, and one more for its second kind of host memory. */
    private static Tables measured(Tables tables, List<Listed> all) {
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
        TextTable<Row> table = new TextTable<Row>()
                .column("id", Row::id)
                .column(">launch, us", r -> r.of(DeviceProbe::launchNanos, 1e-3))
                .column(">copy, GB/s", r -> r.of(DeviceProbe::copyBytesPerSecond, 1e-9))
                .column(">read, GB/s", r -> r.of(DeviceProbe::readBytesPerSecond, 1e-9))
                .column("host memory", Row::memory)
                .column(">to device, GB/s", r -> r.way(Transfers::toDevice))
                .column(">from device, GB/s", r -> r.way(Transfers::fromDevice))
                .column(">both ways, GB/s", r -> r.way(Transfers::bothWays));
        return tables.add("", table, rows);
    }

    /** With three digits and its spread. */
    private static String text(Figure figure, double scale) {
        double value = figure.median() * scale;
        int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
        return format("%." + digits + "f +-%.0f%%", value, 100 * figure.spread());
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

    /** Devices of one context share memory objects; contexts are federated. */
    private static String group(@Nullable Integer context) {
        return context == null ? "JVM threads" : "context " + context;
    }

    private static String type(DeviceInfo device) {
        return device.kind().name().toLowerCase(Locale.ROOT);
    }

    private static String bytes(long count) {
        return count >= 1L << 30 ? format("%.1f GiB", count * 0x1p-30) : format("%.1f MiB", count * 0x1p-20);
    }
}
