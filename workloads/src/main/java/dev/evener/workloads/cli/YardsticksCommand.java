package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.workloads.experiment.Estimate;
import dev.evener.workloads.experiment.Statistics;
import dev.evener.workloads.experiment.Yardstick;
import dev.evener.workloads.experiment.Yardsticks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Primitives beside what memory and the JDK reach. */
@Command(
        name = "yardsticks",
        description = "Holds the primitives against the speed of memory and of the JDK's own algorithms, on each device"
                + " alone, and prints a table.")
final class YardsticksCommand extends CliCommand {
    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Option(names = "--repeat", paramLabel = "N", description = "Measure everything N times; 15 by default.")
    private int repeat = 15;

    @Option(
            names = "--part",
            paramLabel = "FRACTION",
            description = "This part of the full sizes (up to 256 MiB a buffer), above 0 to 1; 1 by default.")
    private double part = 1;

    @Mixin
    private RecordOption record = new RecordOption();

    @Mixin
    private ViewOptions view = new ViewOptions();

    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    int execute() {
        UserError.checkCount("--repeat", repeat, 10_000);
        UserError.checkPart(part);
        json.check();
        record.check();
        view.check();
        ProgressLine progress = new ProgressLine(err(), !quiet());
        List<Map<String, Object>> all = new ArrayList<>();
        List<DeviceInfo> selected = Evener.select(devices.selector());
        try (RecordOption.Session session = record.begin("yardsticks")) {
            for (DeviceInfo device : selected) {
                List<Yardstick> found = measure(device, new Watching(session, view), progress);
                progress.clear();
                if (!quiet() && !json.toStandardOutput()) {
                    print(device, found);
                }
                found.forEach(y -> all.add(toMap(device, y)));
            }
        }
        if (json.wanted()) {
            json.write(out(), Map.of("rounds", repeat, "part", part, "yardsticks", all));
        }
        view.write("evener yardsticks", page -> {});
        return EvenerCommand.DONE;
    }

    private List<Yardstick> measure(DeviceInfo device, Watching watch, ProgressLine progress) {
        try (Evener evener = watch.alone(device, device.id()).open()) {
            return new Yardsticks(evener, repeat, part, watch, text -> progress.show(device.id() + ", " + text))
                    .measure();
        }
    }

    private void print(DeviceInfo device, List<Yardstick> found) {
        out().printf(
                        Locale.ROOT,
                        "device %s (%s), %d cores, medians of %d rounds%n",
                        device.id(),
                        device.name(),
                        device.computeUnits(),
                        repeat);
        TextTable table =
                new TextTable("primitive", ">speed", "against", ">speed", ">reached", ">95 % interval", ">aim");
        for (Yardstick y : found) {
            Estimate reached = y.reached(device.computeUnits());
            table.row(
                    y.work().primitive(),
                    speed(y.speed(), y.work().unit()),
                    y.against(),
                    y.perCore()
                            ? speed(reached.value(), y.work().unit())
                            : speed(y.againstSpeed(), y.work().unit()),
                    TextTable.number(reached.value()),
                    TextTable.number(reached.low()) + "-" + TextTable.number(reached.high()),
                    TextTable.number(y.aim()));
        }
        out().println(table);
        out().flush();
    }

    private static String speed(double speed, String unit) {
        return TextTable.number(speed) + " " + unit;
    }

    private static Map<String, Object> toMap(DeviceInfo device, Yardstick y) {
        Estimate reached = y.reached(device.computeUnits());
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", device.id());
        map.put("primitive", y.work().primitive());
        map.put("against", y.against());
        map.put("unit", y.work().unit());
        map.put("speed", y.speed());
        map.put("againstSpeed", y.perCore() ? null : y.againstSpeed());
        map.put("reached", reached.value());
        map.put("reachedLow", reached.low());
        map.put("reachedHigh", reached.high());
        map.put("aim", y.aim());
        map.put("medianSeconds", Statistics.median(y.nanos()) / 1e9);
        return map;
    }
}
