package dev.evener.workloads.cli;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.experiment.Scenario;
import dev.evener.workloads.experiment.Settings;
import dev.evener.workloads.experiment.Setup;
import dev.evener.workloads.experiment.file.Description;
import dev.evener.workloads.experiment.file.ResultsFile;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    @Parameters(
            paramLabel = "WORKLOAD",
            arity = "0..*",
            description = "What to run: names of workloads (see evener run --list), or all.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--sizes",
            paramLabel = "LIST",
            description =
                    "Sizes in items (pixels, numbers), separated by commas, such as 16Ki,1Mi,4000000; K, M, G count in"
                            + " thousands, Ki, Mi, Gi in 1024s. By default three that suit the workload.")
    private @Nullable String sizes;

    @Option(
            names = "--experiment",
            paramLabel = "FILE",
            description = "Make the comparisons that FILE describes (docs/experiment-files.md), or an experiment that"
                    + " comes with Evener, by its name. What was interrupted goes on where it was.")
    private @Nullable String experiment;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Where --experiment keeps its results; by default beside its file, with the ending"
                    + " .results.jsonl.")
    private @Nullable Path results;

    @Option(names = "--fresh", description = "Forget what --experiment found before, and measure everything again.")
    private boolean fresh;

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
    private @Nullable Integer steps;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "Run everything that long before anything counts (1 by default), and 30 jobs at least.")
    private @Nullable Double warmUp;

    @Mixin
    private DataOptions data = new DataOptions();

    @Mixin
    private ParameterOptions parameters = new ParameterOptions();

    @Option(names = "--seed", paramLabel = "N", description = "For data and the order of runs; 1 by default.")
    private @Nullable Long seed;

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
    private ViewOptions view = new ViewOptions();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private CsvOption csv = new CsvOption();

    @Override
    int execute() {
        json.check();
        csv.check();
        record.check();
        view.check();
        if (json.toStandardOutput() && csv.toStandardOutput()) {
            throw UserError.usage("--json and --csv cannot both go to standard output");
        }
        if (experiment != null) {
            return experiment(experiment);
        }
        if (results != null || fresh) {
            throw UserError.usage((results != null ? "--out" : "--fresh") + " goes with --experiment");
        }
        if (names.isEmpty()) {
            throw UserError.usage("name a WORKLOAD, or an --experiment: " + Workloads.names() + ", or all");
        }
        Settings settings = settings();
        faults.on(Evener.builder()); // what is wrong there is said before anything runs
        Scenario scenario = new Scenario("", faults.faults(), Scenario.From.START);
        List<Setup> setups = new ArrayList<>();
        List<Request> tasks = tasks();
        for (DeviceSelector set : devices.selectors()) {
            tasks.forEach(task -> setups.add(new Setup(set, scenario, task, settings, faults.chunkDeadline())));
        }
        return run(setups, null, new CompareReport("", settings, data.distribution()));
    }

    private int experiment(String given) {
        refuseWhatTheFileSays();
        ExperimentFiles.Found found = ExperimentFiles.find(given);
        Description description = found.description();
        if (devices.given()) {
            description = description.on(devices.selectors());
        }
        if (repeat != null) {
            description = description.repeated(UserError.checkCount("--repeat", repeat, Settings.MOST_ROUNDS));
        }
        CompareReport report =
                new CompareReport(description.name(), description.settings(), description.distribution());
        Path file = results == null ? found.results() : results;
        try (ResultsFile kept = ResultsFile.open(file, fresh)) {
            return run(description.setups(), kept, report);
        } catch (DocumentException e) {
            throw UserError.failed(e.getMessage());
        } catch (IOException e) {
            throw UserError.failed("the results cannot be kept in " + file + ": " + UserError.reason(e));
        }
    }

    private void refuseWhatTheFileSays() {
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("WORKLOAD", !names.isEmpty());
        given.put("--sizes", sizes != null);
        given.put("--policies and --chunks", competitors.given());
        given.put("--inject and --chunk-deadline", faults.given());
        given.put("--sweep", steps != null);
        given.put("--warm-up", warmUp != null);
        given.put("--distribution", data.given());
        given.put("--set", parameters.given());
        given.put("--seed", seed != null);
        given.put("--verify", verify);
        given.forEach((option, there) -> {
            if (there) {
                throw UserError.usage(option + " cannot be given beside --experiment: its file says that");
            }
        });
    }

    /** @param kept for an experiment, whose results it holds */
    private int run(List<Setup> setups, @Nullable ResultsFile kept, CompareReport report) {
        boolean table = !quiet() && !json.toStandardOutput() && !csv.toStandardOutput();
        int before;
        try (RecordOption.Session session = record.begin("compare");
                CompareRun run = new CompareRun(this, tuning, report, new Watching(session, view), table, explain)) {
            before = run.run(setups, kept);
        }
        if (table) {
            List<CompareReport.Result> all = report.results();
            out().print(kept == null ? CompareText.summary(all) : CompareText.matrix(all));
            if (before > 0) {
                out().println(before + " of " + setups.size() + " comparisons were made before, and not again");
            }
            out().print(report.loadNote());
        }
        if (json.wanted()) {
            json.write(out(), report.toMap());
        }
        csv.write(out(), CompareCsv.text(report.results()));
        view.write("evener compare: " + (experiment == null ? String.join(", ", names) : experiment), page -> {
            report.failures().forEach(page::warning);
            report.results().forEach(r -> page.add(r.ranking()));
        });
        return report.failures().isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
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
            return Request.madeUp(workload, values, items, data.distribution(), seed());
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--sizes: " + e.getMessage());
        }
    }

    private long seed() {
        return seed == null ? 1 : seed;
    }

    private Settings settings() {
        if (repeat != null) {
            UserError.checkCount("--repeat", repeat, Settings.MOST_ROUNDS);
        }
        int sweep = steps == null ? Settings.USUAL_STEPS : steps;
        if (sweep != 0 && (sweep < 2 || sweep > Settings.MOST_STEPS)) {
            throw UserError.usage("--sweep: " + sweep + " is neither 0 nor between 2 and " + Settings.MOST_STEPS);
        }
        double warm = warmUp == null ? 1 : warmUp;
        if (!(warm >= 0 && warm <= Settings.MOST_WARM_UP_SECONDS)) {
            throw UserError.usage(
                    "--warm-up: " + warm + " is not between 0 and " + Settings.MOST_WARM_UP_SECONDS + " seconds");
        }
        Duration warming = Duration.ofNanos((long) (warm * 1e9));
        return new Settings(competitors.policies(), repeat == null ? 0 : repeat, sweep, warming, seed(), verify);
    }
}
