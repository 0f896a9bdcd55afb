package dev.evener.workloads.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.InTurn;
import dev.evener.event.RunEvent;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policies;
import dev.evener.workloads.arrivals.Trace;
import dev.evener.workloads.replay.ArrivalReport.Outcome;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.suite.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrivals, run. */
@InTurn(2)
class ArrivalRunTest {
    private static final long MS = 1_000_000;

    private static Trace.Job<Request> arrival(long millis, String workload, long items, int line) {
        return job(millis, workload, items, line, 0);
    }

    private static Trace.Job<Request> job(
            long millis, String workload, long items, int line, int priority, Integer... after) {
        Request request = Request.synthetic(Workloads.named(workload), items, 1);
        return new Trace.Job<>(String.valueOf(line), line, millis * MS, request, priority, List.of(after));
    }

    private static Trace<Request> trace(List<Trace.Job<Request>> jobs) {
        return new Trace<>(jobs, IntStream.range(0, jobs.size()).boxed().toList(), List.of());
    }

    private static ArrivalReport run(List<Trace.Job<Request>> arrivals, ArrivalRate pace, long budget) {
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .open()) {
            return new ArrivalRun(evener, options(pace, budget), trace(arrivals)).run();
        }
    }

    private static ArrivalRun.Options options(ArrivalRate pace, long budget) {
        return options(pace, budget, new UseOverTime());
    }

    private static ArrivalRun.Options options(ArrivalRate pace, long budget, UseOverTime use) {
        return new ArrivalRun.Options(
                Policies.fixed(),
                "",
                pace,
                budget,
                Tuning.defaults(),
                "0.0,0.1",
                (task, devices) -> JobLog.none(),
                doing -> {},
                use);
    }

    /** Building is over before the first job is due, and its time is told apart. */
    @Test
    void programsAreBuiltBeforeTheFirstJobIsDue() {
        ConcurrentLinkedQueue<Long> builds = new ConcurrentLinkedQueue<>();
        List<Trace.Job<Request>> arrivals =
                List.of(arrival(0, "saxpy", 1000, 2), arrival(0, "sum", 2000, 3), arrival(0, "saxpy", 3000, 4));
        for (long budget : new long[] {1, Long.MAX_VALUE}) {
            UseOverTime use = UseOverTime.live();
            try (Evener evener = Evener.builder()
                    .listener(use)
                    .devices(DeviceSelector.parse("0.0,0.1"))
                    .history(History.inMemory())
                    .listener(event -> {
                        if (event instanceof RunEvent.Ended ended) {
                            builds.add(ended.buildNanos());
                        }
                    })
                    .open()) {
                ArrivalReport report =
                        new ArrivalRun(evener, options(ArrivalRate.ASAP, budget, use), trace(arrivals)).run();
                assertTrue(report.preparedNanos() > 0);
                assertTrue(report.more().containsKey("overBound"), () -> "no bound in " + report.more());
                assertEquals(report.preparedNanos() / 1e9, report.toMap().get("prepareSeconds"));
                assertTrue(report.tables()
                        .text()
                        .contains(String.format(
                                Locale.ROOT, "prepared in %.3f s before the first", report.preparedNanos() / 1e9)));
            }
        }
        assertEquals(List.of(0L, 0L, 0L, 0L, 0L, 0L), List.copyOf(builds));
    }

    /** No job is there before it is due, and the report adds up. Which of two that are under way ends first is not said. */
    @Test
    void jobsArriveWhenTheyAreDue() {
        List<Trace.Job<Request>> arrivals = List.of(
                arrival(0, "saxpy", 1000, 2),
                arrival(100, "sum", 2000, 3),
                arrival(100, "saxpy", 1000, 4),
                arrival(400, "saxpy", 1000, 5));
        ArrivalReport report = run(arrivals, new ArrivalRate(2), Long.MAX_VALUE);
        assertEquals(
                List.of(2, 3, 4, 5), report.jobs().stream().map(Outcome::line).toList());
        assertEquals(
                List.of(0L, 50 * MS, 50 * MS, 200 * MS),
                report.jobs().stream().map(Outcome::dueNanos).toList());
        long last = 0;
        for (Outcome job : report.jobs()) {
            assertNull(job.failure());
            assertTrue(job.submittedNanos() >= job.dueNanos(), job::toString);
            assertTrue(job.startedNanos() >= job.submittedNanos() && job.endedNanos() > job.startedNanos());
            last = Math.max(last, job.endedNanos());
        }
        assertEquals(last, report.makespanNanos());
        assertTrue(last >= 200 * MS);
        assertEquals(2, report.busyNanos().size());
        assertTrue(report.busyNanos().stream().allMatch(b -> b > 0), "half went to each");
        Map<String, Object> map = report.toMap();
        assertEquals(4, map.get("jobs"));
        assertEquals(last / 1e9, map.get("makespanSeconds"));
        String text = report.tables().text();
        assertTrue(text.startsWith("4 jobs in ") && text.contains(System.lineSeparator() + "0.1 "), text);
    }

    @Test
    void asSoonAsPossibleEverythingIsDueAtOnce() {
        ArrivalReport report = run(
                List.of(arrival(0, "sum", 100, 1), arrival(3_600_000, "sum", 100, 2)),
                ArrivalRate.ASAP,
                Long.MAX_VALUE);
        assertEquals(0, report.jobs().get(1).dueNanos());
        assertEquals(List.of(), report.failed());
    }

    /** More jobs than may wait, of more sizes than the budget holds: data are made, kept, dropped and made again. */
    @Test
    void manyJobsOfManySizesTakeBoundedMemory() {
        List<Trace.Job<Request>> arrivals = new ArrayList<>();
        IntStream.range(0, 1500)
                .forEach(i -> arrivals.add(arrival(0, i % 3 == 0 ? "sum" : "saxpy", 500 + i % 7, i + 1)));
        ArrivalReport report = run(arrivals, ArrivalRate.ASAP, 20_000);
        assertEquals(1500, report.jobs().size());
        assertEquals(List.of(), report.failed());
    }

    @Test
    void aJobThatCannotBeRunIsALineOfTheReport() {
        Trace.Job<Request> right = arrival(1, "sum", 8, 2);
        Request request = right.work();
        Request none = new Request(
                request.workload(), request.values(), request.distribution(), 0, 1, List.of(), request.tuning());
        ArrivalReport report =
                run(List.of(new Trace.Job<>("1", 1, 0, none, 0, List.of()), right), ArrivalRate.RECORDED, 0);
        assertEquals(1, report.failed().size());
        assertEquals("sum takes 1 integer at least", report.failed().get(0).failure());
        assertTrue(report.tables().text().contains(", 1 failed"));
        assertNull(report.jobs().get(1).failure());
    }

    /** One that fails lets those behind it run all the same, as in a simulation. */
    @Test
    void aJobIsSubmittedWhenThoseBeforeItHaveEnded() {
        Request none = new Request(
                Workloads.named("sum"),
                job(0, "sum", 8, 1, 0).work().values(),
                null,
                0,
                1,
                List.of(),
                Tuning.defaults());
        List<Trace.Job<Request>> jobs = new ArrayList<>(List.of(
                job(0, "fma", 1 << 16, 1, 0, 3),
                new Trace.Job<>("2", 2, 0, none, 0, List.of()),
                job(0, "sum", 1000, 3, 0, 1),
                job(1, "saxpy", 1000, 4, 0),
                job(2, "saxpy", 3000, 5, 0, 0, 2)));
        ArrivalReport report = run(jobs, ArrivalRate.RECORDED, Long.MAX_VALUE);
        assertEquals(List.of(2), report.failed().stream().map(Outcome::line).toList());
        for (int i = 0; i < jobs.size(); i++) {
            for (int before : jobs.get(i).after()) {
                long submitted = report.jobs().get(i).submittedNanos();
                assertTrue(submitted >= report.jobs().get(before).endedNanos(), report.jobs()::toString);
            }
        }
    }

    /** The first job keeps both devices busy, while the others come; the urgent ones are served before those that came earlier. */
    @Test
    void ofJobsThatWaitTheUrgentOnesBeginFirst() {
        List<Long> begun = new ArrayList<>();
        List<Trace.Job<Request>> jobs = new ArrayList<>(List.of(job(0, "nbody", 32_768, 1, 0)));
        for (int i = 0; i < 6; i++) {
            jobs.add(job(1, "saxpy", 1000 + i, 2 + i, i / 2));
        }
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .history(History.inMemory())
                .listener(event -> {
                    if (event instanceof RunEvent.Planned planned) {
                        synchronized (begun) {
                            begun.add(planned.job());
                        }
                    }
                })
                .open()) {
            new ArrivalRun(evener, options(ArrivalRate.RECORDED, Long.MAX_VALUE), trace(jobs)).run();
        }
        assertEquals(List.of(1L, 6L, 7L, 4L, 5L, 2L, 3L), begun);
    }

    @Test
    void anInterruptEndsIt() {
        Thread.currentThread().interrupt();
        assertThrows(
                CancellationException.class,
                () -> run(List.of(arrival(0, "sum", 9, 1), arrival(100_000, "sum", 9, 2)), ArrivalRate.RECORDED, 0));
        assertTrue(Thread.interrupted(), "it still says so");
    }

    @Test
    void theSamplesRun() throws IOException {
        for (String sample : List.of("mixed.csv", "small-cluster.swf")) {
            Trace<Request> arrivals =
                    Trace.requests(Path.of("..", "samples", sample), List.of("scale=1", "set.steps=5"));
            ArrivalReport report = run(arrivals.jobs(), ArrivalRate.ASAP, 1 << 28);
            assertEquals(arrivals.jobs().size(), report.jobs().size());
            assertEquals(List.of(), report.failed());
            assertNotNull(report.toMap().get("responseP95Seconds"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "0", "0.0001x", "-1", "1e3", "2 x", "NaN", "99999999999x"})
    void whatIsNoSpeedIsRefused(String text) {
        String said = String.valueOf(assertThrows(IllegalArgumentException.class, () -> ArrivalRate.parse(text))
                .getMessage());
        assertTrue(said.startsWith("'" + text + "' is no speed; expected a number from 0.001"), said);
    }

    @Test
    void speedsAreRead() {
        assertEquals(2, ArrivalRate.parse("2x").speed());
        assertEquals(0.5, ArrivalRate.parse(" 0.5 ").speed());
        assertEquals(500, ArrivalRate.parse("2X").due(1000));
        assertEquals(0, ArrivalRate.ASAP.due(Long.MAX_VALUE));
    }
}
