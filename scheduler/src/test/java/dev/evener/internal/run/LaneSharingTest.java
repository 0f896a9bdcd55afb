package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of one lane, which works for one while the host does a step of the other. */
class LaneSharingTest extends TwoFakeLanes {
    private static final int UNITS = 100;
    private static final DeviceSelector ONE = DeviceSelector.ids(List.of("0.0"));

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final CountDownLatch inStep = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final HostBuffer written = written(UNITS);

    private static HostBuffer written(int elements) {
        return MadeUpBuffers.of(ElementType.INT, elements);
    }

    /** Two phases on one lane, with a step between them. */
    private static JobBuilder twoPhases(String name, Runnable step, HostBuffer... writes) {
        return Job.named(name)
                .units(UNITS)
                .devices(ONE)
                .kernel("a")
                .jvm(c -> {})
                .hostStep(step, writes)
                .kernel("b")
                .jvm(c -> {});
    }

    /** Its step waits for {@link #goOn}. */
    private JobBuilder slow() {
        return twoPhases(
                "slow",
                () -> {
                    inStep.countDown();
                    await(goOn);
                },
                written);
    }

    private static JobBuilder quick() {
        return twoPhases("quick", () -> {}, written(UNITS));
    }

    @BeforeEach
    void note() {
        note(first);
    }

    private void note(FakeLane lane) {
        lane.work = (job, phase, from, units, times) -> seen.add(job.name() + " " + phase.kernel());
    }

    /** Submits two jobs while the lane is held, so that the second is there when the first begins. */
    private List<CompletableFuture<Report>> together(Job... jobs) {
        CountDownLatch submitted = new CountDownLatch(1);
        first.prepare = () -> await(submitted);
        List<CompletableFuture<Report>> all = new ArrayList<>();
        for (Job job : jobs) {
            all.add(submit(job));
        }
        submitted.countDown();
        return all;
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void join(List<CompletableFuture<Report>> all) throws Exception {
        for (CompletableFuture<Report> each : all) {
            assertEquals(List.of(), each.get(60, TimeUnit.SECONDS).failures());
        }
    }

    @Test
    void theLaneWorksForTheOtherJobWhileTheHostDoesAStep() throws Exception {
        List<CompletableFuture<Report>> both = together(slow().build(), quick().build());
        both.get(1).get(60, TimeUnit.SECONDS);
        assertEquals(List.of("slow a", "quick a", "quick b"), List.copyOf(seen));
        assertFalse(both.get(0).isDone());
        goOn.countDown();
        join(both);
        assertEquals("slow b", List.copyOf(seen).get(3));
    }

    /** Else what it has left would look like what a lane has that is busy elsewhere, and others would take it over. */
    @Test
    void aLaneThatHasComeIsNotAwayAnyMore() throws Exception {
        Queue<Double> away = new ConcurrentLinkedQueue<>();
        Policy noting = new Policy() {
            @Override
            public String name() {
                return "noting";
            }

            @Override
            public Plan plan(Snapshot snapshot) {
                return Plan.of(Plan.Sharing.STEALING, snapshot.granules());
            }

            @Override
            public long chunk(Progress progress, int lane) {
                away.add(progress.awayNanos(lane));
                return 10;
            }
        };
        CountDownLatch submitted = new CountDownLatch(1);
        first.prepare = () -> await(submitted);
        CompletableFuture<Report> before = submit(quick().build());
        CompletableFuture<Report> waits = dispatcher.submit(
                Job.named("waits")
                        .units(UNITS)
                        .devices(ONE)
                        .kernel("a")
                        .jvm(c -> {})
                        .build(),
                noting,
                history,
                null);
        submitted.countDown();
        join(List.of(before, waits));
        assertEquals(Collections.nCopies(UNITS / 10, 0.0), List.copyOf(away));
    }

    /** However many wait for the host: it has nothing else to do. */
    @Test
    void theLaneBeginsAThirdJobWhileTheHostDoesStepsOfTwo() throws Exception {
        List<CompletableFuture<Report>> all = together(
                slow().build(),
                twoPhases("also slow", () -> await(goOn), written(1)).build(),
                quick().build());
        await(inStep);
        all.get(2).get(60, TimeUnit.SECONDS);
        assertFalse(all.get(0).isDone());
        assertFalse(all.get(1).isDone());
        goOn.countDown();
        join(all);
    }

    @Test
    void notMoreThanTwoShareItWhileItWorks() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            working.countDown();
            await(goOn);
        };
        List<CompletableFuture<Report>> all = together(
                quick().build(),
                twoPhases("second", () -> {}, written(1)).build(),
                twoPhases("third", () -> {}, written(2)).build());
        await(working);
        while (dispatcher.queue().length() > 1) {
            pause();
        }
        pause();
        assertEquals(1, dispatcher.queue().length());
        goOn.countDown();
        join(all);
    }

    /** The one submitted first is gone on with, however many chunks of the other are left. */
    @Test
    void theLaneGoesBackToTheMoreUrgentJobBetweenTwoChunks() throws Exception {
        first.maxChunkUnits = 1;
        CountDownLatch secondChunk = new CountDownLatch(2);
        first.work = (job, phase, from, units, times) -> {
            seen.add(job.name() + " " + phase.kernel());
            if (job.name().equals("long")) {
                secondChunk.countDown();
                if (secondChunk.getCount() == 0) {
                    goOn.countDown();
                    pause();
                }
            }
        };
        List<CompletableFuture<Report>> both = together(
                slow().build(),
                Job.named("long")
                        .units(UNITS)
                        .devices(ONE)
                        .kernel("k")
                        .jvm(c -> {})
                        .build());
        join(both);
        List<String> order = List.copyOf(seen);
        assertTrue(order.indexOf("slow b") < order.lastIndexOf("long k") - UNITS / 2, order::toString);
        assertEquals(List.of(), history.entries(), "the times of neither are its own");
    }

    @Test
    void aJobThatUsesWhatTheOtherWritesWaitsForItsEnd() throws Exception {
        List<CompletableFuture<Report>> both =
                together(slow().build(), quick().reads(written, Access.slice()).build());
        await(inStep);
        assertEquals(1, dispatcher.queue().length());
        goOn.countDown();
        join(both);
        assertEquals(List.of("slow a", "slow b", "quick a", "quick b"), List.copyOf(seen));
    }

    @Test
    void aJobThatDoesNotSayWhatItsStepWritesHasItsLaneAlone() throws Exception {
        Job silent = Job.named("silent")
                .units(UNITS)
                .devices(ONE)
                .kernel("a")
                .jvm(c -> {})
                .hostStep(() -> {
                    inStep.countDown();
                    await(goOn);
                })
                .kernel("b")
                .jvm(c -> {})
                .build();
        List<CompletableFuture<Report>> both = together(silent, quick().build());
        await(inStep);
        assertEquals(1, dispatcher.queue().length());
        goOn.countDown();
        join(both);
        assertEquals(List.of("silent a", "silent b", "quick a", "quick b"), List.copyOf(seen));
    }

    /** What another job's chunks take is none of its own, and a lane that is at work for another does not hang in it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobWhoseDeadlinePassesWhileItsLaneIsAtWorkElsewhereEndsAlone(boolean ofChunks) throws Exception {
        Duration limit = Duration.ofMillis(50);
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("slow")) {
                await(goOn);
            }
        };
        JobBuilder quick = quick();
        List<CompletableFuture<Report>> both =
                together(slow().build(), (ofChunks ? quick.chunkDeadline(limit) : quick.deadline(limit)).build());
        if (!ofChunks) {
            assertTrue(failureOf(both.get(1)).getMessage().contains("was not done after its deadline of 50 ms"));
            Thread.sleep(1500); // the grace in which its lanes are to come back
        } else {
            Thread.sleep(200);
        }
        goOn.countDown();
        assertEquals(List.of(), both.get(0).get(60, TimeUnit.SECONDS).failures());
        if (ofChunks) {
            both.get(1).get(60, TimeUnit.SECONDS);
        }
        submit(quick().build()).get(60, TimeUnit.SECONDS);
    }

    /** Jobs that a lane was called for while it hangs in another go to the others, or end. */
    @Test
    void aLaneThatHangsIsLostToAllJobsThatCalledIt() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            if (job.name().equals("hangs")) {
                inStep.countDown();
                await(goOn);
            }
        };
        CompletableFuture<Report> hangs = dispatcher.submit(
                Job.named("hangs")
                        .units(1)
                        .devices(ONE)
                        .kernel("k")
                        .jvm(c -> {})
                        .build(),
                Policies.fixed(),
                history,
                Duration.ofMillis(500));
        await(inStep);
        CompletableFuture<Report> onOne = submit(quick().build());
        CompletableFuture<Report> onBoth = submit(job("on both", UNITS)); // its other lane has nothing to do
        assertEquals(0, dispatcher.queue().length());
        assertTrue(failureOf(hangs).getMessage().contains("was not done after 500 ms"));
        Report report = onBoth.get(60, TimeUnit.SECONDS);
        assertEquals(UNITS, report.devices().get(1).units());
        assertEquals(1, report.failures().size(), report.failures()::toString);
        assertEquals(
                "job 'quick': no device can take it: device 0.0 (fake device 0.0) was left out: it is quarantined,"
                        + " because a chunk of kernel k was not done after 500 ms",
                failureOf(onOne).getMessage());
        goOn.countDown();
    }

    /** The cores that compute would have to do the host's steps as well. */
    @ParameterizedTest
    @EnumSource(
            value = DeviceKind.class,
            names = {"CPU", "JVM"})
    void lanesOnTheHostsCoresDoTheHostsSteps(DeviceKind kind) throws Exception {
        FakeLane lane = new FakeLane("0.0", kind);
        note(lane);
        try (Dispatcher own =
                new Dispatcher(List.of(lane), history, ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            JobFuture slow = own.submit(slow().build(), Policies.fixed(), history, null);
            JobFuture quick = own.submit(quick().build(), Policies.fixed(), history, null);
            await(inStep);
            goOn.countDown();
            slow.get(60, TimeUnit.SECONDS);
            quick.get(60, TimeUnit.SECONDS);
        }
        assertEquals(List.of("slow a", "slow b", "quick a", "quick b"), List.copyOf(seen));
    }

    @Test
    void aJobOfAllLanesKeepsItsPlaceBeforeALaterOneOfOneLane() throws Exception {
        List<CompletableFuture<Report>> all = together(slow().build(), job("of all lanes", UNITS), quick().build());
        join(all.subList(1, 3));
        goOn.countDown();
        join(all);
        assertEquals(List.of("slow a", "of all lanes k", "quick a", "quick b", "slow b"), List.copyOf(seen));
    }

    @Test
    void aStepThatFailsEndsItsOwnJobOnly() throws Exception {
        List<CompletableFuture<Report>> both = together(
                twoPhases(
                                "failing",
                                () -> {
                                    throw new IllegalStateException("no");
                                },
                                written)
                        .build(),
                quick().build());
        assertEquals(
                "job 'failing': the host step after kernel a failed: java.lang.IllegalStateException: no",
                failureOf(both.get(0)).getMessage());
        both.get(1).get(60, TimeUnit.SECONDS);
    }

    @Test
    void aDeviceThatFailsEndsBothAndServesLaterOnes() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            if (phase.kernel().equals("b")) {
                throw new IllegalStateException("broken");
            }
        };
        List<CompletableFuture<Report>> both = together(
                slow().build(),
                twoPhases("failing", () -> await(inStep), written(1)).build());
        assertTrue(failureOf(both.get(1)).getMessage().contains("broken"));
        goOn.countDown();
        assertTrue(failureOf(both.get(0)).getMessage().contains("broken"));
        note(first);
        submit(quick().build()).get(60, TimeUnit.SECONDS);
    }

    /** What a phase computes rests on the step before it, and each job sees its own only. */
    @Test
    void manyJobsHaveTheirPhasesAndStepsInOrder() throws Exception {
        List<CompletableFuture<Report>> all = new ArrayList<>();
        List<AtomicInteger> states = new ArrayList<>();
        first.work = (job, phase, from, units, times) -> {
            AtomicInteger state = states.get(Integer.parseInt(job.name()));
            int number = phase.kernel().charAt(0) - 'a';
            assertEquals(2 * number, state.get());
            if (from + units == UNITS) {
                state.incrementAndGet();
            }
        };
        synchronized (states) {
            for (int i = 0; i < 2000; i++) {
                states.add(new AtomicInteger());
            }
        }
        for (int i = 0; i < 2000; i++) {
            AtomicInteger state = states.get(i);
            JobBuilder job = Job.named(Integer.toString(i)).units(UNITS).devices(ONE);
            for (String kernel : List.of("a", "b", "c")) {
                job.kernel(kernel).jvm(c -> {}).hostStep(state::incrementAndGet, written(1));
            }
            all.add(submit(job.build()));
        }
        join(all);
        for (AtomicInteger state : states) {
            assertEquals(6, state.get());
        }
    }
}
