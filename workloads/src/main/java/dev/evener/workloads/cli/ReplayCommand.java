package dev.evener.workloads.cli;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerBuilder;
import dev.evener.event.RunListener;
import dev.evener.policy.Objective;
import dev.evener.record.RecordReader;
import dev.evener.record.Recording;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.cli.Screen.ProgressLine;
import dev.evener.workloads.cli.report.ReplayReport;
import dev.evener.workloads.document.DocumentException;
import dev.evener.workloads.document.Tables;
import dev.evener.workloads.replay.ArrivalRate;
import dev.evener.workloads.replay.ArrivalReport;
import dev.evener.workloads.replay.ArrivalRun;
import dev.evener.workloads.replay.JobFigures;
import dev.evener.workloads.replay.Replayer;
import dev.evener.workloads.replay.UseOverTime;
import dev.evener.workloads.workload.InputException;
import dev.evener.workloads.workload.Request;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A recorded workload again. */
@Command(
        name = "replay",
        description = "Runs the jobs of a record again, with the same arrivals, checks the results against those of"
                + " then, and shows then and now side by side. docs/records.md describes all of them.")
final class ReplayCommand extends MeasuringCommand {
    /** Bytes of data that jobs recorded elsewhere may keep for those that come. */
    private static final long BUDGET = 1L << 30;

    @Parameters(
            paramLabel = "RECORD",
            description = "A file that --record wrote, a log in the Standard Workload Format (.swf) or a table of jobs"
                    + " (.csv).")
    private Path file = Path.of("");

    @Option(names = "--partial")
    private boolean partial;

    @Option(names = "--speed", paramLabel = "FACTOR")
    private @Nullable String speed;

    @Option(names = "--map", paramLabel = "RULE", split = ",")
    private List<String> map = new ArrayList<>();

    @Option(names = "--energy")
    private boolean energy;

    @Option(names = "--asap")
    private boolean asap;

    @Option(names = "--devices", paramLabel = "SELECTOR")
    private @Nullable String devices;

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private ReportOptions.Formats formats = new ReportOptions.Formats();

    private int runs;

    @Override
    int execute() {
        policy.check();
        faults.on(Evener.builder()); // what is wrong there is said before anything runs
        if (speed != null && asap) {
            throw UserError.usage("--speed and --asap do not go together");
        }
        ArrivalRate rate = speed != null
                ? UserError.parsed("--speed: ", () -> ArrivalRate.parse(speed))
                : asap ? ArrivalRate.ASAP : ArrivalRate.RECORDED;
        DeviceSelector selector =
                devices == null ? null : UserError.parsed("--devices: ", () -> DeviceSelector.parse(devices));
        boolean arrivals = Trace.isOfRequests(file);
        if (!map.isEmpty() && !Trace.isLog(file)) {
            throw UserError.usage("--map: only logs in the Standard Workload Format (.swf) are mapped");
        }
        if (!arrivals && (energy || policy.objective() != Objective.TIME)) {
            throw UserError.usage("--energy and --objective go with logs and tables (.swf, .csv)");
        }
        if (arrivals && partial) {
            throw UserError.usage("--partial: only what --record wrote can be replayed so");
        }
        List<String> failures = arrivals
                ? arrivals(rate, selector == null ? DeviceSelector.parse("all") : selector)
                : replay(partial ? RecordReader.readPartial(file) : RecordReader.read(file), rate, selector);
        return failures.isEmpty() ? EvenerCommand.DONE : EvenerCommand.FAILED;
    }

    /** Jobs that were recorded elsewhere; what failed. */
    private List<String> arrivals(ArrivalRate rate, DeviceSelector selector) {
        Trace<Request> trace = trace(file, map, Trace::requests);
        warn(trace.notes().stream().map(note -> file + ": " + note).toList());
        ProgressLine progress = progress();
        UseOverTime use = UseOverTime.live();
        try (RecordOptions.Session session = record.begin("replay", report);
                Evener evener = open(selector, session, use)) {
            ArrivalRun.Options options = new ArrivalRun.Options(
                    policy(evener, policy),
                    policy.text(),
                    rate,
                    BUDGET,
                    tuning(evener),
                    selector.toString(),
                    session::again,
                    progress::show,
                    use);
            ArrivalReport ran;
            try (EnergyMeter meter = energy ? EnergyMeter.open() : null) {
                ran = new ArrivalRun(evener, options, trace).run();
                if (meter != null) {
                    EnergyMeter.Reading taken = meter.read();
                    warn(taken.notes());
                    Map<String, Object> figures = new LinkedHashMap<>();
                    taken.put(figures);
                    ran = ran.with(figures);
                }
            }
            ArrivalReport told = ran;
            progress.clear();
            List<String> failures = ran.failed().stream()
                    .map(j -> file + ": line " + j.line() + ": " + EvenerCommand.oneLine(String.valueOf(j.failure())))
                    .toList();
            return told(failures, told.tables(), told::toMap);
        } finally {
            progress.clear();
        }
    }

    private List<String> told(List<String> failures, Tables tables, Supplier<Map<String, Object>> json) {
        warn(failures);
        tell(report, formats, () -> tables, json);
        report.write("evener replay: " + file, page -> {
            failures.forEach(page::warning);
            page.tables(tables.cells());
        });
        return failures;
    }

    /** What ended otherwise than then. */
    private List<String> replay(Recording then, ArrivalRate rate, @Nullable DeviceSelector selector) {
        checked(() -> {
            Replayer.check(then);
            return then;
        });
        warn(then.notes());
        checkFiles(
                then.runs().stream()
                        .flatMap(run -> run.requests().stream())
                        .flatMap(request -> request.task().files().stream())
                        .map(Recording.InputFile::path)
                        .distinct()
                        .toList(),
                List.of());
        Map<String, Long> leftOut = Replayer.leftOut(then);
        if (!leftOut.isEmpty()) {
            warn(List.of(file + ": left out, as the record does not say how to make their data: "
                    + Replayer.left(leftOut) + "; evener simulate takes all"));
        }
        ProgressLine progress = progress();
        List<UseOverTime> uses = new ArrayList<>();
        try (RecordOptions.Session session = record.begin("replay", report)) {
            Replayer replayer = new Replayer(
                    then,
                    new Replayer.Options(
                            on -> {
                                uses.add(UseOverTime.live());
                                return open(on, session, uses.get(uses.size() - 1));
                            },
                            this::tuning,
                            selector,
                            policy.given() ? policy.text() : null,
                            rate,
                            session::again,
                            progress::show));
            Replayer.Result now = checked(replayer::run);
            progress.clear();
            Map<String, Object> bounds = new LinkedHashMap<>();
            if (uses.size() == 1) { // of several runs each has its own
                List<DeviceInfo> devices = now.devices().stream()
                        .filter(each -> !each.isEmpty())
                        .findFirst()
                        .orElseThrow();
                JobFigures.add(
                        bounds, uses.get(0).bound(devices), now.makespanNow().toNanos() / 1e9);
            }
            ReplayReport compared = new ReplayReport(file, then, now, rate.speed(), leftOut, bounds);
            return told(compared.differences(), compared.tables(), compared::toMap);
        } finally {
            progress.clear();
        }
    }

    private <T> T checked(Supplier<T> work) {
        try {
            return work.get();
        } catch (IllegalArgumentException | InputException | DocumentException e) {
            throw UserError.failed(file + ": " + e.getMessage());
        }
    }

    private Evener open(DeviceSelector which, RecordOptions.Session session, RunListener listener) {
        EvenerBuilder builder = faults.on(DeviceOptions.builder(devices, which)).listener(listener);
        Evener evener = session.on(builder, "run " + ++runs).open();
        notes(evener);
        if (policy.given()) {
            try {
                policy.policy(evener.devices().size());
            } catch (UserError e) {
                evener.close();
                throw e;
            }
        }
        return evener;
    }
}
