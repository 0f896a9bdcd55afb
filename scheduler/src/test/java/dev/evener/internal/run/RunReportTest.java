package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.model.StoredHistory;
import dev.evener.policy.CostModel;
import dev.evener.policy.LaneSet;
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
        Watchdog watchdog = Watchdog.onThread();
        List<LaneWorker> workers = new ArrayList<>();
        for (int lane = 0; lane < 2; lane++) {
            ChunkTimes[] mine = script[lane];
            workers.add(new LaneThread(
                    new FakeLane("0." + lane) {
                        @Override
                        public boolean enqueue(
                                JobSpec job,
                                JobSpec.Phase phase,
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
                .hostStep(() -> now.set(2000))
                .kernel("b")
                .jvm(c -> {})
                .hostStep(() -> now.set(3000))
                .build();
        JobRun run = new JobRun(
                JobSpec.of(job),
                Policies.fixed(0.25, 0.75),
                workers,
                history,
                null,
                Around.of(now::get, watchdog, workers),
                false);
        now.set(1040);
        run.start();
        Report report = run.future.get(60, TimeUnit.SECONDS);
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
        CostModel learnt = StoredHistory.of(history)
                .of(job, workers.stream().map(LaneWorker::device).toList())
                .model(100);
        assertEquals(1, learnt.jobs());
        assertEquals(2, learnt.lane(0).chunks(), "a lane's first chunks are evidence where there are no others");
        assertEquals(2, report.toMap().get("devices") instanceof List<?> list ? list.size() : -1);
        assertTrue(report.isShort(), "it took 1,960 ns, of which the busiest device worked 640");
        assertTrue(report.summary().startsWith("timed: 100 units in 0.002 ms (static); 0.0 25.0% busy"));
    }

    /** What the whole job would take on one lane is told of lanes that ran one like it, as it was known before. */
    @Test
    void reportsPredictFromTheJobsBefore() {
        Job job = job("again", 10);
        List<DeviceInfo> devices = List.of(first.device(), second.device());
        assertEquals(0, aloneNanos(job));
        aloneNanos(job); // the first chunk was no evidence, this one is
        CostModel known = StoredHistory.of(history).of(job, devices).model(10);
        Report report =
                dispatcher.submit(job, Policies.single(0), history, null).join();
        assertEquals(
                Math.round(known.forecast(LaneSet.of(0)).nanos()),
                report.devices().get(0).aloneNanos());
        assertTrue(report.devices().get(0).aloneNanos() > 0);
        assertEquals(0, report.devices().get(1).aloneNanos(), "it never ran such a job");
    }

    private long aloneNanos(Job job) {
        return dispatcher
                .submit(job, Policies.single(0), history, null)
                .join()
                .devices()
                .get(0)
                .aloneNanos();
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
