package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.policy.Policy;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.InputException;
import dev.evener.workloads.workload.InputFile;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.Workloads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One workload, on made-up data or files. */
@Command(
        name = "run",
        description =
                "Runs one workload, on data that it makes up or on files of raw little-endian values, and can check"
                        + " and keep the result. docs/run.md has the workloads and their parameters.")
final class RunCommand extends CliCommand {
    private static final int MOST_RUNS = 1_000_000;

    @Parameters(paramLabel = "WORKLOAD", arity = "0..1", description = "What to run; --list shows what there is.")
    private @Nullable String name;

    @Option(names = "--list", description = "Show the workloads, or the parameters and data of the one named.")
    private boolean list;

    @Option(
            names = "--size",
            paramLabel = "N",
            description =
                    "How many items (pixels, numbers) to make up, such as 4096, 16Ki or 16K; by default what suits"
                            + " the workload.")
    private @Nullable String size;

    @Mixin
    private DataOptions data = new DataOptions();

    @Option(names = "--seed", paramLabel = "N", description = "What data are made from; 1 by default.")
    private @Nullable Long seed;

    @Mixin
    private ParameterOptions parameters = new ParameterOptions();

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "Take the data from FILE: raw little-endian values and nothing else. Once for each array that"
                    + " the workload reads.")
    private List<Path> inputs = new ArrayList<>();

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "Write the result to FILE, as raw little-endian values.")
    private @Nullable Path output;

    @Mixin
    private DeviceOptions devices = new DeviceOptions();

    @Mixin
    private TuningOption tuning = new TuningOption();

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private FaultOptions faults = new FaultOptions();

    @Option(
            names = "--explain",
            description = "Say why the devices were chosen, what was predicted and how far that was off.")
    private boolean explain;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            description = "Run N times, for measuring, and warm up for a second instead of once.")
    private int repeat = 1;

    @Mixin
    private WarmUpOption warmUp = new WarmUpOption();

    @Option(names = "--verify", description = "Compare the result with an independent reference.")
    private boolean verify;

    @Mixin
    private CheckedOption checked = new CheckedOption();

    @Mixin
    private RecordOption record = new RecordOption();

    @Mixin
    private ViewOptions view = new ViewOptions();

    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    int execute() {
        if (list) {
            return list();
        }
        UserError.checkCount("--repeat", repeat, MOST_RUNS);
        policy.check();
        json.check();
        record.check();
        view.check();
        Workload workload = workload();
        parameters.check(List.of(workload));
        Request request = request(workload, parameters.values(workload));
        OutputFile file = output == null ? null : OutputFile.checked(output, request.files());
        Evener.Builder usual = Evener.builder().devices(devices.selector()).bindCores(true);
        Evener.Builder builder = view.on(faults.on(checked.on(usual, policy, warmUp), warmUp.over()));
        try (RecordOption.Session session = record.begin("run");
                Evener evener = session.on(builder).open()) {
            if (!quiet()) {
                DeviceOptions.notes(evener).forEach(note -> err().println("evener: " + note));
                err().flush();
            }
            Policy chosen = policy.policy(evener.devices().size());
            Request tuned = request.tuned(tuning.on(evener, this));
            try (PreparedWorkload prepared = prepare(evener, tuned)) {
                JobLog log = session.jobs(tuned, devices.selector().toString());
                return run(evener, chosen, tuned, prepared, file, log);
            }
        }
    }

    private int list() {
        out().print(name == null ? WorkloadText.all() : WorkloadText.of(workload()));
        return EvenerCommand.DONE;
    }

    private Workload workload() {
        if (name == null) {
            throw UserError.usage("name a workload: " + Workloads.names());
        }
        try {
            return Workloads.named(name);
        } catch (IllegalArgumentException e) {
            throw UserError.usage(e.getMessage());
        }
    }

    private Request request(Workload workload, Values values) {
        boolean readsNothing = workload.inputs(values).isEmpty();
        if (inputs.isEmpty()) {
            if (readsNothing && data.given()) {
                throw UserError.usage("--distribution: " + workload.name() + " reads no data");
            }
            try {
                return Request.madeUp(workload, values, size(workload), data.distribution(), seed == null ? 1 : seed);
            } catch (IllegalArgumentException e) {
                throw UserError.usage("--size: " + e.getMessage());
            }
        }
        if (size != null || data.given() || seed != null) {
            String option = size != null ? "--size" : data.given() ? "--distribution" : "--seed";
            throw UserError.usage(option + " is for data that are made up, not for --input");
        }
        if (inputs.stream().anyMatch(i -> i.toString().isEmpty())) {
            throw UserError.usage("--input: the name is empty");
        }
        try {
            Request request = Request.ofFiles(
                    workload, values, inputs.stream().map(InputFile::of).toList());
            workload.check(request);
            return request;
        } catch (InputException e) {
            throw UserError.failed(e.getMessage());
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--input: " + e.getMessage());
        }
    }

    private long size(Workload workload) {
        List<Long> sizes = workload.about().defaultSizes();
        try {
            return size == null ? sizes.get(sizes.size() / 2) : Sizes.parse(size.strip());
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--size: " + e.getMessage());
        }
    }

    private static PreparedWorkload prepare(Evener evener, Request request) {
        try {
            return request.workload().prepare(evener, request);
        } catch (InputException e) {
            throw UserError.failed(e.getMessage());
        } catch (IllegalArgumentException e) {
            throw UserError.usage(request.workload().name() + ": " + e.getMessage());
        }
    }

    private int run(
            Evener evener,
            Policy chosen,
            Request request,
            PreparedWorkload prepared,
            @Nullable OutputFile file,
            JobLog log) {
        ProgressLine progress = new ProgressLine(err(), !quiet());
        List<Report> reports = new ArrayList<>();
        List<Report> warmUpRuns = new ArrayList<>();
        progress.show("warming up");
        warmUp.run(repeat, () -> {
            // What the very first run takes says nothing of later ones.
            History history = warmUpRuns.isEmpty() ? History.inMemory() : evener.history();
            warmUpRuns.add(run(evener, chosen, history, prepared, log));
        });
        if (verify || !warmUpRuns.isEmpty()) { // what is updated in place has been updated
            prepared.reset();
        }
        if (!warmUpRuns.isEmpty()) {
            log.fresh();
        }
        while (reports.size() < repeat) {
            progress.show(reports.size() + " of " + repeat + " runs");
            reports.add(run(evener, chosen, prepared, log));
        }
        if (repeat > 1) { // what is updated in place has been updated more than once
            prepared.reset();
            log.fresh();
            run(evener, chosen, prepared, log);
        }
        String mismatch = null;
        if (verify) {
            progress.show("checking");
            mismatch = prepared.mismatch();
        }
        if (file != null && mismatch == null) {
            progress.show("writing");
            file.write(prepared.output());
        }
        progress.clear();
        RunReport report = new RunReport(request, prepared, reports, warmUpRuns, warmUp, evener.devices());
        int code = tell(report, verify ? mismatch == null : null, mismatch, file);
        show(report, evener, mismatch);
        return code;
    }

    private void show(RunReport report, Evener evener, @Nullable String mismatch) {
        view.keep(report.title(), evener.devices());
        view.write("evener run: " + report.title(), page -> {
            if (mismatch != null) {
                page.warning("The result is wrong: " + mismatch);
            }
        });
    }

    private int tell(
            RunReport report, @Nullable Boolean verified, @Nullable String mismatch, @Nullable OutputFile file) {
        report.recovered().forEach(f -> err().println("evener: " + EvenerCommand.oneLine(f)));
        List<String> failures = new ArrayList<>();
        if (mismatch != null) {
            failures.add("the result is wrong: " + mismatch + (file == null ? "" : "; it was not written"));
            failures.forEach(f -> err().println("evener: " + f));
        }
        err().flush();
        Path written = file != null && mismatch == null ? file.path() : null;
        if (!quiet() && !json.toStandardOutput()) {
            out().print(report.text(verified, written) + checked.text());
            if (explain) {
                out().print(report.explanation());
            }
        }
        if (json.wanted()) {
            json.write(out(), report.toMap(verified, failures, written));
        }
        return failures.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private Report run(Evener evener, Policy chosen, PreparedWorkload prepared, JobLog log) {
        return run(evener, chosen, evener.history(), prepared, log);
    }

    private Report run(Evener evener, Policy chosen, History history, PreparedWorkload prepared, JobLog log) {
        return log.run(policy.text(), () -> evener.submit(prepared.job(), chosen, history), prepared::output);
    }
}
