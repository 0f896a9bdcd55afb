package dev.evener.workloads.cli;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.history.History;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.workloads.experiment.Comparer;
import dev.evener.workloads.experiment.Comparison;
import dev.evener.workloads.experiment.Settings;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Policies against the best static split, each device alone, and each other. */
@Command(
        name = "compare",
        description = "Measures policies against each device alone and the best static split, on workloads of several"
                + " sizes. docs/compare.md describes the method.")
final class CompareCommand extends CliCommand {
    private static final int MOST_ROUNDS = 100_000;
    private static final int MOST_STEPS = 1001;
    private static final double MOST_SECONDS = 600;

    @Parameters(
            paramLabel = "WORKLOAD",
            arity = "1..*",
            description = "What to run: names of workloads (see evener run --list), or all.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--sizes",
            paramLabel = "LIST",
            description =
                    "Sizes in items (pixels, numbers), separated by commas, such as 16Ki,1Mi,4000000; K, M, G count in"
                            + " thousands, Ki, Mi, Gi in 1024s. By default three that suit the workload.")
    private @Nullable String sizes;

    @Mixin
    private CompetitorOptions competitors = new CompetitorOptions();

    @Mixin
    private TuningOption tuning = new TuningOption();

    @Mixin
    private DeviceSetOptions devices = new DeviceSetOptions();

    @Mixin
    private FaultOptions faults = new FaultOptions();

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Measure every contender N times; by default 15 times or, where jobs are short, up to 1001.")
    private @Nullable Integer repeat;

    @Option(
            names = "--sweep",
            paramLabel = "STEPS",
            description = "Static splits of two devices to begin with, evenly spaced (17 by default), before the best"
                    + " is refined; 0 for no best static split.")
    private int steps = 17;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Run everything that long before anything counts (1 by default), and 12 jobs at least.")
    private double warmUp = 1;

    @Mixin
    private DataOptions data = new DataOptions();

    @Mixin
    private ParameterOptions parameters = new ParameterOptions();

    @Option(names = "--seed", paramLabel = "N", description = "For data and the order of runs; 1 by default.")
    private long seed = 1;

    @Option(names = "--verify", description = "Check what each contender computes.")
    private boolean verify;

    @Option(
            names = "--explain",
            description =
                    "Say for each policy why it shared out the last job as it did, and how far its prediction was off.")
    private boolean explain;

    @Mixin
    private RecordOption record = new RecordOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private CsvOption csv = new CsvOption();

    @Override
    int execute() {
        Settings settings = settings();
        faults.on(Evener.builder()); // what is wrong there is said before anything runs
        json.check();
        csv.check();
        record.check();
        if (json.toStandardOutput() && csv.toStandardOutput()) {
            throw UserError.usage("--json and --csv cannot both go to standard output");
        }
        List<Request> tasks = tasks();
        List<DeviceSelector> sets = devices.selectors();
        sets.forEach(Evener::select); // what is not there is said before anything runs
        CompareReport report = new CompareReport(settings, data.distribution());
        ProgressLine progress = new ProgressLine(err(), !quiet());
        boolean table = !quiet() && !json.toStandardOutput() && !csv.toStandardOutput();
        try (RecordOption.Session session = record.begin("compare")) {
            for (DeviceSelector set : sets) {
                try (Evener evener = open(set, session)) {
                    if (!quiet()) {
                        DeviceOptions.notes(evener).forEach(note -> err().println("evener: " + note));
                        err().flush();
                    }
                    Tuning tuned = tuning.on(evener, this);
                    for (Request task : tasks) {
                        run(evener, set, task.tuned(tuned), settings, report, progress, table, session);
                    }
                }
            }
        }
        if (table) {
            out().print(CompareText.summary(report.results()));
            out().print(report.loadNote());
        }
        if (json.wanted()) {
            json.write(out(), report.toMap());
        }
        csv.write(out(), CompareCsv.text(report.results()));
        return report.failures().isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    /** The devices, with a history that begins empty and is forgotten: figures must not hang on earlier runs. */
    private Evener open(DeviceSelector set, RecordOption.Session session) {
        Evener.Builder builder =
                Evener.builder().devices(set).history(History.inMemory()).bindCores(true);
        return session.on(faults.on(builder)).open();
    }

    private void run(
            Evener evener,
            DeviceSelector set,
            Request task,
            Settings settings,
            CompareReport report,
            ProgressLine progress,
            boolean table,
            RecordOption.Session session) {
        String what = task.workload().name() + ", " + Sizes.text(task.items()) + " "
                + task.workload().item() + "s" + CompareText.details(task) + " on " + set;
        Comparer comparer = new Comparer(
                evener, settings, doing -> progress.show(what + ": " + doing), session.jobs(task, set.toString()));
        try {
            Comparison comparison = comparer.compare(task);
            progress.clear();
            report.add(set, comparison);
            comparison.mismatches().forEach(m -> fail(report, what + ", " + m));
            comparison
                    .recovered()
                    .forEach((failure, contenders) -> err().println("evener: " + what + ", "
                            + String.join(", ", contenders) + ": " + EvenerCommand.oneLine(failure)));
            err().flush();
            if (table) {
                out().println(CompareText.table(set, comparison));
                if (explain) {
                    out().print(CompareText.explanations(comparison));
                }
                out().flush();
            }
        } catch (EvenerException | IllegalArgumentException e) { // the latter where size and parameters do not fit
            progress.clear();
            if (verbose()) {
                e.printStackTrace(err());
            }
            fail(report, what + ": " + EvenerCommand.oneLine(String.valueOf(e.getMessage())));
        }
    }

    private void fail(CompareReport report, String message) {
        report.fail(message);
        err().println("evener: " + message);
        err().flush();
    }

    /** Each workload at each size. */
    private List<Request> tasks() {
        List<Request> tasks = new ArrayList<>();
        List<Workload> workloads = workloads();
        parameters.check(workloads);
        for (Workload workload : workloads) {
            Values values = parameters.values(workload);
            for (long items : sizes(workload)) {
                tasks.add(request(workload, values, items));
            }
        }
        return tasks;
    }

    private List<Workload> workloads() {
        if (names.equals(List.of("all"))) {
            return Workloads.all();
        }
        try {
            return names.stream().map(Workloads::named).distinct().toList();
        } catch (IllegalArgumentException e) {
            throw UserError.usage(e.getMessage() + ", or all");
        }
    }

    private List<Long> sizes(Workload workload) {
        if (sizes == null) {
            return workload.about().defaultSizes();
        }
        try {
            return Sizes.parseList(sizes);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--sizes: " + e.getMessage());
        }
    }

    private Request request(Workload workload, Values values, long items) {
        try {
            return Request.madeUp(workload, values, items, data.distribution(), seed);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--sizes: " + e.getMessage());
        }
    }

    private Settings settings() {
        if (repeat != null) {
            UserError.checkCount("--repeat", repeat, MOST_ROUNDS);
        }
        if (steps != 0 && (steps < 2 || steps > MOST_STEPS)) {
            throw UserError.usage("--sweep: " + steps + " is neither 0 nor between 2 and " + MOST_STEPS);
        }
        if (!(warmUp >= 0 && warmUp <= MOST_SECONDS)) {
            throw UserError.usage("--warm-up: " + warmUp + " is not between 0 and " + (int) MOST_SECONDS + " seconds");
        }
        Duration warm = Duration.ofNanos((long) (warmUp * 1e9));
        return new Settings(competitors.policies(), repeat == null ? 0 : repeat, steps, warm, seed, verify);
    }
}
