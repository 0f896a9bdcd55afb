package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Evener;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.TuningCache;
import dev.evener.workloads.bench.Tuner;
import dev.evener.workloads.bench.Tuner.Tuned;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.document.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Finds and keeps what makes primitives fast on the devices at hand. */
@Command(
        name = "tune",
        description =
                "Measures what primitives can be tuned by, on each device alone, and keeps what is faster than the"
                        + " default. docs/tuning.md describes the parameters and the method.")
final class TuneCommand extends CliCommand {
    private static final int ROUNDS = 21;
    private static final int QUICK_ROUNDS = 9;
    private static final int MOST_ROUNDS = 100_000;

    @Parameters(paramLabel = "PRIMITIVE", arity = "0..*", description = "Which ones (map, scan, ...); all by default.")
    private List<String> names = new ArrayList<>();

    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Option(names = "--quick")
    private boolean quick;

    @Option(names = "--repeat", paramLabel = "N")
    private @Nullable Integer repeat;

    @Option(names = "--dry-run")
    private boolean dryRun;

    @Option(names = "--list")
    private boolean list;

    @Option(names = "--clear")
    private boolean clear;

    @Mixin
    private RecordOptions record = new RecordOptions();

    @Mixin
    private ReportOptions report = new ReportOptions();

    @Override
    int execute() {
        Path file = TuningCache.defaultFile();
        if (list || clear) {
            if (list && clear) {
                throw UserError.usage("--list and --clear cannot be given together");
            }
            return list ? list(file) : clear(file);
        }
        List<Parameter> parameters = parameters();
        int rounds = repeat != null ? repeat : quick ? QUICK_ROUNDS : ROUNDS;
        UserError.checkCount("--repeat", rounds, MOST_ROUNDS);
        report.check();
        record.check();
        if (!dryRun) {
            OutputFiles.check("tuning", file);
        }
        boolean table = !quiet() && !report.toStandardOutput();
        ProgressLine progress = progress();
        List<Tuned> all = new ArrayList<>();
        List<DeviceInfo> selected = Evener.select(devices.selector());
        try (RecordOptions.Session session = record.begin("tune", report)) {
            Tuner tuner = new Tuner(rounds, quick, session, progress::show);
            for (DeviceInfo device : selected) {
                if (device.kind() == DeviceKind.JVM) {
                    say(table, device.id() + ": the JVM lane has nothing to tune");
                    continue;
                }
                List<Tuned> found = tuner.on(device, parameters);
                progress.clear();
                all.addAll(found);
                if (!dryRun) {
                    keep(file, found); // at once, so that what is interrupted loses no more than one device
                }
                if (found.isEmpty()) {
                    say(table, device.id() + ": nothing to tune on a device of this kind");
                } else if (table) {
                    out().println(device.id() + " (" + device.name() + "), medians of " + rounds + " runs");
                    out().println(table(found));
                    out().flush();
                }
            }
        }
        say(table, dryRun ? "nothing was kept (--dry-run)" : "kept in " + file);
        report.writeJson(out(), () -> toMap(all, rounds, dryRun ? null : file));
        return tell(all);
    }

    private void say(boolean wanted, String what) {
        if (wanted) {
            out().println(what);
        }
    }

    /** Says what could not be done, and whether that is a failure: a wrong result is one. */
    private int tell(List<Tuned> all) {
        boolean wrong = false;
        List<String> problems = new ArrayList<>();
        for (Tuned tuned : all) {
            for (Tuned.Candidate candidate : tuned.candidates()) {
                String problem = candidate.problem();
                if (problem != null) {
                    wrong |= problem.startsWith(Tuner.WRONG);
                    problems.add(tuned.device().id() + ", " + tuned.parameter().text() + " " + candidate.value() + ": "
                            + problem);
                }
            }
        }
        warn(problems);
        report.write("evener tune", page -> problems.forEach(page::warning));
        return wrong ? EvenerCommand.FAILED : EvenerCommand.DONE;
    }

    private List<Parameter> parameters() {
        List<String> known = Arrays.stream(Parameter.values())
                .map(Parameter::primitive)
                .distinct()
                .toList();
        for (String name : names) {
            if (!known.contains(name.toLowerCase(Locale.ROOT))) {
                throw UserError.usage("unknown primitive '" + name + "': expected one of " + String.join(", ", known));
            }
        }
        return Arrays.stream(Parameter.values())
                .filter(p -> names.isEmpty() || names.stream().anyMatch(p.primitive()::equalsIgnoreCase))
                .toList();
    }

    /** Reads the file again first, in case that another process has written it meanwhile. */
    private static void keep(Path file, List<Tuned> found) {
        TuningCache cache = TuningCache.load(file);
        for (Tuned tuned : found) {
            int value = tuned.kept() ? tuned.best() : tuned.standard();
            cache = cache.with(
                    tuned.device(), tuned.parameter(), value, tuned.gain().value());
        }
        try {
            cache.save(file);
        } catch (IOException e) {
            throw UserError.failed("the tuning could not be written to " + file + ": " + UserError.reason(e));
        }
    }

    private int list(Path file) {
        TextTable table = new TextTable("parameter", "devices", ">default", "others", "what it is");
        for (Parameter parameter : parameters()) {
            table.row(
                    parameter.text(),
                    parameter.devices() == Parameter.Devices.CPU ? "CPUs" : "others",
                    Integer.toString(parameter.defaultValue()),
                    parameter.choices().stream().skip(1).map(String::valueOf).collect(Collectors.joining(" ")),
                    parameter.meaning());
        }
        out().print(table);
        out().println();
        List<TuningCache.Entry> entries = TuningCache.load(file).entries();
        if (entries.isEmpty()) {
            out().println("nothing is kept in " + file);
            return EvenerCommand.DONE;
        }
        TextTable kept = new TextTable("parameter", ">value", ">gain", "device");
        for (TuningCache.Entry entry : entries) {
            kept.row(
                    entry.parameter().text(),
                    Integer.toString(entry.value()),
                    number("%.2f x", entry.gain()),
                    entry.device());
        }
        out().println("Kept in " + file + ":");
        out().print(kept);
        return EvenerCommand.DONE;
    }

    private int clear(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw UserError.failed("the tuning " + file + " could not be deleted: " + UserError.reason(e));
        }
        say(!quiet(), "the tuning in " + file + " is empty now");
        return EvenerCommand.DONE;
    }

    private static TextTable table(List<Tuned> found) {
        TextTable table = new TextTable("parameter", ">default", ">best", ">gain", "95 % interval", "");
        for (Tuned tuned : found) {
            boolean faster = tuned.best() != tuned.standard();
            table.row(
                    tuned.parameter().text(),
                    Integer.toString(tuned.standard()),
                    Integer.toString(tuned.best()),
                    faster ? number("%.3f x", tuned.gain().value()) : "-",
                    faster
                            ? number("%.3f", tuned.gain().low())
                                    + number(" to %.3f", tuned.gain().high())
                            : "",
                    tuned.kept() ? "kept" : faster ? "not enough" : "");
        }
        return table;
    }

    private static Map<String, Object> toMap(List<Tuned> all, int rounds, @Nullable Path file) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("rounds", rounds);
        map.put("file", file == null ? null : file.toString());
        map.put("parameters", all.stream().map(TuneCommand::toMap).toList());
        return map;
    }

    private static Map<String, Object> toMap(Tuned tuned) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", tuned.device().id());
        map.put("deviceName", tuned.device().name());
        map.put("parameter", tuned.parameter().text());
        map.put("default", tuned.standard());
        map.put("best", tuned.best());
        map.put("gain", tuned.gain().value());
        map.put("gainLow", tuned.gain().low());
        map.put("gainHigh", tuned.gain().high());
        map.put("kept", tuned.kept());
        List<Object> candidates = new ArrayList<>();
        for (Tuned.Candidate candidate : tuned.candidates()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("value", candidate.value());
            one.put("medianSeconds", candidate.nanos() > 0 ? candidate.nanos() / 1e9 : null);
            one.put("problem", candidate.problem());
            candidates.add(one);
        }
        map.put("candidates", candidates);
        return map;
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
