package dev.evener.workloads.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Evener;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.workloads.experiment.Resident;
import dev.evener.workloads.experiment.Resident.Result;
import dev.evener.workloads.experiment.Statistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Primitives on data that lies on the device. */
@Command(
        name = "resident",
        description =
                "Measures primitives on data that lies on the device, each device alone: the time in kernels, beside"
                        + " the device's own copy, and beside what another library reached.")
final class ResidentCommand extends CliCommand {
    @Parameters(
            paramLabel = "CASE",
            arity = "0..*",
            description = "Only cases whose names begin so, such as scan or histogram-bytes.")
    private List<String> names = new ArrayList<>();

    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Option(names = "--repeat", paramLabel = "N", description = "Measure everything N times; 15 by default.")
    private int repeat = 15;

    @Option(
            names = "--part",
            paramLabel = "FRACTION",
            description = "This part of the full sizes (1 GiB a buffer), above 0 to 1; 1 by default.")
    private double part = 1;

    @Option(
            names = "--try",
            paramLabel = "NAME=VALUE,...",
            description = "Measure with these parameters (docs/tuning.md) as well; may be given again.")
    private List<String> tried = new ArrayList<>();

    @Option(
            names = "--against",
            paramLabel = "FILE",
            description = "Lines of JSON with the name of a case and the seconds that another library takes for it.")
    private @Nullable Path against;

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
        for (String name : names) {
            if (Resident.names().stream().noneMatch(known -> known.startsWith(name))) {
                throw UserError.usage(
                        "no case begins with '" + name + "': there are " + String.join(", ", Resident.names()));
            }
        }
        json.check();
        record.check();
        view.check();
        Map<String, Double> others = against == null ? Map.of() : seconds(against);
        ProgressLine progress = new ProgressLine(err(), !quiet());
        List<Map<String, Object>> all = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        List<DeviceInfo> selected = Evener.select(devices.selector());
        tunings(Tuning.defaults()); // what is wrong with them is said before anything runs
        try (RecordOption.Session session = record.begin("resident")) {
            for (DeviceInfo device : selected) {
                if (device.kind() == DeviceKind.JVM) {
                    continue;
                }
                List<Result> results = measure(device, new Watching(session, view), progress);
                progress.clear();
                double copy = results.stream()
                        .filter(r -> r.name().equals("copy"))
                        .mapToDouble(Result::speed)
                        .findFirst()
                        .orElse(0);
                if (!quiet() && !json.toStandardOutput()) {
                    print(device, results, copy, others);
                }
                for (Result result : results) {
                    if (result.problem() != null) {
                        problems.add(device.id() + ", " + result.name() + ": " + result.problem());
                    }
                    all.add(toMap(device, result, copy, others));
                }
            }
        }
        if (json.wanted()) {
            json.write(out(), Map.of("rounds", repeat, "part", part, "results", all));
        }
        view.write("evener resident", page -> problems.forEach(page::warning));
        return problems.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private List<Result> measure(DeviceInfo device, Watching watch, ProgressLine progress) {
        try (Evener evener = watch.alone(device, device.id()).open()) {
            return new Resident(evener, repeat, part, text -> progress.show(device.id() + ", " + text))
                    .measure(names, tunings(Tuning.of(evener)));
        }
    }

    private List<Tuning> tunings(Tuning first) {
        List<Tuning> tunings = new ArrayList<>(List.of(first));
        for (String one : tried) {
            Tuning tuning = first;
            for (String setting : one.split(",", -1)) {
                String[] sides = setting.split("=", -1);
                Parameter parameter = Arrays.stream(Parameter.values())
                        .filter(p -> p.text().equals(sides[0]))
                        .findFirst()
                        .orElseThrow(() -> UserError.usage("--try: no parameter is called '" + sides[0] + "'"));
                try {
                    tuning = tuning.with(parameter, Integer.parseInt(sides.length == 2 ? sides[1] : ""));
                } catch (NumberFormatException e) {
                    throw UserError.usage("--try: '" + setting + "' is not NAME=NUMBER");
                } catch (IllegalArgumentException e) {
                    throw UserError.usage("--try: " + e.getMessage());
                }
            }
            tunings.add(tuning);
        }
        return tunings;
    }

    private static Map<String, Double> seconds(Path file) {
        Map<String, Double> seconds = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.isBlank()) {
                    continue;
                }
                Map<String, Object> one = JSON.std.mapFrom(line);
                if (!(one.get("name") instanceof String name) || !(one.get("seconds") instanceof Number value)) {
                    throw new IOException("a line has no name or no seconds: " + line);
                }
                seconds.put(name, value.doubleValue());
            }
        } catch (IOException e) {
            throw UserError.usage("--against: " + file + ": " + UserError.reason(e));
        }
        return seconds;
    }

    /** How many times as fast as the other library; 0 if that is not known. */
    private static double ratio(Result result, Map<String, Double> others) {
        Double seconds = others.get(result.name());
        return seconds == null || result.kernelNanos().length == 0
                ? 0
                : seconds * 1e9 / Statistics.median(result.kernelNanos());
    }

    private void print(DeviceInfo device, List<Result> results, double copy, Map<String, Double> others) {
        out().printf(Locale.ROOT, "device %s (%s), medians of %d rounds%n", device.id(), device.name(), repeat);
        TextTable table =
                new TextTable("case", ">in kernels", ">quartiles", ">of copy", ">of other", ">in all", "tuning", "");
        for (Result r : results) {
            boolean bytes = r.unit().equals("GB/s");
            double ratio = ratio(r, others);
            String problem = r.problem();
            table.row(
                    r.name(),
                    TextTable.number(r.speed()) + " " + r.unit(),
                    r.kernelNanos().length == 0
                            ? "-"
                            : TextTable.number(r.scale() / Statistics.quantile(r.kernelNanos(), 0.75)) + "-"
                                    + TextTable.number(r.scale() / Statistics.quantile(r.kernelNanos(), 0.25)),
                    bytes && copy > 0 ? TextTable.number(r.speed() / copy) : "-",
                    ratio > 0 ? TextTable.number(ratio) : "-",
                    TextTable.number(r.wallSpeed()) + " " + r.unit(),
                    r.tuning(),
                    problem == null ? "" : problem);
        }
        out().println(table);
        out().flush();
    }

    private static Map<String, Object> toMap(DeviceInfo device, Result r, double copy, Map<String, Double> others) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", device.id());
        map.put("name", r.name());
        map.put("tuning", r.tuning());
        map.put("unit", r.unit());
        map.put("speed", r.speed());
        map.put("kernelSeconds", r.kernelNanos().length == 0 ? null : Statistics.median(r.kernelNanos()) / 1e9);
        map.put("wallSeconds", r.wallNanos().length == 0 ? null : Statistics.median(r.wallNanos()) / 1e9);
        map.put("ofCopy", r.unit().equals("GB/s") && copy > 0 ? r.speed() / copy : null);
        double ratio = ratio(r, others);
        map.put("ofOther", ratio > 0 ? ratio : null);
        map.put("problem", r.problem());
        return map;
    }
}
