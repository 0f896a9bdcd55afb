package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.HostData;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What is left behind, and who waits for whom, when lanes hang, cannot tell their times, or a policy throws. */
class LateLanesTest extends TwoFakeLanes {
    private final CountDownLatch goOn = new CountDownLatch(1);

    private static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) { // the test's time limit ends what never comes
            Thread.sleep(1);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static JobBuilder builder(String name, long units) {
        return Job.named(name).units(units).kernel("k").jvm(c -> {});
    }

    /** They were held for ever if the watchdog had come by again between the lane's failure and the job's end. */
    @Test
    void aLaneThatComesBackLateLetsGoOfTheBuffers() throws Exception {
        AtomicBoolean released = new AtomicBoolean();
        HostData buffer = MadeUpBuffers.of(ElementType.INT, 1000);
        first.work = (job, phase, from, units, times) -> {
            buffer.attachment(this, memory -> () -> released.set(true));
            await(goOn);
        };
        second.maxChunkUnits = 10;
        second.work = (job, phase, from, units, times) -> pause(12);
        Job job = builder("j", 1000)
                .writes(buffer, Access.slice())
                // The watchdog comes eight times as often, and so again while the other lane does the rest.
                .chunkDeadline(Duration.ofSeconds(2))
                .build();
        submit(job).get(60, TimeUnit.SECONDS);
        buffer.close();
        assertFalse(released.get(), "a lane that hangs may still touch it");
        goOn.countDown();
        until(released::get);
    }

    /**
     * A lane that is found to hang as the job ends: its buffers were let go a second time, and those of a job behind it closed under way,
     * their memory perhaps another's.
     */
    @Test
    void aJobThatIsOverHasNoHoldToLetGoOf() throws Exception {
        HostData buffer = MadeUpBuffers.of(ElementType.INT, 10);
        Watchdog watchdog = Watchdog.onThread();
        List<LaneWorker> workers = List.of(
                new LaneThread(new FakeLane("0.2"), watchdog, PATIENCE),
                new LaneThread(new FakeLane("0.3"), watchdog, PATIENCE));
        JobRun run = new JobRun(
                JobSpec.of(builder("over", 10).writes(buffer, Access.slice()).build()),
                Policies.single(0),
                workers,
                history,
                null,
                Around.of(System::nanoTime, watchdog, workers),
                false);
        run.watch();
        run.start();
        run.future.get(60, TimeUnit.SECONDS);
        run.future.released().get(60, TimeUnit.SECONDS);
        assertTrue(buffer.hold(), "by another job");
        buffer.close();
        for (LaneTask lane : run.parts()) {
            run.recovery.laneIsGone(lane, "it hangs");
        }
        assertEquals(0, buffer.part(0, 4).getInt());
        buffer.letGo();
        assertThrows(IllegalStateException.class, () -> buffer.part(0, 4));
        for (LaneWorker worker : workers) {
            worker.close();
            assertTrue(worker.join(Duration.ofSeconds(60)));
        }
        watchdog.close();
    }

    /** The deadline was counted only for lanes that run a chunk. */
    @Test
    void aDeadlineDoesNotWaitForALaneThatHangsInItsCompiler() throws Exception {
        first.prepare = () -> await(goOn);
        Throwable failure = failureOf(
                submit(builder("j", 10).deadline(Duration.ofMillis(500)).build()));
        assertEquals(
                "job 'j' was not done after its deadline of 500 ms; it runs kernel k: device 0.0",
                failure.getMessage());
        first.prepare = () -> {};
        Report next = submit(job("next", 10)).get(60, TimeUnit.SECONDS);
        assertEquals(0, next.devices().get(0).units());
        goOn.countDown();
        while (submit(job("j", 10)).get(60, TimeUnit.SECONDS).devices().get(0).units() == 0) {
            pause(5);
        }
    }

    /** Nor is it the device's fault, which was quarantined. */
    @Test
    void aDeadlineDoesNotWaitForAHostStepThatHangs() throws Exception {
        AtomicBoolean released = new AtomicBoolean();
        HostData buffer = MadeUpBuffers.of(ElementType.INT, 10);
        first.work = (job, phase, from, units, times) -> buffer.attachment(this, memory -> () -> released.set(true));
        Throwable failure = failureOf(submit(builder("j", 10)
                .writes(buffer, Access.slice())
                .hostStep(() -> await(goOn))
                .deadline(Duration.ofSeconds(2)) // the host step must have begun
                .build()));
        assertEquals(
                "job 'j' was not done after its deadline of 2000 ms; it is at the host's part after kernel k",
                failure.getMessage());
        buffer.close();
        assertFalse(released.get(), "the host step may still touch it");
        assertEquals(Map.of(), dispatcher.health(List.of(), false).quarantined());
        goOn.countDown();
        until(released::get);
        Report next = submit(job("next", 10)).get(60, TimeUnit.SECONDS);
        assertEquals(List.of(), next.failures());
        assertEquals(5, next.devices().get(0).units());
    }

    /** A host step that never ends keeps a lane's thread, and all that is left is to say so. */
    @Test
    void whoWaitsForAHostStepThatHangsIsToldAndCloseReturns() throws Exception {
        HostData buffer = MadeUpBuffers.of(ElementType.INT, 10);
        CountDownLatch inside = new CountDownLatch(1);
        FakeLane lane = new FakeLane("0.2");
        Dispatcher own = new Dispatcher(List.of(lane), history, ScratchPool.NONE, Duration.ofMillis(20), PATIENCE);
        Job hangs = builder("j", 10)
                .writes(buffer, Access.slice())
                .hostStep(() -> {
                    inside.countDown();
                    await(goOn);
                })
                .build();
        CompletableFuture<Report> ofHost = own.submit(hangs, Policies.fixed(), history, null);
        CompletableFuture<Report> after =
                own.submit(builder("after", 10).reads(buffer, Access.slice()).build(), Policies.fixed(), history, null);
        await(inside);
        for (CompletableFuture<Report> each : List.of(ofHost, after)) {
            assertTrue(each.toString().contains("job 'j', which is at the host's part after kernel k"), each::toString);
        }
        assertFalse(own.drain(Duration.ofMillis(20)));
        own.close();
        for (CompletableFuture<Report> each : List.of(ofHost, after)) {
            assertTrue(failureOf(each).getMessage().contains("closed"), each::toString);
        }
        goOn.countDown();
        until(() -> lane.closed);
    }

    /** A lane that waits for what another device holds, for as long as that one is busy, was taken for hung. */
    @Test
    void whatALaneWaitsForIsNoTimeOfItsDevice() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        FakeLane waits = new FakeLane("0.2") {
            @Override
            public boolean waits() {
                return goOn.getCount() > 0;
            }
        };
        waits.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        try (Dispatcher own =
                new Dispatcher(List.of(waits), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            CompletableFuture<Report> future = own.submit(
                    builder("j", 10).deadline(Duration.ofMillis(100)).build(), Policies.fixed(), history, null);
            await(inside);
            assertEquals(
                    "job 'j' was not done after its deadline of 100 ms; it runs kernel k: device 0.2",
                    failureOf(future).getMessage());
            assertEquals(Map.of(), own.health(List.of(), false).quarantined());
            goOn.countDown();
            Report next =
                    own.submit(job("next", 10), Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            assertEquals(List.of(), next.failures());
        }
    }

    /**
     * A device was quarantined for the time that its lane waited for what another one held. Beside it hangs one on its own account, so that
     * the deadline of the waiting one's chunk has passed, too.
     */
    @Test
    void whatALaneWaitsForIsNoTimeOfItsChunk() throws Exception {
        AtomicLong waited = new AtomicLong();
        CountDownLatch hangs = new CountDownLatch(1);
        FakeLane waits = new FakeLane("0.2") {
            @Override
            public boolean waits() {
                return goOn.getCount() > 0;
            }

            @Override
            public long waitedNanos() {
                return waited.get();
            }
        };
        FakeLane hung = new FakeLane("0.3");
        waits.work = (job, phase, from, units, times) -> await(goOn);
        hung.work = (job, phase, from, units, times) -> await(hangs);
        try (Dispatcher own =
                new Dispatcher(List.of(waits, hung), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            CompletableFuture<Report> future = own.submit(
                    builder("j", 10).chunkDeadline(Duration.ofMillis(100)).build(), Policies.fixed(), history, null);
            until(() -> own.health(List.of(), false).quarantined().containsKey("0.3"));
            waited.set(Duration.ofHours(1).toNanos()); // in the wait that is over now
            goOn.countDown();
            assertEquals(10, future.get(60, TimeUnit.SECONDS).devices().get(0).units());
            assertEquals(
                    Set.of("0.3"), own.health(List.of(), false).quarantined().keySet());
            hangs.countDown();
        }
    }

    /** The same when the wait is over and the device has the chunk: it has the whole deadline. */
    @Test
    void aChunksTimeIsThatOfItsDevice() {
        ChunkInFlight chunk = new ChunkInFlight();
        chunk.take(ChunkPool.range(0, 1), 1, 1, 0);
        chunk.begin(null, 100, false, 5);
        assertEquals(50, chunk.onDevice(150, 5));
        assertTrue(chunk.overdue(null, 150, 5));
        assertEquals(10, chunk.onDevice(150, 45), "for 40 its lane waited");
        assertFalse(chunk.overdue(null, 139, 45));
        assertTrue(chunk.overdue(null, 140, 45));
    }

    /** A lane that hung in a cancelled job was taken for ever, its deadline notwithstanding. */
    @Test
    void aDeadlineFreesTheLanesOfACancelledJob() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        CompletableFuture<Report> future =
                submit(builder("j", 10).deadline(Duration.ofSeconds(3)).build());
        await(inside);
        assertTrue(future.cancel(false));
        Report next = submit(job("next", 10)).get(60, TimeUnit.SECONDS);
        assertEquals(10, next.devices().get(1).units());
        goOn.countDown();
    }

    /** The chunk before it was never settled then, and the report waited for that. */
    @Test
    void aPolicyThatThrowsInMidPhaseEndsTheJob() throws Exception {
        AtomicLong asked = new AtomicLong();
        Policy policy = new Policy() {
            @Override
            public String name() {
                return "moody";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                return Plan.of(Plan.Sharing.FIXED, snapshot.granules(), 0);
            }

            @Override
            public long chunk(Progress progress, int lane) {
                if (asked.incrementAndGet() > 2) {
                    throw new IllegalStateException("not today");
                }
                return 1;
            }
        };
        Job job = builder("j", 10).kernel("l").jvm(c -> {}).build();
        Throwable failure = failureOf(dispatcher.submit(job, policy, history, null));
        assertEquals("java.lang.IllegalStateException: not today", String.valueOf(failure.getCause()));
        assertEquals(EvenerException.ApplicationFailedException.class, failure.getClass());
        assertEquals("job 'j': policy moody failed: java.lang.IllegalStateException: not today", failure.getMessage());
        assertEquals(10, submit(job("next", 10)).get(60, TimeUnit.SECONDS).units());
    }

    /** The result is there; a chunk whose times are lost is no chunk that failed. */
    @Test
    void aLaneThatCannotTellItsTimesIsNoted() throws Exception {
        AtomicInteger settled = new AtomicInteger();
        FakeLane mute = new FakeLane("0.2") {
            @Override
            public void settle(ChunkTimes times) {
                if (settled.incrementAndGet() % 2 == 1) {
                    throw new IllegalStateException("no clock");
                }
            }
        };
        mute.maxChunkUnits = 3;
        AtomicLong ran = new AtomicLong();
        mute.work = (job, phase, from, units, times) -> ran.addAndGet(units);
        try (Dispatcher own =
                new Dispatcher(List.of(mute), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            Job job = builder("j", 10).kernel("l").jvm(c -> {}).build();
            Report report = own.submit(job, Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            assertEquals(20, ran.get());
            assertEquals(8, settled.get());
            assertEquals(4, report.failures().size());
            assertEquals(
                    "device 0.2 (fake device 0.2): java.lang.IllegalStateException: no clock",
                    report.failures().get(0));
            report = own.submit(job, Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            assertEquals(10, report.devices().get(0).units());
        }
    }

    /** Kernels of the same job that build went the same way. */
    @Test
    void onlyTheKernelThatDoesNotBuildIsNotTriedAgain() throws Exception {
        FakeLane choosy = new FakeLane("0.2") {
            @Override
            public void prepare(JobSpec job, JobSpec.Phase phase) {
                if (phase.kernel().equals("l")) {
                    throw new LaneFailure(LaneFailure.Kind.BUILD, "no l");
                }
            }
        };
        try (Dispatcher own = new Dispatcher(
                List.of(choosy, new FakeLane("0.3")), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            Job both = builder("both", 10).kernel("l").jvm(c -> {}).build();
            Report report = own.submit(both, Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            assertEquals(0, report.devices().get(0).units());
            report =
                    own.submit(job("good", 10), Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            assertEquals(5, report.devices().get(0).units());
        }
    }

    /** Every failed job began a series of probes of its own. */
    @Test
    void aLaneIsProbedOnceAtATimeHoweverManyJobsFailOnIt() throws Exception {
        AtomicInteger probes = new AtomicInteger();
        FakeLane dead = new FakeLane("0.2");
        dead.probe = () -> {
            probes.incrementAndGet();
            throw new IllegalStateException("it is gone");
        };
        dead.work = (job, phase, from, units, times) -> {
            throw new IllegalStateException("it is gone");
        };
        try (Dispatcher own = new Dispatcher(
                List.of(dead), history, ScratchPool.NONE, Duration.ofSeconds(30), Duration.ofMillis(50))) {
            for (int i = 0; i < 10; i++) {
                failureOf(own.submit(job("j", 10), Policies.fixed(), history, null));
            }
            until(() -> probes.get() > 0);
            dead.work = (job, phase, from, units, times) -> pause(600);
            own.submit(job("j", 10), Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            // What came due while the lane was busy is in its inbox, before this job.
            dead.work = (job, phase, from, units, times) -> {};
            own.submit(job("j", 10), Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            // Ten series would be ten by now; one comes to fewer, at growing intervals, however slow the machine is.
            assertTrue(probes.get() < 10, probes.get() + " probes");
        }
    }

    /** close() waited for as long as it ever waits, and only then told the lane. */
    @Test
    void closingTellsALaneThatWaitsToStop() throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        FakeLane hanging = new FakeLane("0.2") {
            @Override
            public void stop() {
                stopped.countDown();
            }
        };
        CountDownLatch inside = new CountDownLatch(1);
        hanging.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(stopped);
        };
        Dispatcher own = new Dispatcher(List.of(hanging), history, ScratchPool.NONE, Duration.ofSeconds(50), PATIENCE);
        CompletableFuture<Report> future = own.submit(job("j", 10), Policies.fixed(), history, null);
        await(inside);
        Thread closer = new Thread(own::close);
        closer.start();
        closer.join(45_000); // it waits longer by itself
        assertFalse(closer.isAlive());
        assertEquals(
                "job 'j' was ended because its Evener was closed",
                failureOf(future).getMessage());
    }
}
