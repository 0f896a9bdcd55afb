package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes that still build when a job could begin: which jobs wait for them, and how they join those that do not. */
class BuildingLanesTest extends TwoFakeLanes {
    private static final String NO_COMPILER = "device 0.1 (fake device 0.1) cannot build it: no compiler";

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private static void broken() {
        throw new LaneFailure(LaneFailure.Kind.BUILD, "no compiler");
    }

    private static Job job(String name, String... kernels) {
        JobBuilder job = Job.named(name).source("text").units(1000);
        for (String kernel : kernels) {
            job.kernel(kernel).jvm(c -> {});
        }
        return job.build();
    }

    private CompletableFuture<Report> submit(Job job, Policy policy) {
        return dispatcher.submit(job, policy, history, null);
    }

    private static Report reportOf(CompletableFuture<Report> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private static long unitsOn(Report report, int device) {
        return report.devices().get(device).units();
    }

    /** Until the test says otherwise. */
    private void secondBuildsOnAndOn() {
        first.build = () -> {};
        second.build = () -> {
            inside.countDown();
            await(goOn);
        };
    }

    // ---- who is not waited for ----

    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "stealing", "guided"})
    void aJobEndsWhileAnotherLaneBuilds(String policy) throws Exception {
        secondBuildsOnAndOn();
        for (int i = 0; i < 40; i++) { // more than a lane keeps
            Report report = reportOf(submit(job("j", "a", "b"), Policies.named(policy)));
            assertEquals(1000, unitsOn(report, 0));
            assertEquals(List.of(), report.failures());
        }
        await(inside);
        goOn.countDown();
        second.build = () -> {
            assertTrue(second.built.contains("b") || second.built.contains("c"), "it builds the rest for the next job");
        };
        assertEquals(500, unitsOn(reportOf(submit(job("j", "a", "b"), Policies.fixed())), 1));
        assertEquals(Set.of("a", "b"), second.built);
    }

    /** The first lane, which has the whole job, does not end its first chunk before the other one has done something. */
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "stealing", "guided"})
    void aLaneThatHasBuiltTakesWorkOfTheJobUnderWay(String policy) throws Exception {
        secondBuildsOnAndOn();
        CountDownLatch helped = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            goOn.countDown();
            await(helped);
        };
        second.work = (job, phase, from, units, times) -> helped.countDown();
        Report report = reportOf(submit(job("j", "a"), Policies.named(policy)));
        assertTrue(unitsOn(report, 1) > 0, report.summary());
        assertEquals(1000, unitsOn(report, 0) + unitsOn(report, 1));
        assertEquals(List.of(), report.failures());
    }

    @Test
    void aFirstJobBeginsOnTheLaneThatIsReadyFirst() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        first.build = () -> await(begun);
        second.build = () -> {};
        second.work = (job, phase, from, units, times) -> begun.countDown();
        Report report = reportOf(submit(job("j", "a"), Policies.adaptive()));
        assertTrue(unitsOn(report, 1) > 0, "of two equal lanes the policy prefers the first");
        assertEquals(1000, unitsOn(report, 0) + unitsOn(report, 1));
    }

    @Test
    void aLaneAtWorkForACompilerIsNotReadyForJobsThatItHasBuilt() throws Exception {
        first.build = () -> {};
        second.build = () -> {};
        reportOf(submit(job("known", "a"), Policies.fixed()));
        secondBuildsOnAndOn();
        reportOf(submit(job("new", "b"), Policies.stealing()));
        await(inside);
        assertEquals(1000, unitsOn(reportOf(submit(job("known", "a"), Policies.stealing())), 0));
        CountDownLatch helped = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            goOn.countDown();
            await(helped);
        };
        second.work = (job, phase, from, units, times) -> helped.countDown();
        assertTrue(unitsOn(reportOf(submit(job("known", "a"), Policies.stealing())), 1) > 0);
    }

    @Test
    void aJobWithoutUnitsNeedsNoLane() throws Exception {
        first.build = () -> await(goOn);
        second.build = () -> await(goOn);
        Job nothing = Job.named("nothing")
                .source("text")
                .units(0)
                .kernel("a")
                .jvm(c -> {})
                .build();
        assertEquals(0, reportOf(submit(nothing, Policies.fixed())).buildNanos());
        goOn.countDown();
    }

    // ---- who is ----

    @ParameterizedTest
    @ValueSource(strings = {"static", "history"})
    void fixedSharesWaitForAllLanesThatHaveOne(String policy) throws Exception {
        secondBuildsOnAndOn();
        CompletableFuture<Report> waits = submit(job("j", "a"), Policies.named(policy));
        await(inside);
        assertEquals(1000, unitsOn(reportOf(submit(job("other", "a"), Policies.single(0))), 0));
        assertTrue(first.executed.stream().allMatch(e -> e.job().equals("other")));
        assertFalse(waits.isDone());
        goOn.countDown();
        Report report = reportOf(waits);
        assertEquals(500, unitsOn(report, 1));
        assertTrue(report.buildNanos() > 0);
    }

    @Test
    void aJobForOneLaneWaitsForThatAlone() throws Exception {
        secondBuildsOnAndOn();
        CompletableFuture<Report> waits = submit(job("j", "a"), Policies.single(1));
        await(inside);
        assertFalse(waits.isDone());
        goOn.countDown();
        assertEquals(1000, unitsOn(reportOf(waits), 1));
    }

    @Test
    void preparingWaitsForAllLanes() throws Exception {
        secondBuildsOnAndOn();
        CompletableFuture<Report> prepared = dispatcher.build(job("j", "a", "b"), Policies.adaptive());
        await(inside);
        reportOf(submit(job("j", "a", "b"), Policies.adaptive()));
        assertFalse(prepared.isDone());
        goOn.countDown();
        reportOf(prepared);
        assertEquals(Set.of("a", "b"), second.built);
    }

    @Test
    void aDeadlineDoesNotWaitForACompiler() throws Exception {
        secondBuildsOnAndOn();
        Job deadline = Job.named("late")
                .source("text")
                .units(10)
                .kernel("a")
                .jvm(c -> {})
                .deadline(Duration.ofMillis(1))
                .build();
        String late = failureOf(submit(deadline, Policies.single(1))).getMessage();
        assertTrue(late.startsWith("job 'late' was not done after its deadline of 1 ms"), late);
        goOn.countDown();
        assertTrue(second.executed.isEmpty());
    }

    // ---- what does not build ----

    @Test
    void aBuildThatFailsWhileTheJobRunsIsReported() throws Exception {
        secondBuildsOnAndOn();
        CountDownLatch failed = new CountDownLatch(1);
        Runnable build = second.build;
        second.build = () -> {
            build.run();
            broken();
        };
        second.prepare = () -> {
            failed.countDown();
            broken();
        };
        first.work = (job, phase, from, units, times) -> {
            goOn.countDown();
            await(failed);
        };
        Report report = reportOf(submit(job("j", "a"), Policies.stealing()));
        assertEquals(1000, unitsOn(report, 0));
        assertEquals(List.of(NO_COMPILER), report.failures());
    }

    @Test
    void aBuildThatFailsAfterTheJobIsReportedByTheNextOne() throws Exception {
        secondBuildsOnAndOn();
        Runnable build = second.build;
        second.build = () -> {
            build.run();
            broken();
        };
        second.prepare = BuildingLanesTest::broken;
        assertEquals(
                List.of(), reportOf(submit(job("j", "a"), Policies.stealing())).failures());
        await(inside);
        goOn.countDown();
        assertEquals(
                List.of(NO_COMPILER),
                reportOf(submit(job("j", "a"), Policies.fixed())).failures());
    }

    @Test
    void whereNoLaneBuildsTheJobFailsWithTheLog() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        first.build = BuildingLanesTest::broken;
        first.prepare = () -> {
            failed.countDown();
            broken();
        };
        second.build = () -> {
            await(failed);
            broken();
        };
        second.prepare = BuildingLanesTest::broken;
        Throwable failure = failureOf(submit(job("j", "a"), Policies.stealing()));
        assertEquals(
                Set.of(
                        "job 'j' failed on device 0.0 (fake device 0.0): no compiler",
                        "job 'j' failed on device 0.1 (fake device 0.1): no compiler"),
                Set.of(failure.getMessage(), failure.getSuppressed()[0].getMessage()));
    }

    // ---- closing ----

    @Test
    void closingEndsJobsThatWaitForACompilerAndBuildsNothingMore() throws Exception {
        FakeLane builds = new FakeLane("0.2");
        FakeLane idle = new FakeLane("0.3");
        builds.build = () -> {
            inside.countDown();
            await(goOn);
        };
        Dispatcher own = new Dispatcher(
                List.of(builds, idle), History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(60), PATIENCE);
        CompletableFuture<Report> ran = own.submit(job("ran", "a", "b"), Policies.stealing(), history, null);
        assertEquals(1000, unitsOn(reportOf(ran), 1));
        CompletableFuture<Report> waits = own.submit(job("waits", "c"), Policies.single(0), history, null);
        await(inside);
        Thread closing = new Thread(own::close);
        closing.start();
        assertEquals(
                "job 'waits' was ended because its Evener was closed",
                failureOf(waits).getMessage());
        while (!idle.closed) { // all jobs were ended, and lanes told to end
            Thread.sleep(1);
        }
        assertFalse(builds.closed, "it is not freed under the compiler");
        goOn.countDown();
        closing.join(60_000);
        assertTrue(builds.closed);
        assertEquals(Set.of("a"), builds.built);
    }
}
