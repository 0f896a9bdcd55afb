package dev.evener.workloads.cli;

import dev.evener.DeviceSelector;
import dev.evener.policy.Policies;
import dev.evener.policy.PolicyProvider;
import dev.evener.workloads.LogSetup;
import dev.evener.workloads.bench.Against;
import dev.evener.workloads.bench.BenchReport;
import dev.evener.workloads.bench.BenchText;
import dev.evener.workloads.bench.Case;
import dev.evener.workloads.bench.PlanReader;
import dev.evener.workloads.bench.PlanReader.Plan;
import dev.evener.workloads.bench.Result;
import dev.evener.workloads.bench.ResultsFile;
import dev.evener.workloads.bench.Sweep;
import dev.evener.workloads.bench.SweepReport;
import dev.evener.workloads.bench.SweepRun;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.TextTable;
import dev.evener.workloads.workload.KernelFile;
import dev.evener.workloads.workload.StreamWorkload;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Contenders on cases: everything that is measured beside something else. */
@Command(
        name = "bench",
        description =
                "Measures policies, styles and tunings beside each device alone, the best static split and what memory,"
                        + " the JDK or another library reaches. docs/bench.md describes the method.")
final class BenchCommand extends MeasuringCommand {
    private static final int MOST_PROCESSES = 1000;

    @Parameters(
            paramLabel = "WORKLOAD",
            arity = "0..*",
            description =
                    "What to run: names of workloads (see evener run --list), or all; or an experiment: the name of"
                            + " one that comes with Evener (see --list), or a FILE.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--list")
    private boolean list;

    @Option(names = "--sizes", split = ",", paramLabel = "LIST")
    private @Nullable List<String> sizes;

    @Mixin
    @SuppressWarnings("UnusedVariable") // CliCommand asks picocli for it
    private PolicyOptions.Plugins plugins = new PolicyOptions.Plugins();

    @Option(names = "--policies", paramLabel = "LIST")
    private @Nullable List<String> policies;

    @Option(names = "--split", paramLabel = "LIST")
    private @Nullable List<String> splits;

    @Option(names = "--styles", paramLabel = "NAME=A,B")
    private @Nullable List<String> styles;

    @Option(names = "--tunings", paramLabel = "NAME=N,...")
    private @Nullable List<String> tunings;

    @Option(names = "--baselines", split = ",", paramLabel = "LIST")
    private @Nullable List<String> baselines;

    @Option(names = "--against", paramLabel = "FILE")
    private @Nullable Path against;

    @Option(names = "--resident")
    private boolean resident;

    @Option(names = "--timing", paramLabel = "WHICH")
    private @Nullable String timing;

    @Option(names = "--devices", paramLabel = "SELECTOR")
    private @Nullable List<String> devices;

    @Mixin
    final DeviceOptions.ContextOptions contexts = new DeviceOptions.ContextOptions();

    @Option(names = "--alone")
    private boolean alone;

    @Option(names = "--repeat", paramLabel = "N")
    private @Nullable Integer repeat;

    @Option(names = "--sweep", paramLabel = "STEPS")
    private @Nullable Integer sweep;

    @Option(names = "--warm-up", paramLabel = "SECONDS")
    private @Nullable Double warmUp;

    @Option(names = "--distribution", split = ",", paramLabel = "LIST")
    private @Nullable List<String> distribution;

    @Mixin
    private ParameterOptions parameters = new ParameterOptions();

    @Option(names = "--seed", paramLabel = "N")
    private @Nullable Long seed;

    @Option(names = "--verify")
    private boolean verify;

    @Option(names = "--out", paramLabel = "FILE")
    private @Nullable Path results;

    @Option(names = "--fresh")
    private boolean fresh;

    @Option(names = "--processes", paramLabel = "N")
    private int processes = 1;

    @Option(names = "--details")
    private boolean details;

    @Option(names = "--explain")
    private boolean explain;

    @Mixin
    private ReportOptions.Formats formats = new ReportOptions.Formats();

    private boolean table;

    @Override
    int execute() {
        if (list) {
            return list();
        }
        if (OutputFiles.isStandardOutput(results)) {
            throw UserError.usage("--out: name a file; results cannot be kept in standard output");
        }
        List<Against> others = against == null ? List.of() : others(against);
        ProgramFiles.Experiment found = experiment();
        Plan plan = found == null ? plan() : found.plan();
        table = !quiet() && !report.toStandardOutput() && !formats.toStandardOutput();
        UserError.checkCount("--processes", processes, MOST_PROCESSES);
        if (found != null && plan.sweep() != null) {
            if (processes > 1) {
                throw UserError.usage("--processes goes with devices; simulated machines have seeds");
            }
            return sweep(plan.name(), plan.sweep(), results == null ? found.results() : results, found.file());
        }
        if (devices != null) {
            devices.forEach(asked -> DeviceOptions.check(DeviceSelector.parse(asked)));
        } else { // those that an experiment asks for
            Stream<DeviceSelector> sets = plan.cases().stream().map(Case::set).distinct();
            sets.filter(set -> !set.equals(DeviceSelector.all())).forEach(DeviceOptions::check);
        }
        Path file = results != null || found == null ? results : found.results();
        if (file == null && fresh) {
            throw UserError.usage("--fresh goes with an experiment or --out");
        }
        List<Path> read = new ArrayList<>(found == null ? List.of() : List.of(found.file()));
        for (Case each : plan.cases()) {
            if (each.request().workload() instanceof StreamWorkload<?> stream) {
                read.addAll(stream.files(each.request().values()));
            }
        }
        checkFiles(read, file == null || file.equals(results) ? List.of() : List.of(file));
        if (processes > 1 && (typed().hasMatchedOption("--record") || typed().hasMatchedOption("--trace"))) {
            throw UserError.usage(
                    "--record, --trace: what other processes do is not heard here; leave --processes out");
        }
        BenchReport measured = new BenchReport(
                plan.name(), ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        List<Case> cases = BenchRun.each(plan.cases());
        if (processes > 1) {
            return inProcesses(cases, measured, others, file);
        }
        try (ResultsFile kept = file == null ? null : ResultsFile.open(file, fresh)) {
            try (RecordOptions.Session session = record.begin("bench", report)) {
                int before = new BenchRun(this, session, measured, r -> tell(Against.beside(r, others), measured))
                        .run(cases, kept);
                return finish(measured, before, cases.size());
            }
        } catch (DocumentException e) {
            throw UserError.failed(e.getMessage());
        } catch (IOException e) {
            throw notKept(file, e);
        }
    }

    private int inProcesses(List<Case> cases, BenchReport measured, List<Against> others, @Nullable Path asked) {
        Path file = asked;
        try {
            file = asked == null ? Files.createTempFile("evener-bench", ".jsonl") : asked;
            BenchRun.inProcesses(this, processes, file, fresh);
            try (ResultsFile kept = ResultsFile.open(file, false);
                    RecordOptions.Session session = record.begin("bench", report)) {
                new BenchRun(this, session, measured, r -> tell(Against.beside(r, others), measured))
                        .together(cases, kept, processes);
                return finish(measured, 0, cases.size());
            }
        } catch (DocumentException e) {
            throw UserError.failed(e.getMessage());
        } catch (IOException e) {
            throw notKept(file, e);
        } finally {
            if (asked == null && file != null) {
                OutputFiles.delete("results", file);
            }
        }
    }

    private void tell(Result result, BenchReport measured) {
        measured.results().add(result);
        if (table) {
            out().println(BenchText.table(result, details));
            out().print(explain ? BenchText.explanations(result) : "");
            out().flush();
        }
    }

    private int finish(BenchReport measured, int before, int cases) {
        if (table) {
            if (measured.results().size() > 1) {
                out().print(BenchText.summary(measured.results()).of(measured.results()));
            }
            if (before > 0) {
                out().println(before + " of " + cases + " cases were measured before, and not again");
            }
            out().print(measured.loadNote());
        }
        report.writeJson(out(), measured::toMap);
        report.attempt(() -> formats.write(out(), () -> measured.tables(details)));
        report.write("evener bench: " + String.join(", ", names), page -> {
            measured.failures().forEach(page::warning);
            measured.rankings().forEach(page::add);
        });
        return measured.failures().isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private int sweep(String name, Sweep sweep, Path file, Path description) {
        warn(sweep.notes());
        checkFiles(List.of(description), file.equals(results) ? List.of() : List.of(file));
        ProgressLine progress = progress();
        List<SweepRun> runs;
        try (ResultsFile kept = ResultsFile.open(file, fresh)) {
            runs = LogSetup.withoutWarnings(() -> SweepRun.all(sweep, kept, EvenerCommand.version(), done -> {
                synchronized (progress) {
                    progress.show(done + " of " + sweep.runs() + " runs");
                }
            }));
        } catch (DocumentException e) {
            throw UserError.failed(e.getMessage());
        } catch (UncheckedIOException e) {
            throw notKept(file, e.getCause());
        } catch (IOException e) {
            throw notKept(file, e);
        }
        progress.clear();
        SweepReport swept = new SweepReport(runs);
        List<String> problems = SweepRun.problems(runs);
        tell(report, formats, () -> swept.tables(details), () -> swept.toMap(name));
        warn(problems);
        int shown = report.wanted() ? LogSetup.withoutWarnings(() -> sweep.show(report::listener)) : 0;
        report.write("evener bench: " + name, page -> {
            problems.forEach(page::warning);
            page.fact("charts of", shown + " runs, of the first machine and seed")
                    .tables(swept.tables(true).cells());
            swept.rankings().forEach(page::add);
        });
        return problems.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private static UserError notKept(Path file, IOException e) {
        return UserError.failed("the results cannot be kept in " + file + ": " + UserError.reason(e));
    }

    private int list() {
        Map<String, String> all = ProgramFiles.experiments();
        Workloads.streams()
                .forEach(stream -> all.put(stream.name(), stream.about().description()));
        out().print(new TextTable<Map.Entry<String, String>>()
                .column("name", Map.Entry::getKey)
                .column("what it asks", Map.Entry::getValue)
                .of(all.entrySet()));
        out().print(new TextTable<PolicyProvider>()
                .column("policy", PolicyProvider::name)
                .column("what it does", PolicyProvider::description)
                .of(Policies.providers()));
        out().print(new TextTable<Map.Entry<String, PolicyProvider.Parameter>>()
                .column(
                        "parameter",
                        each -> each.getKey() + ":" + each.getValue().name())
                .column(">by default", each -> each.getValue().usual())
                .column("what it is", each -> each.getValue().description())
                .of(Policies.providers().stream()
                        .flatMap(policy -> policy.parameters().stream().map(each -> Map.entry(policy.name(), each)))
                        .toList()));
        return EvenerCommand.DONE;
    }

    private static List<Against> others(Path file) {
        return UserError.parsed("--against: ", () -> {
            try {
                return Against.read(file);
            } catch (IOException e) {
                throw new DocumentException(file.toString(), UserError.reason(e));
            }
        });
    }

    /** The experiment that is named; null if workloads are. */
    private ProgramFiles.@Nullable Experiment experiment() {
        if (names.isEmpty()) {
            throw UserError.usage("name a WORKLOAD or an experiment: " + Workloads.names() + ", all, or one of --list");
        }
        boolean workloads = names.size() > 1
                || names.get(0).equals("all")
                || KernelFile.isNameOf(names.get(0))
                || workload(names.get(0)).findAny().isPresent();
        return workloads ? null : ProgramFiles.experiment(names.get(0), options());
    }

    private static Stream<Workload> workload(String name) {
        return KernelFile.isNameOf(name)
                ? Stream.of(UserError.parsed("", () -> Workloads.named(name)))
                : Stream.concat(Workloads.all().stream(), Workloads.streams().stream())
                        .filter(w -> w.name().equalsIgnoreCase(name));
    }

    private Plan plan() {
        List<String> each = names.equals(List.of("all"))
                ? Workloads.all().stream().map(Workload::name).toList()
                : names.stream().distinct().toList();
        parameters.check(each.stream().flatMap(BenchCommand::workload).toList());
        return UserError.parsed("", () -> PlanReader.of(each, options()));
    }

    /** What is typed as members that stand before those of a file. */
    private Map<String, Object> options() {
        List<String> shared = new ArrayList<>();
        for (String text : policies == null ? List.<String>of() : policies) {
            shared.addAll(Policies.texts(text));
        }
        if (splits != null) {
            splits.forEach(split -> shared.add("static:" + split));
        }
        Map<String, Object> options = new LinkedHashMap<>();
        put(options, "--sizes", sizes);
        put(options, "--policies", shared);
        put(options, "--styles", styles());
        put(options, "--tunings", tunings);
        put(options, "--baselines", baselines);
        put(options, "--resident", resident);
        put(options, "--timing", timing);
        put(options, "--devices", devices);
        put(options, "--alone", alone);
        put(options, "--repeat", repeat);
        put(options, "--sweep", sweep);
        put(options, "--warm-up", warmUp);
        put(options, "--distribution", distribution);
        put(options, "--set", parameters.texts());
        put(options, "--seed", seed);
        put(options, "--verify", verify);
        put(options, "--inject", faults.faults());
        put(options, "--chunk-deadline", faults.seconds());
        return options;
    }

    private static void put(Map<String, Object> options, String name, @Nullable Object value) {
        Set<Object> nothing = Set.of(false, List.of(), Map.of());
        if (value != null && !nothing.contains(value)) {
            options.put(name, value);
        }
    }

    private List<Map<String, Object>> styles() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (String style : styles == null ? List.<String>of() : styles) {
            String[] sides = style.split("=", 2);
            if (sides.length != 2) {
                throw UserError.usage("--styles: '" + style + "' is not NAME=VALUE,...");
            }
            for (String value : sides[1].split(",", -1)) {
                all.add(Map.of("parameters", Map.of(sides[0], value)));
            }
        }
        return all;
    }
}
