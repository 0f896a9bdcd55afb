package dev.evener.workloads.cli;

import static dev.evener.workloads.document.TextTable.format;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.TuningCache;
import dev.evener.workloads.bench.Tuner;
import dev.evener.workloads.bench.Tuner.Tuned;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.KernelFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
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
                        + " default. docs/run.md describes the parameters and the method.")
final class TuneCommand extends CliCommand {
    private static final int ROUNDS = 21;
    private static final int QUICK_ROUNDS = 9;
    private static final int MOST_ROUNDS = 100_000;

    @Parameters(
            paramLabel = "PRIMITIVE",
            arity = "0..*",
            description =
                    "Which ones (map, scan, ...); all by default. Or a FILE.json of your own kernels (docs/kernel-files.md).")
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

    @Mixin
    private ReportOptions.Formats formats = new ReportOptions.Formats();

    @Override
    int execute() {
        Path file = TuningCache.defaultFile();
        if (list && clear) {
            throw UserError.usage("--list and --clear cannot be given together");
        }
        if (list || clear) {
            return list ? list(file) : clear(file);
        }
        if (names.stream().anyMatch(KernelFile::isNameOf)) {
            return kernels();
        }
        List<Parameter> parameters = parameters();
        int rounds = repeat != null ? repeat : quick ? QUICK_ROUNDS : ROUNDS;
        UserError.checkCount("--repeat", rounds, MOST_ROUNDS);
        if (!dryRun) {
            OutputFiles.check("tuning", file);
        }
        boolean table = !report.toStandardOutput() && !formats.toStandardOutput();
        List<Tuned> all = new ArrayList<>();
        Tables tables = new Tables()
                .rows(
                        List.of("device", "parameter", "default", "best"),
                        () -> all.stream().map(Tuned::toMap).toList());
        List<DeviceInfo> selected;
        try (Evener evener = devices.builder().history(History.inMemory()).open()) {
            selected = evener.devices();
        }
        try (RecordOptions.Session session = record.begin("tune", report)) {
            ProgressLine progress = progress();
            Tuner tuner = new Tuner(rounds, quick, session, progress::show);
            for (DeviceInfo device : selected) {
                List<Tuned> found = tuner.on(device, parameters);
                progress.clear();
                all.addAll(found);
                if (!dryRun && !found.isEmpty()) {
                    keep(file, found); // at once, so that what is interrupted loses no more than one device
                }
                say(table, table(new Tables(), device, found, rounds).text().stripTrailing());
                table(tables, device, found, rounds);
            }
            say(table, dryRun ? "nothing was kept (--dry-run)" : "kept in " + file);
            report.writeJson(out(), () -> {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("rounds", rounds);
                map.put("file", dryRun ? null : file.toString());
                map.put("parameters", tables.maps());
                return map;
            });
            report.attempt(() -> formats.write(out(), () -> tables));
            List<String> problems =
                    all.stream().flatMap(t -> t.problems().stream()).toList();
            warn(problems);
            report.write("evener tune", page -> problems.forEach(page::warning));
        }
        return all.stream().anyMatch(Tuned::wrong) ? EvenerCommand.FAILED : EvenerCommand.DONE;
    }

    /** What parameters of files are to be tried with competes on each device alone, each with its result checked; nothing is kept. */
    private int kernels() {
        for (String option : List.of("--json", "--csv", "--markdown", "--report", "--trace", "--record")) {
            if (typed().hasMatchedOption(option)) {
                throw UserError.usage(
                        option + " goes with primitives; of a file, evener bench --alone --styles has it");
            }
        }
        int code = EvenerCommand.DONE;
        for (String name : names) {
            KernelFile file = UserError.parsed("", () -> KernelFile.read(EvenerCommand.path(name)));
            if (file.tuned().isEmpty()) {
                throw UserError.usage(name
                        + ": no parameter says what to try, as in \"group\": {\"value\": 64, \"tune\": [32, 64, 128]}");
            }
            for (Map.Entry<String, String> each : file.tuned().entrySet()) {
                List<String> words =
                        new ArrayList<>(List.of("bench", name, "--alone", "--timing", "kernels", "--verify"));
                words.addAll(List.of(
                        "--styles",
                        each.getKey() + "=" + each.getValue(),
                        "--devices",
                        devices.selector().toString()));
                words.addAll(
                        List.of("--repeat", String.valueOf(repeat != null ? repeat : quick ? QUICK_ROUNDS : ROUNDS)));
                code = Math.max(code, EvenerCommand.run((Screen) out(), err(), words.toArray(String[]::new)));
            }
            say(
                    true,
                    name + ": nothing is kept: a parameter of a file holds on all devices of a job, so that its results"
                            + " depend on the file alone; write the value that serves yours best into it");
        }
        return code;
    }

    private List<Parameter> parameters() {
        List<Parameter> all = List.of(Parameter.values());
        List<String> known = all.stream().map(Parameter::primitive).distinct().toList();
        for (String name : names) {
            if (!known.contains(name.toLowerCase(Locale.ROOT))) {
                throw UserError.usage("unknown primitive '" + name + "': expected one of " + String.join(", ", known));
            }
        }
        return all.stream()
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
        out().println(new TextTable<Parameter>()
                .column("parameter", Parameter::text)
                .column("devices", p -> p.devices() == Parameter.Devices.CPU ? "CPUs" : "others")
                .column(">default", Parameter::defaultValue)
                .column(
                        "others",
                        p -> p.choices().stream().skip(1).map(String::valueOf).collect(Collectors.joining(" ")))
                .column("what it is", Parameter::meaning)
                .of(parameters()));
        List<TuningCache.Entry> entries = TuningCache.load(file).entries();
        if (entries.isEmpty()) {
            out().println("nothing is kept in " + file);
        } else {
            out().println("Kept in " + file + ":");
            out().print(new TextTable<TuningCache.Entry>()
                    .column("parameter", e -> e.parameter().text())
                    .column(">value", TuningCache.Entry::value)
                    .column(">gain", e -> format("%.2f x", e.gain()))
                    .column("device", TuningCache.Entry::device)
                    .of(entries));
        }
        return EvenerCommand.DONE;
    }

    private int clear(Path file) {
        OutputFiles.delete("tuning", file);
        say(true, "the tuning in " + file + " is empty now");
        return EvenerCommand.DONE;
    }

    private static String nothing(DeviceInfo device) {
        return device.id()
                + (device.kind() == DeviceKind.JVM
                        ? ": the JVM lane has nothing to tune"
                        : ": nothing to tune on a device of this kind");
    }

    private static Tables table(Tables tables, DeviceInfo device, List<Tuned> found, int rounds) {
        Predicate<Tuned> faster = tuned -> tuned.best() != tuned.standard();
        TextTable<Tuned> table = new TextTable<Tuned>()
                .column("parameter", t -> t.parameter().text())
                .column(">default", Tuned::standard)
                .column(">best", Tuned::best)
                .column(">gain", t -> faster.test(t) ? format("%.3f x", t.gain().value()) : null)
                .column(
                        "95 % interval",
                        t -> faster.test(t)
                                ? format(
                                        "%.3f to %.3f", t.gain().low(), t.gain().high())
                                : "")
                .column("", t -> t.kept() ? "kept" : faster.test(t) ? "not enough" : "");
        String title = format("%s (%s), medians of %s", device.id(), device.name(), TextTable.counted(rounds, "run"));
        return found.isEmpty() ? tables.note(nothing(device)) : tables.add(title, table, found);
    }
}
