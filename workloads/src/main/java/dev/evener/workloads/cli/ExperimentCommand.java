package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.Evener;
import dev.evener.history.History;
import dev.evener.workloads.experiment.Experiment;
import dev.evener.workloads.experiment.Experiments;
import dev.evener.workloads.experiment.Finding;
import dev.evener.workloads.experiment.Laboratory;
import dev.evener.workloads.experiment.PipelineFinding;
import dev.evener.workloads.experiment.PipelineRace;
import dev.evener.workloads.frame.FrameException;
import dev.evener.workloads.workload.FrameWork;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ways to do the same, against each other: on each device alone, or by all devices together on a stream of frames. */
@Command(
        name = "experiment",
        description = "Compares ways to do the same, such as the styles of a segmented scan on each device alone, or"
                + " placing the work of a stream of frames, and prints a table. docs/experiments.md describes the"
                + " experiments.")
final class ExperimentCommand extends CliCommand {
    private static final int MOST_ROUNDS = 100_000;

    @Parameters(paramLabel = "NAME", arity = "0..1", description = "Which one; --list shows what there is.")
    private @Nullable String name;

    @Option(names = "--list", description = "Show the experiments.")
    private boolean list;

    @Option(
            names = "--size",
            paramLabel = "N",
            description = "How many items, such as 4096, 16Ki or 16K; for pipelines the size of a frame, such as"
                    + " 1920x1080.")
    private @Nullable String size;

    @Mixin
    private DataOptions data = new DataOptions();

    @Option(names = "--seed", paramLabel = "N", description = "For data and the order of runs; 1 by default.")
    private long seed = 1;

    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Option(names = "--repeat", paramLabel = "N", description = "Measure everything N times; 15 by default.")
    private int repeat = 15;

    @Mixin
    private StreamOptions stream = new StreamOptions();

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
        if (list) {
            TextTable table = new TextTable("experiment", "what it compares");
            Experiments.all().forEach(e -> table.row(e.name(), e.description()));
            StreamOptions.names().forEach(n -> table.row(n, StreamOptions.description()));
            out().print(table);
            return EvenerCommand.DONE;
        }
        UserError.checkCount("--repeat", repeat, MOST_ROUNDS);
        json.check();
        record.check();
        view.check();
        csv.check();
        if (json.toStandardOutput() && csv.toStandardOutput()) {
            throw UserError.usage("--json and --csv cannot both go to standard output");
        }
        FrameWork work = StreamOptions.named(name);
        return work == null ? compare(experiment()) : stream(work);
    }

    private int compare(Experiment experiment) {
        stream.refuse(experiment.name());
        Laboratory.Conditions conditions =
                new Laboratory.Conditions(size(experiment), data.distribution(), seed, repeat);
        boolean table = !quiet() && !json.toStandardOutput() && !csv.toStandardOutput();
        ProgressLine progress = new ProgressLine(err(), !quiet());
        List<DeviceInfo> all = Evener.select(devices.selector());
        List<Finding> findings = new ArrayList<>();
        try (RecordOption.Session session = record.begin("experiment")) {
            Laboratory laboratory = new Laboratory(experiment, conditions, new Watching(session, view), progress::show);
            for (DeviceInfo device : all) {
                List<Finding> found = laboratory.on(device);
                progress.clear();
                findings.addAll(found);
                if (table) {
                    out().println(ExperimentReport.table(experiment, device, conditions, found));
                    out().flush();
                }
            }
        }
        if (json.wanted()) {
            json.write(out(), ExperimentReport.toMap(experiment, conditions, findings));
        }
        csv.write(out(), ExperimentReport.csv(experiment, findings));
        List<Finding> wrong = findings.stream().filter(ExperimentReport::wrong).toList();
        List<String> problems = wrong.stream()
                .map(finding -> finding.device().id() + ", " + finding.cell().way() + ", " + experiment.variable() + " "
                        + finding.cell().value() + ": " + finding.problem())
                .toList();
        problems.forEach(problem -> err().println("evener: " + problem));
        view.write("evener experiment: " + experiment.name(), page -> problems.forEach(page::warning));
        return wrong.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private int stream(FrameWork work) {
        if (data.given()) {
            throw UserError.usage("--distribution does not go with streams of frames");
        }
        FrameWork.Request request = stream.request(work, size, seed);
        int frames = stream.frames();
        ProgressLine progress = new ProgressLine(err(), !quiet());
        Evener.select(devices.selector()); // what is not there is said before a record begins
        String title = Objects.requireNonNull(name).toLowerCase(Locale.ROOT);
        Evener.Builder builder = Evener.builder()
                .devices(devices.selector())
                .history(History.inMemory())
                .bindCores(true);
        try (RecordOption.Session session = record.begin("experiment");
                Evener evener = new Watching(session, view).on(builder, title).open();
                FrameWork.Prepared<?> prepared = prepare(evener, work, request)) {
            List<PipelineFinding> found = PipelineRace.run(evener, prepared, frames, repeat, seed, progress::show);
            progress.clear();
            PipelineFindings findings = new PipelineFindings(
                    new PipelineFindings.About(
                            title,
                            prepared.size(),
                            prepared.pixels() / (double) request.slots(),
                            frames,
                            request.slots(),
                            repeat,
                            seed),
                    found);
            if (!quiet() && !json.toStandardOutput() && !csv.toStandardOutput()) {
                out().print(findings.table());
            }
            if (json.wanted()) {
                json.write(out(), findings.toMap());
            }
            csv.write(out(), findings.csv());
            List<PipelineFinding> wrong =
                    found.stream().filter(f -> f.problem() != null).toList();
            List<String> problems =
                    wrong.stream().map(f -> f.way() + ": " + f.problem()).toList();
            problems.forEach(problem -> err().println("evener: " + problem));
            view.write("evener experiment: " + title, page -> problems.forEach(page::warning));
            return wrong.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
        }
    }

    private static FrameWork.Prepared<?> prepare(Evener evener, FrameWork work, FrameWork.Request request) {
        try {
            return work.prepare(evener, request);
        } catch (FrameException e) {
            throw UserError.failed(e.getMessage());
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--size: " + e.getMessage());
        }
    }

    private Experiment experiment() {
        if (name == null) {
            throw UserError.usage(
                    "name an experiment: " + Experiments.names() + ", " + String.join(", ", StreamOptions.names()));
        }
        try {
            return Experiments.named(name);
        } catch (IllegalArgumentException e) {
            throw UserError.usage(e.getMessage() + ", " + String.join(", ", StreamOptions.names()));
        }
    }

    private long size(Experiment experiment) {
        try {
            long items = size == null ? experiment.items() : Sizes.parse(size.strip());
            for (Experiment.Cell cell : experiment.cells()) { // what is too much is said before anything runs
                Values values = Values.of(cell.workload(), cell.set());
                Request.madeUp(cell.workload(), values, items, data.distribution(), seed);
            }
            return items;
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--size: " + e.getMessage());
        }
    }
}
