package dev.evener.workloads.cli;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Report;
import dev.evener.policy.Policy;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.cli.report.RunList;
import dev.evener.workloads.cli.report.RunReport;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.InputFile;
import dev.evener.workloads.workload.KernelFile;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Sizes;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import dev.evener.workloads.workload.suite.Workloads;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One workload, on synthetic data or files. */
@Command(
        name = "run",
        description =
                "Runs one workload, on synthetic data or on files of raw little-endian values, and can check and keep the"
                        + " result. docs/run.md has the workloads and their parameters.")
final class RunCommand extends JobCommand {
    @Parameters(
            paramLabel = "WORKLOAD",
            arity = "0..1",
            description =
                    "What to run; --list shows what there is. Or a FILE.json of your own kernels (docs/kernel-files.md).")
    private @Nullable String name;

    @Option(names = "--list")
    private boolean list;

    @Option(names = "--size", paramLabel = "N")
    private @Nullable String size;

    @Option(names = "--distribution", paramLabel = "NAME")
    private @Nullable String distribution;

    @Option(names = "--seed", paramLabel = "N")
    private @Nullable Long seed;

    @Mixin
    private ParameterOptions parameters = new ParameterOptions();

    @Option(names = "--input", paramLabel = "FILE")
    private List<Path> inputs = new ArrayList<>();

    @Option(names = "--energy")
    private boolean energy;

    @Option(names = "--output", paramLabel = "FILE")
    private @Nullable Path output;

    @Override
    int execute() {
        if (list) {
            out().print(name == null ? RunList.all() : RunList.of(workload()));
            return EvenerCommand.DONE;
        }
        checkOptions();
        Workload workload = workload();
        parameters.check(List.of(workload));
        Request request = request(workload, parameters.values(workload));
        if (output != null && ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw UserError.failed("the output could not be written to " + output
                    + ": raw values can be written on little-endian machines only");
        }
        return onDevices("run", (evener, session) -> {
            Policy chosen = policy(evener, policy);
            Request tuned = request.tuned(tuning(evener));
            try (PreparedWorkload prepared = prepare(evener, tuned)) {
                JobLog log = session.jobs(tuned, devices.selector().toString());
                return run(evener, chosen, tuned, prepared, log);
            }
        });
    }

    private Workload workload() {
        if (name == null) {
            throw UserError.usage("name a workload: " + Workloads.names());
        }
        return UserError.parsed("", () -> Workloads.named(name));
    }

    private Request request(Workload workload, Values values) {
        boolean readsNothing = workload.inputs(values).isEmpty();
        if (inputs.isEmpty()) {
            if (readsNothing && distribution != null) {
                throw UserError.usage("--distribution: " + workload.name() + " reads no data");
            }
            Distribution spread = distribution == null
                    ? Distribution.UNIFORM
                    : UserError.parsed("--distribution: ", () -> Distribution.named(distribution));
            return UserError.parsed(
                    "--size: ",
                    () -> Request.synthetic(workload, values, size(workload), spread, seed == null ? 1 : seed));
        }
        if (size != null || distribution != null || seed != null) {
            String option = size != null ? "--size" : distribution != null ? "--distribution" : "--seed";
            throw UserError.usage(option + " is for synthetic data, not for --input");
        }
        if (inputs.stream().anyMatch(i -> i.toString().isEmpty())) {
            throw UserError.usage("--input: the name is empty");
        }
        return UserError.parsed("--input: ", () -> {
            Request request = Request.ofFiles(
                    workload, values, inputs.stream().map(InputFile::of).toList());
            workload.check(request);
            return request;
        });
    }

    private long size(Workload workload) {
        List<Long> sizes = workload.about().defaultSizes();
        return size == null ? sizes.get(sizes.size() / 2) : Sizes.parse(size.strip());
    }

    private static PreparedWorkload prepare(Evener evener, Request request) {
        return UserError.parsed(
                request.workload() instanceof KernelFile
                        ? ""
                        : request.workload().name() + ": ",
                () -> request.workload().prepare(evener, request));
    }

    private int run(Evener evener, Policy chosen, Request request, PreparedWorkload prepared, JobLog log) {
        ProgressLine progress = progress();
        List<Report> reports = new ArrayList<>();
        List<Report> warmUpRuns = new ArrayList<>();
        progress.show("warming up");
        warmUp(() -> {
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
        EnergyMeter.Reading taken = null;
        try (EnergyMeter meter = energy ? EnergyMeter.open() : null) {
            while (reports.size() < repeat) {
                progress.show(reports.size() + " of " + repeat + " runs");
                reports.add(run(evener, chosen, evener.history(), prepared, log));
            }
            taken = meter == null ? null : meter.read();
        }
        if (repeat > 1) { // what is updated in place has been updated more than once
            prepared.reset();
            log.fresh();
            run(evener, chosen, evener.history(), prepared, log);
        }
        String mismatch = null;
        if (verify) {
            progress.show("checking");
            mismatch = prepared.mismatch();
        }
        Path target = mismatch == null ? output : null;
        Path written = null;
        if (target != null) {
            progress.show("writing");
            written = report.attempt(() -> OutputFiles.writeOutput(target, prepared.output())) ? target : null;
        }
        progress.clear();
        long building = Stream.concat(warmUpRuns.stream(), reports.stream())
                .mapToLong(Report::buildNanos)
                .sum();
        RunReport run =
                new RunReport(request, prepared, reports, warmUp(building, warmUpRuns.size()), evener.devices());
        report.keep(run.title());
        return tell(run, verify ? mismatch == null : null, mismatch, written, taken);
    }

    private int tell(
            RunReport run,
            @Nullable Boolean verified,
            @Nullable String mismatch,
            @Nullable Path written,
            EnergyMeter.@Nullable Reading taken) {
        List<String> failures = mismatch == null
                ? List.of()
                : List.of("the result is wrong: " + mismatch + (output == null ? "" : "; it was not written"));
        warn(run.recovered());
        warn(failures);
        tell(() -> run.text(verified, written) + (taken == null ? "" : taken.text()), run::explanation, () -> {
            Map<String, Object> map = run.toMap(verified, failures, written);
            if (taken != null) {
                taken.put(map);
            }
            return map;
        });
        report.write("evener run: " + run.title(), page -> {
            if (mismatch != null) {
                page.warning("The result is wrong: " + mismatch);
            }
        });
        return failures.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private Report run(Evener evener, Policy chosen, History history, PreparedWorkload prepared, JobLog log) {
        try {
            return log.run(chosen.name(), () -> evener.submit(prepared.job(), chosen, history), prepared::output);
        } catch (EvenerException e) {
            throw prepared.request().workload().located(e);
        }
    }
}
