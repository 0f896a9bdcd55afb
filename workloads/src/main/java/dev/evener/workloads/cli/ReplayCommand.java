package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import dev.evener.workloads.arrivals.ArrivalReport;
import dev.evener.workloads.arrivals.ArrivalRun;
import dev.evener.workloads.arrivals.Arrivals;
import dev.evener.workloads.arrivals.Pace;
import dev.evener.workloads.arrivals.SwfRules;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.replay.PolicyText;
import dev.evener.workloads.replay.Replayed;
import dev.evener.workloads.replay.Replayer;
import dev.evener.workloads.replay.SimulatedReplay;
import dev.evener.workloads.workload.InputException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A recorded workload again. */
@Command(
        name = "replay",
        description = "Runs the jobs of a record again, with the same arrivals, checks the results against those of"
                + " then, and shows then and now side by side. docs/records.md describes records.")
final class ReplayCommand extends CliCommand {
    /** Bytes of data that jobs recorded elsewhere may keep for those that come. */
    private static final long BUDGET = 1L << 30;

    @Parameters(
            paramLabel = "RECORD",
            description = "A file that --record wrote, a log in the Standard Workload Format (.swf) or a table of jobs"
                    + " (.csv), the latter two described in docs/arrivals.md.")
    private Path record = Path.of("");

    @Option(
            names = "--partial",
            description = "Take a record that was cut off, as by a crash, up to its last whole line.")
    private boolean partial;

    @Option(
            names = "--speed",
            paramLabel = "FACTOR",
            description = "Let jobs arrive so many times as fast, such as 2x.")
    private @Nullable String speed;

    @Option(
            names = "--map",
            paramLabel = "RULE",
            split = ",",
            description = "For .swf: what becomes of its jobs, such as scale=50,workload=fma+nbody (docs/arrivals.md).")
    private List<String> map = new ArrayList<>();

    @Option(names = "--asap", description = "Let every job arrive as soon as the one before has ended.")
    private boolean asap;

    @Option(
            names = "--devices",
            paramLabel = "SELECTOR",
            description = "Other devices than those of the record: all, cpu, gpu, jvm, or platform.device pairs such as"
                    + " 0.0,1.0")
    private @Nullable String devices;

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private TuningOption tuning = new TuningOption();

    @Mixin
    private FaultOptions faults = new FaultOptions();

    @Mixin
    private SimulationOptions simulation = new SimulationOptions();

    @Mixin
    private RecordOption recording = new RecordOption();

    @Mixin
    private ViewOptions view = new ViewOptions();

    @Mixin
    private JsonOption json = new JsonOption();

    /** The devices of the run under way, whose events are to be shown. */
    private List<DeviceInfo> shown = List.of();

    private int runs;

    @Override
    int execute() {
        policy.check();
        json.check();
        recording.check(record);
        view.check();
        faults.on(Evener.builder()); // what is wrong there is said before anything runs
        Pace pace = pace();
        DeviceSelector selector = selector();
        if (!map.isEmpty() && !Arrivals.isMapped(record)) {
            throw UserError.usage("--map: only logs in the Standard Workload Format (.swf) are mapped");
        }
        if (Arrivals.isNameOf(record)) {
            return arrivals(pace, selector == null ? DeviceSelector.parse("all") : selector);
        }
        Recording then = partial ? RecordReader.readPartial(record) : RecordReader.read(record);
        return simulation.wanted() ? simulate(then) : replay(then, pace.speed(), selector);
    }

    private int simulate(Recording then) {
        if (speed != null || asap || devices != null || faults.given() || recording.wanted()) {
            throw UserError.usage("--simulate goes with --policy, --machine, --seed and --event, not with --speed,"
                    + " --asap, --devices, --inject or --record");
        }
        List<SimulatedReplay.Row> rows = simulation.run(then, policy.given() ? policy.text() : null, on -> {
            nextRun(on);
            return view.listener();
        });
        if (!quiet() && !json.toStandardOutput()) {
            out().print(SimulatedReplay.text(rows));
        }
        if (json.wanted()) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("record", record.toString());
            map.put("simulated", rows.stream().map(SimulatedReplay.Row::toMap).toList());
            json.write(out(), map);
        }
        view.reproducible();
        show("evener replay --simulate: ", List.of());
        return rows.stream().allMatch(r -> r.failed() == 0) ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    /** Jobs that were recorded elsewhere. */
    private int arrivals(Pace pace, DeviceSelector selector) {
        if (partial || simulation.wanted()) {
            throw UserError.usage(
                    (partial ? "--partial" : "--simulate") + ": only what --record wrote can be replayed so");
        }
        Arrivals arrivals;
        try {
            arrivals = Arrivals.read(record, rules());
        } catch (DocumentException e) {
            throw UserError.failed(e.getMessage());
        } catch (IOException e) {
            throw UserError.failed(record + ": " + UserError.reason(e));
        }
        arrivals.notes().forEach(note -> err().println("evener: " + record + ": " + note));
        ProgressLine progress = new ProgressLine(err(), !quiet());
        ArrivalReport report;
        try (RecordOption.Session session = recording.begin("replay");
                Evener evener = open(selector, session)) {
            Tuning tuned = tuning.on(evener, this);
            ArrivalRun run = new ArrivalRun(
                    evener,
                    policy.policy(evener.devices().size()),
                    pace,
                    BUDGET,
                    request -> request.tuned(tuned),
                    new ArrivalRun.Noting(policy.text(), request -> session.jobs(request, selector.toString())),
                    progress::show);
            report = run.run(arrivals.jobs());
        } finally {
            progress.clear();
        }
        List<String> failures = report.failed().stream()
                .map(j -> record + ": line " + j.arrival().line() + ": "
                        + EvenerCommand.oneLine(String.valueOf(j.failure())))
                .toList();
        failures.forEach(f -> err().println("evener: " + f));
        err().flush();
        if (!quiet() && !json.toStandardOutput()) {
            out().print(report.summary());
        }
        if (json.wanted()) {
            json.write(out(), report.toMap());
        }
        show("evener replay: ", failures);
        return failures.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private SwfRules rules() {
        try {
            return SwfRules.parse(map);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--map: " + e.getMessage());
        }
    }

    /** What is heard from now on belongs to a run on these devices. */
    private void nextRun(List<DeviceInfo> on) {
        if (!shown.isEmpty()) {
            view.keep("run " + ++runs, shown);
        }
        shown = on;
    }

    private void show(String title, List<String> warnings) {
        nextRun(List.of());
        view.write(title + record, page -> warnings.forEach(page::warning));
    }

    private int replay(Recording then, double factor, @Nullable DeviceSelector selector) {
        try {
            Replayer.check(then);
        } catch (IllegalArgumentException | InputException e) {
            throw UserError.failed(record + ": " + e.getMessage());
        }
        Map<String, Long> leftOut = Replayer.leftOut(then);
        if (!leftOut.isEmpty()) {
            err().println("evener: " + record + ": left out, as the record does not say how to make their data: "
                    + Replayer.left(leftOut) + "; --simulate takes all");
            err().flush();
        }
        try (RecordOption.Session session = recording.begin("replay")) {
            return replay(then, factor, selector, leftOut, session);
        }
    }

    private int replay(
            Recording then,
            double factor,
            @Nullable DeviceSelector selector,
            Map<String, Long> leftOut,
            RecordOption.Session session) {
        ProgressLine progress = new ProgressLine(err(), !quiet());
        Replayer replayer = new Replayer(
                then,
                new Replayer.Options(
                        on -> open(on, session),
                        evener -> tuning.on(evener, this),
                        selector,
                        policy.given() ? policy.text() : null,
                        factor,
                        session::again,
                        progress::show));
        List<Replayed> replayed;
        try {
            replayed = replayer.run();
        } catch (IllegalArgumentException | InputException e) {
            throw UserError.failed(record + ": " + e.getMessage());
        } finally {
            progress.clear();
        }
        ReplayReport report =
                new ReplayReport(record, then, ReplayReport.Clocks.of(replayer), replayed, factor, leftOut);
        report.differences().forEach(d -> err().println("evener: " + EvenerCommand.oneLine(d)));
        err().flush();
        if (!quiet() && !json.toStandardOutput()) {
            out().print(report.text());
        }
        if (json.wanted()) {
            json.write(out(), report.toMap());
        }
        show("evener replay: ", report.differences());
        return report.differences().isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    private Evener open(DeviceSelector which, RecordOption.Session session) {
        Evener evener = session.on(
                        view.on(faults.on(Evener.builder().devices(which).bindCores(true))))
                .open();
        nextRun(evener.devices());
        if (!quiet()) {
            DeviceOptions.notes(evener).forEach(note -> err().println("evener: " + note));
            err().flush();
        }
        if (policy.given()) {
            try {
                PolicyText.parse(policy.text(), evener.devices().size());
            } catch (IllegalArgumentException e) {
                evener.close();
                throw UserError.usage(e.getMessage());
            }
        }
        return evener;
    }

    private Pace pace() {
        if (speed == null) {
            return asap ? Pace.ASAP : Pace.RECORDED;
        }
        if (asap) {
            throw UserError.usage("--speed and --asap do not go together");
        }
        try {
            return Pace.parse(speed);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--speed: " + e.getMessage());
        }
    }

    private @Nullable DeviceSelector selector() {
        try {
            return devices == null ? null : DeviceSelector.parse(devices);
        } catch (IllegalArgumentException e) {
            throw UserError.usage("--devices: " + e.getMessage());
        }
    }
}
