package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.policy.Objective;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.Fit;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.workloads.LogSetup;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.random.RandomCases;
import dev.evener.workloads.replay.ArrivalReport;
import dev.evener.workloads.replay.Predicted;
import dev.evener.workloads.replay.RandomMachines;
import dev.evener.workloads.replay.SimulatedReplay;
import dev.evener.workloads.replay.SimulatedTrace;
import dev.evener.workloads.workload.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A recorded workload again, on a virtual clock, or jobs on machines drawn at random; docs/records.md. */
@Command(
        name = "simulate",
        description =
                "Simulates the jobs of a record on a virtual clock, on devices modelled after it or on others, as they"
                        + " were cut then and, beside that, by another policy. With --machines, jobs on machines drawn at"
                        + " random: how far a policy is from the best static split. docs/records.md describes both.")
final class SimulateCommand extends CliCommand {
    private static final int JOBS = 300;
    private static final int MOST = 1_000_000;

    @Parameters(
            paramLabel = "RECORD",
            arity = "0..1",
            description = "A file that --record wrote, or a trace (.swf, .csv, .json).")
    private @Nullable Path file;

    @Option(names = "--partial")
    private boolean partial;

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Option(names = "--machine", paramLabel = "FILE")
    private @Nullable Path machine;

    @Option(names = "--save-machine", paramLabel = "FILE")
    private @Nullable Path saved;

    @Option(names = "--seed", paramLabel = "N")
    private long seed = 1;

    @Option(names = "--event", paramLabel = "TEXT")
    private List<String> events = new ArrayList<>();

    @Option(names = "--arrivals", paramLabel = "FILE")
    private @Nullable Path arrivals;

    @Option(names = "--map", paramLabel = "RULE", split = ",")
    private List<String> map = new ArrayList<>();

    @Option(names = "--machines", paramLabel = "N")
    private @Nullable Integer machines;

    @Option(names = "--policies", paramLabel = "LIST")
    private @Nullable String policies;

    @Option(names = "--jobs", paramLabel = "N")
    private @Nullable Integer jobs;

    @Option(names = "--unpromised")
    private boolean unpromised;

    @Option(names = "--unkind")
    private boolean unkind;

    @Option(names = "--explain")
    private boolean explain;

    @Mixin
    private ReportOptions report = new ReportOptions();

    @Mixin
    private ReportOptions.Formats formats = new ReportOptions.Formats();

    private int runs;

    @Override
    int execute() {
        Path record = file;
        if (record != null && machines != null) {
            throw UserError.usage("RECORD and --machines cannot be given together");
        }
        if (machines != null) {
            return onRandomMachines(machines);
        }
        if (record == null) {
            throw UserError.usage("RECORD is missing: name a file that --record wrote, or give --machines");
        }
        if (jobs != null || unpromised || unkind || explain || policies != null) {
            throw UserError.usage("--jobs, --policies, --unpromised, --unkind and --explain go with --machines");
        }
        return ofRecord(record);
    }

    private int ofRecord(Path record) {
        policy.check();
        checkPower();
        List<MachineEvent> parsed = UserError.parsed(
                "--event: ", () -> events.stream().map(MachineEvent::parse).toList());
        if (Trace.isNameOf(record)) {
            return ofTrace(record, parsed);
        }
        if (!map.isEmpty() && (arrivals == null || !Trace.isLog(arrivals))) {
            throw UserError.usage("--map: only traces (.swf, .csv, .json) are mapped");
        }
        Recording recording = partial ? RecordReader.readPartial(record) : RecordReader.read(record);
        warn(recording.notes());
        if (arrivals != null) {
            return ofRequests(arrivals, recording, parsed);
        }
        List<SimulatedReplay.Row> rows = simulate(recording, parsed);
        Tables tables = new Tables().add("", SimulatedReplay.TABLE, rows);
        tell(report, formats, () -> tables, () -> {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("record", record.toString());
            map.put("simulated", tables.maps());
            return map;
        });
        report.reproducible();
        report.write("evener simulate: " + record, page -> page.tables(tables.cells()));
        return rows.stream().allMatch(r -> r.failed() == 0) ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private void checkPower() {
        if (policy.objective() != Objective.TIME) {
            String unknown = machine == null
                    ? "any device"
                    : read(machine).devices().stream()
                            .filter(model -> !model.power().known())
                            .map(model -> model.device().id())
                            .collect(Collectors.joining(", "));
            if (!unknown.isEmpty()) {
                throw UserError.failed("--objective " + policy.objective().text() + ": nothing says what " + unknown
                        + " draws: give it idleWatts and busyWatts in the file of --machine");
            }
        }
    }

    private int ofTrace(Path file, List<MachineEvent> parsed) {
        Path described = machine;
        if (described == null || partial || saved != null || arrivals != null) {
            throw UserError.usage(file
                    + " is a trace: it goes with --machine FILE, not with --partial, --save-machine or --arrivals");
        }
        Trace<Trace.Times> trace = trace(file, map, Trace::times);
        return tell(
                file, Fit.given(read(described)), parsed, trace, (simulated, notes) -> simulated.ofTimes(trace, notes));
    }

    /** Jobs that were never run, of the kinds of the record. */
    private int ofRequests(Path jobs, Recording recording, List<MachineEvent> parsed) {
        Trace<Request> trace = trace(jobs, map, Trace::requests);
        Fit on = machine == null ? fitted(recording) : Fit.given(read(machine));
        return tell(jobs, on, parsed, trace, (simulated, notes) -> simulated.ofRequests(trace, recording, notes));
    }

    private int tell(
            Path file,
            Fit fit,
            List<MachineEvent> parsed,
            Trace<?> trace,
            BiFunction<SimulatedTrace, List<String>, ArrivalReport> run) {
        List<String> notes = new ArrayList<>(trace.notes());
        notes.addAll(fit.warnings());
        List<DeviceInfo> devices =
                fit.machine().devices().stream().map(DeviceModel::device).toList();
        SimulatedTrace simulated = new SimulatedTrace(
                fit.machine(),
                policy.policy(devices.size()),
                seed,
                parsed,
                report.wanted() ? report.listener("run", devices) : null);
        Predicted predicted = LogSetup.withoutWarnings(() -> simulated.predicted(run, notes, fit.error()));
        ArrivalReport ran = predicted.first();
        warn(notes.stream().map(note -> file + ": " + note).toList());
        warn(ran.failed().stream()
                .map(job -> file + ": line " + job.line() + ": " + EvenerCommand.oneLine(String.valueOf(job.failure())))
                .toList());
        tell(report, formats, predicted::tables, predicted::toMap);
        report.reproducible();
        report.write(
                "evener simulate: " + file,
                page -> page.tables(predicted.tables().cells()));
        return ran.failed().isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private int onRandomMachines(int count) {
        if (partial
                || !map.isEmpty()
                || machine != null
                || arrivals != null
                || saved != null
                || !events.isEmpty()
                || report.wanted()
                || policy.isSplit()
                || policy.hasObjective()) {
            throw UserError.usage(
                    "--partial, --map, --arrivals, --machine, --save-machine, --event, --split, --objective, --trace and --report go with a RECORD");
        }
        UserError.checkCount("--machines", count, MOST);
        if (explain && count > 1) {
            throw UserError.usage("--explain tells of one machine: give --machines 1 and its --seed");
        }
        int each = jobs == null ? JOBS : jobs;
        if (each <= RandomCases.LEARNING || each > MOST) {
            throw UserError.usage("--jobs: " + each + " is not between " + (RandomCases.LEARNING + 1) + " and " + MOST);
        }
        if (policies == null) {
            RandomMachines.Result result = run(policy.is(RandomMachines.ORACLE) ? null : policy.policy(0), count, each);
            tell(report, formats, result::tables, result::toMap);
        } else {
            if (policy.given() || explain) {
                throw UserError.usage("--policies goes with neither --policy nor --explain");
            }
            List<RandomMachines.Result> results = new ArrayList<>();
            for (String name : Policies.texts(policies)) {
                boolean oracle = name.equalsIgnoreCase(RandomMachines.ORACLE);
                results.add(
                        run(oracle ? null : UserError.parsed("--policies: ", () -> Policies.named(name)), count, each));
            }
            Tables tables = RandomMachines.regrets(results);
            tell(report, formats, () -> tables, () -> {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("regrets", tables.maps());
                map.put(
                        "policies",
                        results.stream().map(RandomMachines.Result::toMap).toList());
                return map;
            });
        }
        report.write("evener simulate", page -> {});
        return EvenerCommand.DONE;
    }

    /** @param by null for the oracle */
    private RandomMachines.Result run(@Nullable Policy by, int count, int each) {
        RandomMachines asked = new RandomMachines(by, count, seed, each, !unpromised, unkind);
        ProgressLine progress = progress();
        String who = by == null ? RandomMachines.ORACLE : by.name();
        RandomMachines.Result result = LogSetup.withoutWarnings(
                () -> asked.run(explain, done -> progress.show(who + ": " + done + " of " + count + " machines")));
        progress.clear();
        return result;
    }

    private List<SimulatedReplay.Row> simulate(Recording recording, List<MachineEvent> parsed) {
        if (saved != null) {
            fitted(recording);
        }
        Machine other = machine == null ? null : read(machine);
        int lanes = other != null
                ? other.devices().size()
                : recording.runs().isEmpty()
                        ? 1
                        : recording.runs().get(0).devices().size();
        Policy asked = policy.given() ? policy.policy(lanes) : null;
        SimulatedReplay replay = new SimulatedReplay(
                asked, other, seed, parsed, report.wanted() ? on -> report.listener("run " + ++runs, on) : null);
        List<String> notes = new ArrayList<>();
        List<SimulatedReplay.Row> rows = LogSetup.withoutWarnings(() -> replay.of(recording, notes));
        warn(notes);
        return rows;
    }

    /** A machine after the record, which is saved if that is wanted. */
    private Fit fitted(Recording recording) {
        Fit fitted = SimulatedReplay.fitted(recording);
        Path target = saved;
        if (target != null) {
            report.attempt(() ->
                    OutputFiles.write("machine", target, () -> fitted.machine().write(target)));
        }
        return fitted;
    }

    private static Machine read(Path file) {
        try {
            return Machine.read(file);
        } catch (IOException e) {
            throw UserError.failed("machine file " + file + ": " + UserError.reason(e));
        }
    }
}
