package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Report;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.model.ChunkLog;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lane that has its next chunk enqueued while its device runs one, on a clock that a test moves. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwoInFlightTest {
    private static final int UNITS = 80;

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final QueueingLane lane = new QueueingLane("0.0");
    private final FakeLane other = new FakeLane("0.1");
    private final Watchdog watchdog = Watchdog.onThread();
    private final List<LaneWorker> workers = new ArrayList<>();
    private final int[] hits = new int[UNITS];

    /** Everything is the first lane's to begin with, in chunks of ten. */
    private record Lopsided(Plan.Sharing sharing, boolean both) implements Policy {
        @Override
        public String name() {
            return "lopsided";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return both ? Plan.of(sharing, snapshot.granules() - 1, 1) : Plan.of(sharing, snapshot.granules(), 0);
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return 10;
        }
    }

    private static final Policy ALONE = new Lopsided(Plan.Sharing.FIXED, false);

    @AfterEach
    void close() throws InterruptedException {
        for (LaneWorker worker : workers) {
            worker.close();
            assertTrue(worker.join(Duration.ofSeconds(60)));
        }
        watchdog.close();
    }

    private static JobBuilder job() {
        return Job.named("j").units(UNITS).source("").kernel("k").jvm(c -> {});
    }

    private JobRun start(Job job, Policy policy, @Nullable Duration chunkDeadline) {
        workers.add(new LaneThread(lane, watchdog, Duration.ofSeconds(60)));
        workers.add(new LaneThread(other, watchdog, Duration.ofSeconds(60)));
        JobRun run = new JobRun(
                JobSpec.of(job),
                policy,
                workers,
                History.inMemory(),
                chunkDeadline,
                Around.of(now::get, watchdog, workers),
                false);
        run.start();
        return run;
    }

    private Report run(Policy policy) throws Exception {
        return start(job().build(), policy, null).future.get(60, TimeUnit.SECONDS);
    }

    /** A chunk that took so long on the device. */
    private FakeLane.Work taking(long nanos) {
        return (job, phase, from, units, times) -> {
            times.start = now.get();
            times.end = now.addAndGet(nanos);
            times.kernelNanos = nanos;
        };
    }

    private void assertEachUnitCountedOnce() {
        for (FakeLane.Executed chunk : lane.counted) {
            for (long i = chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                hits[(int) i]++;
            }
        }
        for (FakeLane.Executed chunk : other.executed) {
            for (long i = chunk.firstUnit(); i < chunk.firstUnit() + chunk.units(); i++) {
                hits[(int) i]++;
            }
        }
        int[] once = new int[UNITS];
        Arrays.fill(once, 1);
        assertArrayEquals(once, hits);
    }

    @Test
    void theNextChunkIsEnqueuedBeforeTheLastOneEnds() throws Exception {
        lane.work = taking(1_000);
        Report report = run(ALONE);
        List<String> expected = new ArrayList<>(List.of("enqueue 0"));
        for (int first = 0; first < UNITS; first += 10) {
            if (first + 10 < UNITS) {
                expected.add("enqueue " + (first + 10));
            }
            expected.add("await " + first);
        }
        assertEquals(expected, lane.calls);
        assertEquals(List.of(10L, 20L, 30L, 40L, 50L, 60L, 70L), lane.proceeded);
        assertEachUnitCountedOnce();
        assertEquals(8, report.devices().get(0).chunks());
        assertEquals(8_000, report.devices().get(0).busyNanos());
    }

    /** Until it is due it lies in the pool, where whoever is idle finds it. */
    @Test
    void whatIsNotEnqueuedYetIsStolen() throws Exception {
        long long80 = 80_000_000; // so that the thread looks whether it has ended every 10 ms of real time
        lane.work = taking(long80);
        CountDownLatch known = new CountDownLatch(1);
        other.work = (job, phase, from, units, times) -> TwoFakeLanes.await(known); // how slow the first lane is
        lane.ended = () -> {
            // The first chunk, of unknown speed, is followed up at once; the second is not due before the clock moves.
            boolean second = lane.executed.size() == 1;
            if (second) {
                known.countDown();
            }
            return second
                    && other.executed.stream()
                                    .mapToLong(FakeLane.Executed::units)
                                    .sum()
                            == UNITS - 20;
        };
        Report report = run(new Lopsided(Plan.Sharing.STEALING, true));
        assertEquals(List.of("enqueue 0", "enqueue 10", "await 0", "await 10"), lane.calls);
        assertEquals(UNITS - 20, report.devices().get(1).units());
        assertEachUnitCountedOnce();
    }

    /** With the clock at that time it is taken. */
    @Test
    void aChunkIsFollowedUpWhenItIsAboutToEnd() throws Exception {
        lane.work = taking(80_000_000);
        AtomicInteger looked = new AtomicInteger(-1);
        List<Long> enqueued = new ArrayList<>();
        lane.admission = (chunk, behind) -> {
            enqueued.add(now.get());
            return true;
        };
        lane.ended = () -> {
            int chunk = lane.executed.size();
            if (looked.getAndSet(chunk) == chunk) { // not the first look at it
                now.addAndGet(10_000_000);
            }
            return false;
        };
        long begun = now.get();
        run(ALONE);
        assertEquals(begun, enqueued.get(0));
        assertEquals(begun, enqueued.get(1), "nothing was known of the first");
        // 80 ms after the first, less a quarter, less what enqueuing may take: looked at every 10 ms.
        assertEquals(begun + 140_000_000, enqueued.get(2));
    }

    @Test
    void aCancelledJobEndsWithTheTwoThatAreUnderWay() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lane.work = (job, phase, from, units, times) -> {
            inside.countDown();
            TwoFakeLanes.await(goOn);
        };
        JobRun run = start(job().build(), ALONE, null);
        TwoFakeLanes.await(inside);
        assertTrue(run.future.cancel(false));
        goOn.countDown();
        run.idle.get(60, TimeUnit.SECONDS);
        assertThrows(CancellationException.class, run.future::join);
        assertEquals(List.of("enqueue 0", "enqueue 10", "await 0", "await 10"), lane.calls);
    }

    @Test
    void whenAChunkFailsTheNextOneGoesBackToo() throws Exception {
        lane.work = (job, phase, from, units, times) -> {
            if (from == 20) {
                throw new IllegalStateException("the cable is loose");
            }
        };
        Report report = run(ALONE);
        assertEquals(
                List.of(
                        "enqueue 0",
                        "enqueue 10",
                        "await 0",
                        "enqueue 20",
                        "await 10",
                        "enqueue 30",
                        "await 20",
                        "await 30"),
                lane.calls);
        assertEachUnitCountedOnce();
        assertEquals(20, report.devices().get(0).units());
        assertEquals(UNITS - 20, report.devices().get(1).units());
        assertEquals(1, report.failures().size());
    }

    @Test
    void whenTheNextOneCannotBeEnqueuedThisOneCountsAllTheSame() throws Exception {
        lane.admission = (chunk, behind) -> {
            if (chunk.firstUnit() == 20) {
                throw new IllegalStateException("the cable is loose");
            }
            return true;
        };
        Report report = run(ALONE);
        assertEachUnitCountedOnce();
        assertEquals(20, report.devices().get(0).units());
        assertEquals(List.of("enqueue 0", "enqueue 10", "await 0", "await 10"), lane.calls);
        assertEquals(
                List.of("device 0.0 (fake device 0.0) failed: java.lang.IllegalStateException: the cable is loose"),
                report.failures());
    }

    @Test
    void aChunkWithoutMemoryShrinksAndTheNextOneGoesOn() throws Exception {
        AtomicInteger failed = new AtomicInteger();
        lane.work = (job, phase, from, units, times) -> {
            if (from == 0 && units == 10) {
                failed.incrementAndGet();
                throw new LaneFailure(LaneFailure.Kind.MEMORY, "out of memory");
            }
        };
        Report report = run(ALONE);
        assertEquals(1, failed.get());
        assertEachUnitCountedOnce();
        assertEquals(UNITS, report.devices().get(0).units());
        assertEquals(List.of("enqueue 0", "enqueue 10", "await 0", "enqueue 20", "await 10"), lane.calls.subList(0, 5));
    }

    /** As where two have no room beside one another: it is enqueued alone, and after a second time no other is tried. */
    @Test
    void whatIsRefusedIsRunWhenTheFirstHasEnded() throws Exception {
        lane.admission = (chunk, behind) -> !behind;
        Report report = run(ALONE);
        assertEachUnitCountedOnce();
        assertEquals(8, report.devices().get(0).chunks());
        assertEquals(
                List.of(
                        "enqueue 0",
                        "refuse 10",
                        "await 0",
                        "enqueue 10",
                        "refuse 20",
                        "await 10",
                        "enqueue 20",
                        "await 20",
                        "enqueue 30",
                        "await 30"),
                lane.calls.subList(0, 10));
    }

    /** Should a lane hang in the first, nobody could tell when the second is overdue. */
    @Test
    void chunksWithADeadlineAreUnderWayOneByOne() throws Exception {
        Report report = start(job().build(), ALONE, Duration.ofHours(1)).future.get(60, TimeUnit.SECONDS);
        assertEquals(8, report.devices().get(0).chunks());
        for (int i = 0; i < lane.calls.size(); i += 2) {
            assertEquals(lane.calls.get(i).replace("enqueue", "await"), lane.calls.get(i + 1));
        }
    }

    @Test
    void bothCountAsWorkInTheLanesHands() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        long nanos = 1_000;
        lane.work = (job, phase, from, units, times) -> {
            if (from == 20) {
                inside.countDown();
                TwoFakeLanes.await(goOn);
            }
            taking(nanos).run(job, phase, from, units, times);
        };
        JobRun run = start(job().build(), ALONE, null);
        TwoFakeLanes.await(inside);
        LaneTask mine = Objects.requireNonNull(run.part(0));
        double perUnit = mine.stats.estimate.nanosPerUnit();
        double chunk = 10 * perUnit + mine.stats.estimate.fixedNanos();
        assertTrue(chunk > nanos / 2.0);
        assertEquals(2 * chunk, mine.stats.busyNanos(perUnit, now.get()), 1e-6);
        assertEquals(
                chunk + Math.abs(chunk - 300),
                mine.stats.busyNanos(perUnit, now.get() + 300),
                1e-6,
                "the first one runs");
        assertFalse(mine.overdue(now.get() - 1));
        assertTrue(mine.revoke(now.get()) != ChunkPool.NONE);
        assertEquals(0, mine.stats.busyNanos(perUnit, now.get()), "both were taken away");
        run.fail(new IllegalStateException("given up"));
        goOn.countDown();
        run.idle.get(60, TimeUnit.SECONDS);
        assertEquals(2, lane.counted.size());
    }

    /** The gap before a chunk that was enqueued in time is what the device stood still for, not what the host waited. */
    @Test
    void aChunkThatFollowedCostsNoLaunch() throws Exception {
        AtomicLong device = new AtomicLong(5_000);
        lane.work = (job, phase, from, units, times) -> {
            times.start = device.addAndGet(3);
            times.end = device.addAndGet(1_000);
            times.kernelNanos = 1_000;
            now.addAndGet(50_000); // the lane hears of it late
        };
        JobRun run = start(job().build(), ALONE, null);
        run.future.get(60, TimeUnit.SECONDS);
        ChunkLog log = run.parts()[0].stats.log;
        assertEquals(8, log.chunks());
        assertEquals(50_000 - 1_000 + 7 * 3, log.launchNanos(), "the first one's, and seven gaps");
    }
}
