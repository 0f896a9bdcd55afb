package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** Lanes that fail, and what becomes of their work. */
class LaneFailuresTest extends TwoFakeLanes {
    private final AtomicIntegerArray hits = new AtomicIntegerArray(1000);

    /** Counts every unit it runs. */
    private final FakeLane.Work count = (job, phase, from, units, times) -> {
        for (int i = 0; i < units; i++) {
            hits.incrementAndGet((int) from + i);
        }
    };

    private static JobBuilder builder(String name, long units) {
        return Job.named(name).units(units).kernel("k").jvm(c -> {});
    }

    private void assertEveryUnitRanOnce(int units) {
        int[] seen = new int[units];
        int[] expected = new int[units];
        for (int i = 0; i < units; i++) {
            seen[i] = hits.get(i);
            expected[i] = 1;
        }
        assertArrayEquals(expected, seen);
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theOthersTakeOverFromALaneThatThrows() throws Exception {
        first.work = count;
        second.work = (job, phase, from, units, times) -> {
            throw new IllegalStateException("the cable is loose");
        };
        Report report = submit(job("j", 1000)).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertEquals(1000, report.devices().get(0).units());
        assertEquals(0, report.devices().get(1).units());
        assertTrue(report.devices().get(0).stolenChunks() > 0);
        assertEquals(
                List.of("device 0.1 (fake device 0.1) failed: java.lang.IllegalStateException: the cable is loose"),
                report.failures());
        assertTrue(history.entries().isEmpty(), "jobs with failures teach nothing");
    }

    @Test
    void aLaneThatThePlanLeftOutIsCalledIn() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            throw new StackOverflowError();
        };
        second.work = count;
        dispatcher.submit(job("j", 1000), Policies.single(0), history, null).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
    }

    @Test
    void aLaneThatCannotBuildLeavesItsShareAndIsNotAskedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        second.prepare = () -> {
            asked.incrementAndGet();
            throw new LaneFailure(LaneFailure.Kind.BUILD, "no compiler");
        };
        first.work = count;
        Report report = submit(job("j", 1000)).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertEquals(0, second.executed.size());
        assertEquals(List.of("device 0.1 (fake device 0.1) cannot build it: no compiler"), report.failures());
        report = submit(job("j", 1000)).get(60, TimeUnit.SECONDS);
        assertEquals(1, asked.get());
        assertEquals(
                List.of("device 0.1 (fake device 0.1) was left out: a kernel of this job does not build there"),
                report.failures());
        // Another kernel is another matter.
        second.prepare = () -> {};
        Job other = Job.named("other").units(10).kernel("l").jvm(c -> {}).build();
        assertEquals(5, submit(other).get(60, TimeUnit.SECONDS).devices().get(1).units());
    }

    @Test
    void aWrongDeclarationEndsTheJobAndNotTheLane() throws Exception {
        second.prepare = () -> {
            throw new LaneFailure(
                    LaneFailure.Kind.DECLARATION, "kernel k has 3 parameters, but 2 arguments were given");
        };
        Throwable failure = failureOf(submit(job("bad", 100)));
        assertEquals(
                "job 'bad' failed on device 0.1 (fake device 0.1): kernel k has 3 parameters, but 2 arguments were given",
                failure.getMessage());
        second.prepare = () -> {};
        Report report = submit(job("good", 100)).get(60, TimeUnit.SECONDS);
        assertEquals(50, report.devices().get(1).units());
        assertEquals(List.of(), report.failures());
    }

    @Test
    void aLaneWithTooLittleMemoryGoesOnWithSmallerChunks() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        FakeLane.Work small = (job, phase, from, units, times) -> {
            both.countDown();
            await(both); // or one had done all before the other came
            if (units > 40) {
                throw new LaneFailure(LaneFailure.Kind.MEMORY, "out of memory");
            }
            count.run(job, phase, from, units, times);
        };
        first.work = small;
        second.work = small;
        Report report = submit(job("j", 1000)).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertTrue(
                report.failures().stream()
                        .anyMatch(f -> f.equals("device 0.0 (fake device 0.0) could not hold a chunk of 500 units"
                                + " and goes on with at most 250: out of memory")),
                report.failures().toString());
        assertTrue(first.executed.size() > 0 && second.executed.size() > 0, "neither was given up");
        // Nor is it quarantined.
        report = submit(job("next", 1000)).get(60, TimeUnit.SECONDS);
        assertTrue(report.failures().stream().noneMatch(f -> f.contains("left out")), report::toString);
    }

    /** Want of memory is no failure of the device: it may be another process that has it all. */
    @Test
    void aLaneWithoutMemoryForOneGranuleLeavesTheJobAndIsNotQuarantined() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            throw new LaneFailure(LaneFailure.Kind.MEMORY, "out of memory");
        };
        second.work = count;
        List<String> said = submit(job("j", 1000)).get(60, TimeUnit.SECONDS).failures();
        assertEveryUnitRanOnce(1000);
        first.work = (job, phase, from, units, times) -> {};
        Report report = submit(job("next", 1000)).get(60, TimeUnit.SECONDS);
        assertEquals(List.of(), report.failures());
        assertEquals(500, report.devices().get(0).units());
        assertEquals("device 0.0 (fake device 0.0) ran out of memory: out of memory", said.get(said.size() - 1));
    }

    /** A driver may call it want of resources when a kernel has crashed the device. */
    @Test
    void aLaneShortOfMemoryIsQuarantinedIfItsDeviceIsGone() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            throw new LaneFailure(LaneFailure.Kind.MEMORY, "out of resources");
        };
        first.probe = () -> {
            throw new IllegalStateException("it is gone");
        };
        second.work = count;
        submit(job("j", 1000)).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertEquals(
                List.of("device 0.0 (fake device 0.0) was left out: it is quarantined, because out of resources"),
                submit(job("next", 100)).get(60, TimeUnit.SECONDS).failures());
    }

    @Test
    void aJobForWhichNoLaneHasMemoryFailsWithThatAndTheNextRunsOnAll() throws Exception {
        FakeLane.Work full = (job, phase, from, units, times) -> {
            throw new LaneFailure(LaneFailure.Kind.MEMORY, "out of memory");
        };
        first.work = full;
        second.work = full;
        String said = failureOf(submit(job("bad", 100))).getMessage();
        assertTrue(said.matches("job 'bad' failed on device 0\\.[01] \\(fake device 0\\.[01]\\): out of memory"), said);
        first.work = count;
        second.work = count;
        Report report = submit(job("good", 1000)).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertEquals(List.of(), report.failures());
        assertEquals(500, report.devices().get(0).units());
        assertEquals(500, report.devices().get(1).units());
    }

    @Test
    void whenNoLaneIsLeftTheJobFailsWithTheFirstCauseAndTheOthers() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        first.work = (job, phase, from, units, times) -> {
            both.countDown();
            await(both);
            throw new IllegalStateException("one");
        };
        second.work = (job, phase, from, units, times) -> {
            both.countDown();
            await(both);
            throw new IllegalStateException("two");
        };
        Throwable failure = failureOf(submit(job("bad", 100)));
        assertInstanceOf(EvenerException.class, failure);
        // Which of them is noted first is the scheduler's business; neither may be lost.
        List<String> causes = new ArrayList<>();
        causes.add(failure.getCause().getMessage());
        for (Throwable t : failure.getSuppressed()) {
            causes.add(t.getCause().getMessage());
        }
        causes.sort(null);
        assertEquals(List.of("one", "two"), causes);
        // Both are quarantined now; a job that has no other lane is their probe.
        first.work = count;
        second.work = count;
        submit(job("good", 1000)).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
    }

    @Test
    void withoutRecoveryTheFirstFailureEndsTheJob() throws Exception {
        RuntimeException cause = new IllegalStateException("the cable is loose");
        second.work = (job, phase, from, units, times) -> {
            throw cause;
        };
        Throwable failure = failureOf(submit(builder("bad", 100).recovery(false).build()));
        assertEquals(
                "job 'bad' failed on device 0.1 (fake device 0.1): java.lang.IllegalStateException: the cable is loose",
                failure.getMessage());
        assertSame(cause, failure.getCause());
    }

    @Test
    void aFailedLaneIsProbedAndComesBack() throws Exception {
        AtomicInteger probes = new AtomicInteger();
        second.probe = () -> {
            if (probes.incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
            }
        };
        second.work = (job, phase, from, units, times) -> {
            throw new IllegalStateException("the cable is loose");
        };
        submit(job("j", 100)).get(60, TimeUnit.SECONDS);
        second.work = (job, phase, from, units, times) -> {};
        Report report = submit(job("j", 100)).get(60, TimeUnit.SECONDS);
        if (probes.get() < 3) {
            assertEquals(0, report.devices().get(1).units());
            assertTrue(
                    report.failures().get(0).startsWith("device 0.1 (fake device 0.1) was left out: it is quarantined"),
                    report.failures().toString());
        }
        while (submit(job("j", 100)).get(60, TimeUnit.SECONDS).devices().get(1).units() == 0) {
            pause(5); // the test's time limit ends a lane that never comes back
        }
        assertEquals(3, probes.get());
    }

    @Test
    void whenAllFailTheFailureAlsoSaysWhichDevicesWereLeftOut() throws Exception {
        second.probe = () -> {
            throw new IllegalStateException("not yet");
        };
        second.work = (job, phase, from, units, times) -> {
            throw new IllegalStateException("the cable is loose");
        };
        submit(job("j", 100)).get(60, TimeUnit.SECONDS);
        first.work = (job, phase, from, units, times) -> {
            throw new IllegalStateException("the fan stands still");
        };
        assertEquals(
                "job 'j' failed on device 0.0 (fake device 0.0): java.lang.IllegalStateException: the fan stands still;"
                        + " device 0.1 (fake device 0.1) was left out: it is quarantined, because"
                        + " java.lang.IllegalStateException: the cable is loose",
                failureOf(submit(job("j", 100))).getMessage());
    }

    @Test
    void aChunkThatHangsIsRunElsewhereAndItsLateResultGoesNowhere() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            await(goOn);
            back.countDown();
        };
        second.work = count;
        // Long enough for the other lane's chunk, however busy the machine is.
        Job job = builder("j", 1000).chunkDeadline(Duration.ofSeconds(2)).build();
        Report report = submit(job).get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertEquals(
                List.of("device 0.0 (fake device 0.0) failed: a chunk of kernel k was not done after 2000 ms"),
                report.failures());
        // The lane hangs still: the next jobs do without it, at once.
        report = submit(job).get(60, TimeUnit.SECONDS);
        assertEquals(0, report.devices().get(0).units());
        int committed = first.committed.get();
        goOn.countDown();
        await(back);
        first.work = count;
        while (submit(job).get(60, TimeUnit.SECONDS).devices().get(0).units() == 0) {
            pause(5);
        }
        assertEquals(0, committed);
        assertTrue(first.committed.get() > 0, "a lane that is back commits again");
    }

    @Test
    void whenEveryLaneHangsTheJobFails() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> await(goOn);
        second.work = first.work;
        Throwable failure = failureOf(
                submit(builder("j", 10).chunkDeadline(Duration.ofMillis(20)).build()));
        assertTrue(failure.getMessage().contains("was not done after 20 ms"), failure.getMessage());
        Throwable next = failureOf(submit(job("next", 10)));
        assertTrue(next.getMessage().startsWith("job 'next': no device can take it: device 0."), next.getMessage());
        goOn.countDown();
    }

    @Test
    void aDeadlineEndsAJobThatRuns() throws Exception {
        first.maxChunkUnits = 1;
        first.work = (job, phase, from, units, times) -> pause(10);
        Throwable failure = failureOf(dispatcher.submit(
                builder("j", 100_000).deadline(Duration.ofMillis(50)).build(), Policies.single(0), history, null));
        assertEquals(
                "job 'j' was not done after its deadline of 50 ms; it runs kernel k: device 0.0", failure.getMessage());
        first.work = (job, phase, from, units, times) -> {};
        submit(job("good", 10)).get(60, TimeUnit.SECONDS);
    }

    @Test
    void aDeadlineEndsAJobThatWaits() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> await(goOn);
        second.work = first.work;
        CompletableFuture<Report> blocker = submit(job("blocker", 10));
        Throwable failure = failureOf(
                submit(builder("j", 10).deadline(Duration.ofMillis(20)).build()));
        assertEquals(
                "job 'j' was not done after its deadline of 20 ms; it waits for job 'blocker', which runs kernel k:"
                        + " device 0.0 and device 0.1",
                failure.getMessage());
        goOn.countDown();
        blocker.get(60, TimeUnit.SECONDS);
        assertTrue(first.executed.stream().noneMatch(e -> e.job().equals("j")));
    }

    @Test
    void aDeadlineDoesNotWaitForALaneThatHangs() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> await(goOn);
        Throwable failure = failureOf(submit(
                builder("j", 10).deadline(Duration.ofSeconds(2)).build())); // one lane must have begun, one ended
        assertEquals(
                "job 'j' was not done after its deadline of 2000 ms; it runs kernel k: device 0.0",
                failure.getMessage());
        assertEquals(1, failure.getSuppressed().length);
        assertTrue(
                failure.getSuppressed()[0].getMessage().endsWith("and may still write to the job's buffers"),
                failure.getSuppressed()[0].getMessage());
        assertEquals(
                10,
                submit(job("next", 10))
                        .get(60, TimeUnit.SECONDS)
                        .devices()
                        .get(1)
                        .units());
        goOn.countDown();
    }

    // ---- a lane that is short of work takes others' ----

    /** Everything is the first lane's to begin with. */
    private record Lopsided(Plan.Sharing sharing, long chunk) implements Policy {
        @Override
        public String name() {
            return "lopsided";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return Plan.of(sharing, snapshot.granules() - 1, 1);
        }

        @Override
        public long chunk(dev.evener.policy.Progress progress, int lane) {
            return chunk;
        }
    }

    @Test
    void anIdleLaneStealsFromTheOther() throws Exception {
        CountDownLatch stolen = new CountDownLatch(2);
        first.work = (job, phase, from, units, times) -> {
            await(stolen); // held up until the other has done its own and one of ours
            count.run(job, phase, from, units, times);
        };
        second.work = (job, phase, from, units, times) -> {
            stolen.countDown();
            count.run(job, phase, from, units, times);
        };
        Report report = dispatcher
                .submit(unpromised("j", 1000), new Lopsided(Plan.Sharing.STEALING, 100), history, null)
                .get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertTrue(report.devices().get(1).stolenChunks() > 0, report.toString());
        assertTrue(report.devices().get(1).units() > 1);
    }

    @Test
    void aFixedPlanIsNotStolenFrom() throws Exception {
        first.work = count;
        second.work = count;
        Report report = dispatcher
                .submit(job("j", 1000), new Lopsided(Plan.Sharing.FIXED, 1), history, null)
                .get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertEquals(1, report.devices().get(1).units());
    }

    @Test
    void aPooledPlanIsSharedByAll() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        FakeLane.Work meet = (job, phase, from, units, times) -> {
            both.countDown();
            await(both);
            count.run(job, phase, from, units, times);
        };
        first.work = meet;
        second.work = meet;
        Report report = dispatcher
                .submit(job("j", 1000), new Lopsided(Plan.Sharing.POOLED, 10), history, null)
                .get(60, TimeUnit.SECONDS);
        assertEveryUnitRanOnce(1000);
        assertEquals(
                100,
                report.devices().stream().mapToInt(Report.DeviceUse::chunks).sum());
        assertFalse(report.devices().stream().anyMatch(d -> d.units() == 0), report.toString());
    }

    @Test
    void progressIsToldAndAListenerThatThrowsChangesNothing() throws Exception {
        List<Long> told = new ArrayList<>();
        first.maxChunkUnits = 10;
        Job job = builder("j", 1000)
                .onProgress(p -> {
                    assertEquals(1000, p.total());
                    told.add(p.done());
                    throw new IllegalStateException("no paper");
                })
                .build();
        assertNotNull(submit(job).get(60, TimeUnit.SECONDS));
        assertEquals(1000, told.get(told.size() - 1));
        for (int i = 1; i < told.size(); i++) {
            assertTrue(told.get(i) > told.get(i - 1));
        }
    }

    /** They were given such a job all the same if none was better, which ended as a failure that another attempt may get over. */
    @Test
    void aJobThatFitsOnNoDeviceIsRefusedAndOthersLeaveThoseOutThatAreTooSmall() throws Exception {
        AtomicBoolean bothSmall = new AtomicBoolean(true);
        FakeLane small = new FakeLane("0.2") {
            @Override
            public long maxChunkUnits(JobSpec.Phase phase) {
                throw new LaneFailure(LaneFailure.Kind.MEMORY, "one unit needs 9 bytes, and it has 8");
            }
        };
        FakeLane other = new FakeLane("0.3") {
            @Override
            public long maxChunkUnits(JobSpec.Phase phase) {
                return bothSmall.get() ? small.maxChunkUnits(phase) : super.maxChunkUnits(phase);
            }
        };
        try (Dispatcher own =
                new Dispatcher(List.of(small, other), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            Throwable failure = failureOf(own.submit(job("j", 10), Policies.fixed(), history, null));
            assertInstanceOf(EvenerException.JobRejectedException.class, failure);
            assertEquals(
                    "job 'j': it fits on no device: device 0.2 (fake device 0.2): one unit needs 9 bytes, and it has 8;"
                            + " device 0.3 (fake device 0.3): one unit needs 9 bytes, and it has 8",
                    failure.getMessage());
            bothSmall.set(false);
            Report report =
                    own.submit(job("j", 10), Policies.fixed(), history, null).get(60, TimeUnit.SECONDS);
            assertEquals(
                    List.of("device 0.2 (fake device 0.2) was left out: one unit needs 9 bytes, and it has 8"),
                    report.failures());
            // Not even where no other is left: that one may come back.
            other.work = (job, phase, from, units, times) -> {
                throw new IllegalStateException("it fails");
            };
            other.probe = () -> {
                throw new IllegalStateException("it fails");
            };
            for (int i = 0; i < 2; i++) {
                failure = failureOf(own.submit(job("j", 10), Policies.fixed(), history, null));
                assertInstanceOf(EvenerException.DevicesFailedException.class, failure, failure::toString);
            }
            assertEquals(0, small.executed.size());
        }
    }
}
