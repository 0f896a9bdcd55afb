package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.record.Recording;
import dev.evener.simulation.MakespanBound;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.cli.report.ReplayReport;
import dev.evener.workloads.replay.ArrivalReport;
import dev.evener.workloads.replay.ArrivalReport.Outcome;
import dev.evener.workloads.replay.JobFigures;
import dev.evener.workloads.replay.Replayed;
import dev.evener.workloads.replay.Replayer;
import dev.evener.workloads.replay.SimulatedReplay;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every figure that {@code replay} shows, of records, of simulations and of arrivals, from times that are known. */
class ReplayFiguresTest {
    private static final List<DeviceInfo> DEVICES = List.of(device("0.0"), device("0.1"));

    private static DeviceInfo device(String id) {
        return new DeviceInfo(
                id, "platform", "core", DeviceKind.CPU, "1", 4, 1, 1, 128, 64, 1, 1000, true, "core " + id);
    }

    private static Replayed.Outcome outcome(double wallMillis, double responseMillis, long first, long second) {
        return new Replayed.Outcome(
                Math.round(1e6 * wallMillis), Math.round(1e6 * responseMillis), List.of(first, second), null);
    }

    private static Replayed job(
            long number, String bins, Replayed.@Nullable Outcome then, Replayed.Outcome now, @Nullable Boolean same) {
        Recording.Task task =
                new Recording.Task("run", "histogram", "0.0,0.1", 4096, "uniform", 1, Map.of("bins", bins), List.of());
        return new Replayed(
                0, new Recording.Request(number, task, 0, "adaptive", true, number, null), "static", then, now, same);
    }

    private static ReplayReport replayed(double speed) {
        Recording recording = new Recording(
                new Recording.Header(
                        "1", Instant.parse("2026-11-22T10:00:00Z"), new Recording.Machine("os", "cpu", 2, 1, "jvm")),
                List.of(new Recording.Run(0, DEVICES, List.of(), List.of())),
                false);
        List<Replayed> jobs = List.of(
                job(1, "64", outcome(4, 5, 75, 25), outcome(2, 2.5, 50, 50), true),
                job(2, "64", outcome(6, 9, 25, 75), outcome(3, 3.5, 50, 50), null),
                job(3, "8", null, outcome(1, 1, 100, 0), false),
                job(4, "8", outcome(1, 1, 0, 0), new Replayed.Outcome(0, 0, List.of(), "no memory"), null));
        return new ReplayReport(
                Path.of("r.record"),
                recording,
                new Replayer.Result(
                        jobs, Duration.ofMillis(1500), Duration.ofMillis(750), List.of(DEVICES.subList(0, 1))),
                speed,
                Map.of("canny", 2L),
                bounds());
    }

    private static Map<String, Object> bounds() {
        Map<String, Object> bounds = new LinkedHashMap<>();
        JobFigures.add(bounds, new MakespanBound(4e8, 5e8, 3e8), 0.75);
        return bounds;
    }

    private static String plain(String text) {
        return text.replace(System.lineSeparator(), "\n");
    }

    private static String json(Object value) throws IOException {
        return JSON.std
                .with(JSON.Feature.WRITE_NULL_PROPERTIES)
                .asString(value)
                .replace("},{", "},\n{")
                .replace(",\"", ", \"");
    }

    @Test
    void aRecordThenAndNow() throws IOException {
        assertEquals("""
                workload           items  policy              jobs      then       now  x then  shares then  shares now   result
                histogram bins=64  4Ki    adaptive -> static     2  5.000 ms  2.500 ms    2.00  50.0% 50.0%  50.0% 50.0%  same (1 checked)
                histogram bins=8   4Ki    adaptive -> static     2  1.000 ms  1.000 ms    1.00  -            100.0% 0.0%  2 DIFFERENT
                recorded 2026-11-22T10:00:00Z (cut off): 4 jobs; makespan 1.500 s then, 0.750 s now, at 2.0x
                1.500 x the least that any policy could take: all work 400.000 ms, longest chain 500.000 ms, longest job 300.000 ms
                devices: 0.0,0.1 then, 0.0 now
                2 OF THE JOBS ENDED OTHERWISE
                """, plain(replayed(2).tables().text()));
        assertEquals("""
                {"record":"r.record", "recorded":"2026-11-22T10:00:00Z", "complete":false, "speed":null, "jobs":4, "checked":2, "makespanSecondsThen":1.5, "makespanSecondsNow":0.75, "areaSeconds":0.4, "criticalPathSeconds":0.5, "longestJobSeconds":0.3, "overBound":1.5, "runs":[{"devicesThen":"0.0,0.1", "devicesNow":"0.0"}], "groups":[{"run":0, "command":"run", "workload":"histogram", "items":4096, "distribution":"uniform", "parameters":{"bins":"64"}, "policyThen":"adaptive", "policyNow":"static", "jobs":2, "medianSecondsThen":0.005, "medianSecondsNow":0.0025, "medianResponseSecondsThen":0.007, "medianResponseSecondsNow":0.003, "sharesThen":[0.5,0.5], "sharesNow":[0.5,0.5], "same":1, "different":0},
                {"run":0, "command":"run", "workload":"histogram", "items":4096, "distribution":"uniform", "parameters":{"bins":"8"}, "policyThen":"adaptive", "policyNow":"static", "jobs":2, "medianSecondsThen":0.001, "medianSecondsNow":0.001, "medianResponseSecondsThen":0.001, "medianResponseSecondsNow":0.001, "sharesThen":[], "sharesNow":[1.0,0.0], "same":0, "different":2}], "leftOut":{"canny":2}, "failures":["request 3 (histogram, 4096 items): the result is not the one of the record", "request 4 (histogram, 4096 items): it failed now: no memory"]}""", json(replayed(Double.POSITIVE_INFINITY).toMap()));
    }

    private static SimulatedReplay.Row row(int jobs, double simulatedNanos, int failed, String... leftOut) {
        return new SimulatedReplay.Row(
                1,
                "saxpy",
                4096,
                "static",
                "adaptive",
                jobs,
                2_500_000,
                jobs == 1 ? null : 2_400_000.0,
                simulatedNanos,
                0.9 * simulatedNanos,
                1.1 * simulatedNanos,
                jobs == 1 ? null : 0.05,
                failed,
                List.of(leftOut));
    }

    @Test
    void aRecordSimulated() throws IOException {
        assertEquals("""
                job    units  jobs  recorded      took  simulated  policy      takes     from       to  fit within  failed  nothing known of
                saxpy   4096     1  static    2.500 ms          -  adaptive  1.25 ms  1.13 ms  1.38 ms           -       0  -
                saxpy   4096     3  static    2.500 ms    2.40 ms  adaptive        -        -        -         5 %       3  0.1, 1.0
                """, plain(SimulatedReplay.TABLE.of(List.of(row(1, 1_250_000, 0), row(3, 0, 3, "0.1", "1.0")))));
        assertEquals(
                """
                {"run":1, "job":"saxpy", "units":4096, "jobs":3, "recordedPolicy":"static", "recordedSeconds":0.0025, "recordedSimulatedSeconds":0.0024, "simulatedPolicy":"adaptive", "simulatedSeconds":null, "simulatedSecondsLow":null, "simulatedSecondsHigh":null, "heldOutError":0.05, "failed":3, "leftOut":["0.1"]}""",
                json(SimulatedReplay.TABLE.maps(List.of(row(3, 0, 3, "0.1"))).get(0)));
    }

    /** Due after so many milliseconds, and then submitted, started and ended. */
    private static Outcome arrived(int line, @Nullable String failure, long... millis) {
        Request request = Request.synthetic(Workloads.named("saxpy"), 4096, 1);
        return new Outcome(
                new Trace.Job<>("", line, 2_000_000 * millis[0], request, 0, List.of()),
                1_000_000 * millis[0],
                1_000_000 * millis[1],
                1_000_000 * millis[2],
                1_000_000 * millis[3],
                failure);
    }

    @Test
    void arrivals() throws IOException {
        ArrivalReport report = new ArrivalReport(
                List.of(
                        arrived(2, null, 0, 1, 1, 5),
                        arrived(3, null, 2, 4, 5, 12),
                        arrived(4, "no memory", 3, 3, 0, 8),
                        arrived(5, null, 10, 10, 12, 20)),
                DEVICES,
                List.of(15_000_000L, 5_000_000L),
                250_000_000);
        assertEquals("""
                4 jobs in 0.020 s, 1 failed
                prepared in 0.250 s before the first
                             median  95 % within  99 % within    at most
                waiting    1.000 ms     1.900 ms     1.980 ms   2.000 ms
                running    7.000 ms     7.900 ms     7.980 ms   8.000 ms
                response  10.000 ms    10.000 ms    10.000 ms  10.000 ms
                late       1.000 ms     1.900 ms     1.980 ms   2.000 ms

                device  name  at work
                0.0     core   75.0 %
                0.1     core   25.0 %
                """, plain(report.tables().text()));
        assertEquals("""
                line,workload,parameters_a,items,arrival_seconds,due_seconds,submitted_seconds,started_seconds,ended_seconds,failure
                2,saxpy,2.5,4096,0,0,0.001,0.001,0.005,
                3,saxpy,2.5,4096,0.004,0.002,0.004,0.005,0.012,
                4,saxpy,2.5,4096,0.006,0.003,0.003,,0.008,no memory
                5,saxpy,2.5,4096,0.02,0.01,0.01,0.012,0.02,
                """, plain(report.tables().csv()));
        assertEquals("""
                {"jobs":4, "failed":1, "prepareSeconds":0.25, "makespanSeconds":0.02, "waitMedianSeconds":0.001, "waitP95Seconds":0.0019, "waitP99Seconds":0.00198, "waitMaxSeconds":0.002, "runMedianSeconds":0.007, "runP95Seconds":0.0079, "runP99Seconds":0.007980000000000001, "runMaxSeconds":0.008, "responseMedianSeconds":0.01, "responseP95Seconds":0.01, "responseP99Seconds":0.01, "responseMaxSeconds":0.01, "lateMedianSeconds":0.001, "lateP95Seconds":0.0019, "lateP99Seconds":0.00198, "lateMaxSeconds":0.002, "devices":[{"id":"0.0", "name":"core", "busySeconds":0.015, "utilisation":0.75},
                {"id":"0.1", "name":"core", "busySeconds":0.005, "utilisation":0.25}], "overTime":[], "outcomes":[{"line":2, "workload":"saxpy", "parameters":{"a":2.5}, "items":4096, "arrivalSeconds":0.0, "dueSeconds":0.0, "submittedSeconds":0.001, "startedSeconds":0.001, "endedSeconds":0.005, "failure":null},
                {"line":3, "workload":"saxpy", "parameters":{"a":2.5}, "items":4096, "arrivalSeconds":0.004, "dueSeconds":0.002, "submittedSeconds":0.004, "startedSeconds":0.005, "endedSeconds":0.012, "failure":null},
                {"line":4, "workload":"saxpy", "parameters":{"a":2.5}, "items":4096, "arrivalSeconds":0.006, "dueSeconds":0.003, "submittedSeconds":0.003, "startedSeconds":null, "endedSeconds":0.008, "failure":"no memory"},
                {"line":5, "workload":"saxpy", "parameters":{"a":2.5}, "items":4096, "arrivalSeconds":0.02, "dueSeconds":0.01, "submittedSeconds":0.01, "startedSeconds":0.012, "endedSeconds":0.02, "failure":null}]}""", json(report.toMap()));
        assertEquals(
                """
                0 jobs in 0.000 s
                prepared in 0.000 s before the first
                device  name  at work
                0.0     core    0.0 %
                0.1     core    0.0 %
                """,
                plain(new ArrivalReport(List.of(), DEVICES, List.of(0L, 0L), 0)
                        .tables()
                        .text()));
    }
}
