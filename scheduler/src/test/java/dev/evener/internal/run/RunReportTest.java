package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Job;
import dev.evener.Report;
import dev.evener.history.JobHistory;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a report adds up, and what is learnt from it. */
class RunReportTest extends TwoFakeLanes {

    @Test
    void reportsAddUpWhatTheLanesMeasured() throws Exception {
        AtomicLong now = new AtomicLong(1000);
        ChunkTimes[][] script = { // [lane][phase]
            {times(1100, 1400, 200, 50, 10, 1), times(1500, 1600, 100, 0, 20, 2)},
            {times(1150, 1450, 250, 0, 30, 3), times(1510, 1900, 300, 90, 40, 4)},
        };
        Watchdog watchdog = new WatchdogThread();
        List<LaneWorker> workers = new ArrayList<>();
        for (int lane = 0; lane < 2; lane++) {
            ChunkTimes[] mine = script[lane];
            workers.add(new LaneThread(
                    new FakeLane("0." + lane) {
                        @Override
                        public boolean enqueue(
                                Job job,
                                Job.Phase phase,
                                long firstUnit,
                                long units,
                                boolean fenced,
                                ChunkTimes times) {
                            ChunkTimes source = mine[phase.kernel().equals("a") ? 0 : 1];
                            times.start = source.start;
                            times.end = source.end;
                            times.kernelNanos = source.kernelNanos;
                            times.transferNanos = source.transferNanos;
                            times.bytesIn = source.bytesIn;
                            times.bytesOut = source.bytesOut;
                            return true;
                        }
                    },
                    watchdog,
                    PATIENCE));
        }
        Job job = Job.named("timed")
                .units(100)
                .kernel("a")
                .jvm(c -> {})
                .combine(() -> now.set(2000))
                .kernel("b")
                .jvm(c -> {})
                .combine(() -> now.set(3000))
                .build();
        JobRun run = new JobRun(
                job,
                Policies.fixed(0.25, 0.75),
                workers,
                new Limits(null, null),
                new JobRun.Surroundings(now::get, Runnable::run, watchdog, history, ScratchPool.NONE, ended -> {}));
        now.set(1040);
        run.start();
        Report report = run.future().get(60, TimeUnit.SECONDS);
        watchdog.close();
        for (LaneWorker worker : workers) {
            worker.close();
            assertTrue(worker.join(Duration.ofSeconds(60)));
        }

        assertEquals("timed", report.workload());
        assertEquals("static", report.policy());
        assertEquals(40, report.queuedNanos());
        assertEquals(3000 - 1040, report.wallNanos());
        assertEquals(1900 - 1100, report.deviceNanos());
        Report.DeviceUse a = report.devices().get(0);
        Report.DeviceUse b = report.devices().get(1);
        assertEquals(25, a.units());
        assertEquals(0.25, a.share());
        assertEquals(300, a.kernelNanos());
        assertEquals(50, a.transferNanos());
        assertEquals(350, a.busyNanos());
        assertEquals(30, a.bytesIn());
        assertEquals(3, a.bytesOut());
        assertEquals(2, a.chunks());
        assertEquals(0, a.aloneNanos(), "nothing was known before");
        assertEquals(640, b.busyNanos());
        assertEquals(1960 - 640, report.overheadNanos());
        JobHistory learnt =
                history.of(job, workers.stream().map(LaneWorker::device).toList());
        // What was measured is what the next job is cut by: 350 ns for 25 units, 640 for 75.
        assertEquals(
                14.0,
                learnt.cost(0, 0, 3, 100).nanosPerUnit()
                        + learnt.cost(1, 0, 3, 100).nanosPerUnit(),
                1e-9);
        assertEquals(2, report.toMap().get("devices") instanceof List<?> list ? list.size() : -1);
        assertTrue(report.summary().startsWith("timed: 100 units in 0.002 ms (static); 0.0 25.0% busy"));
    }

    @Test
    void aSecondReportPredictsFromTheFirst() {
        FakeLane.Work work = (job, phase, from, units, times) -> {};
        first.work = work;
        Job job = job("again", 10);
        assertEquals(0, submit(job).join().devices().get(0).aloneNanos());
        double predicted =
                history.of(job, List.of(first.device(), second.device())).aloneNanos(0, 10);
        assertEquals(Math.round(predicted), submit(job).join().devices().get(0).aloneNanos());
    }

    private static ChunkTimes times(long start, long end, long kernel, long transfer, long in, long out) {
        ChunkTimes times = new ChunkTimes();
        times.start = start;
        times.end = end;
        times.kernelNanos = kernel;
        times.transferNanos = transfer;
        times.bytesIn = in;
        times.bytesOut = out;
        return times;
    }
}
