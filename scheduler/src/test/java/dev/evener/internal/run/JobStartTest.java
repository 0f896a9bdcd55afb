package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.model.StoredHistory;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is built before a job's clock starts, by whom, and what becomes of jobs that do not build. {@link BuildingLanesTest} has those that do not wait. */
class JobStartTest extends TwoFakeLanes {
    private static void broken() {
        throw new LaneFailure(LaneFailure.Kind.BUILD, "no compiler");
    }

    private static Job job(String name, String... kernels) {
        JobBuilder job = Job.named(name).source("text").units(100);
        for (String kernel : kernels) {
            job.kernel(kernel).jvm(c -> {});
        }
        return job.build();
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("the other lane does not build at the same time", e);
        }
    }

    private CompletableFuture<Report> build(Job job) {
        return dispatcher.build(job, Policies.fixed());
    }

    /** With a clock that moves only where the test says so: while both build, and while the first one works. */
    @Test
    void aJobsClockStartsWhenItsLaneHasBuilt() throws Exception {
        AtomicLong now = new AtomicLong(1000);
        List<RunEvent> events = new CopyOnWriteArrayList<>();
        CyclicBarrier building = new CyclicBarrier(2, () -> now.addAndGet(300));
        CountDownLatch planned = new CountDownLatch(1); // what is built meanwhile is not waited for
        Watchdog watchdog = Watchdog.onThread();
        List<LaneWorker> workers = new ArrayList<>();
        for (String id : List.of("0.2", "0.3")) {
            FakeLane lane = new FakeLane(id);
            lane.build = () -> {
                await(planned);
                meet(building); // a lane after the other would wait for ever
            };
            lane.work = (job, phase, from, units, times) -> {
                if (from == 0) {
                    now.addAndGet(70);
                }
            };
            workers.add(new LaneThread(lane, watchdog, PATIENCE));
        }
        RunListener listener = event -> events.add(event);
        for (int round = 0; round < 2; round++) {
            JobRun run = new JobRun(
                    JobSpec.of(job("timed", "a", "b")),
                    Policies.single(0),
                    workers,
                    history,
                    null,
                    Around.of(now::get, watchdog, workers, listener),
                    false);
            now.addAndGet(40);
            run.start();
            planned.countDown();
            Report report = run.future.get(60, TimeUnit.SECONDS);
            assertEquals(40, report.queuedNanos());
            // Two kernels, which both lanes build at once.
            assertEquals(round == 0 ? 600 : 0, report.buildNanos());
            assertEquals(140, report.wallNanos());
            assertEquals(report.buildNanos() / 1e9, report.toMap().get("buildSeconds"));
            assertTrue(report.summary()
                    .startsWith(
                            round == 0
                                    ? "timed: 100 units in 0.000 ms (single), after 0.001 ms of building; 0.2"
                                    : "timed: 100 units in 0.000 ms (single); 0.2"));
        }
        List<RunEvent.Ended> ended = events.stream()
                .filter(RunEvent.Ended.class::isInstance)
                .map(RunEvent.Ended.class::cast)
                .toList();
        assertEquals(
                List.of(600L, 0L),
                ended.stream().map(RunEvent.Ended::buildNanos).toList());
        assertEquals(
                List.of(140L, 140L),
                ended.stream().map(RunEvent.Ended::wallNanos).toList());
        assertEquals(
                280,
                StoredHistory.of(history)
                        .of(
                                job("timed", "a", "b"),
                                workers.stream().map(LaneWorker::device).toList())
                        .model(100)
                        .exploration()
                        .totalNanos(),
                "of both jobs, as cold evidence counts where there is no other");
        for (LaneWorker worker : workers) {
            worker.close();
            assertTrue(worker.join(Duration.ofSeconds(60)));
        }
        watchdog.close();
    }

    @Test
    void whereAllIsBuiltNobodyIsCalledForThat() throws Exception {
        AtomicInteger builds = new AtomicInteger();
        first.build = builds::incrementAndGet;
        second.build = builds::incrementAndGet;
        submit(job("j", "a")).get(60, TimeUnit.SECONDS);
        assertEquals(2, builds.get());
        for (int i = 0; i < 3; i++) {
            assertEquals(0, submit(job("other", "a")).get(60, TimeUnit.SECONDS).buildNanos());
        }
        // One lane has it, the other not.
        second.built.clear();
        submit(job("j", "a")).get(60, TimeUnit.SECONDS);
        assertEquals(3, builds.get());
    }

    @Test
    void bothFormsAreBuiltOnAllLanesAndTheSecondOnlyWhereItMayRun() throws Exception {
        first.build = () -> {};
        second.build = () -> {};
        JobBuilder job = Job.named("j").source("text").units(100);
        job.kernel("a").jvm(c -> {}).alone(job("one", "b", "c"));
        submit(job.build()).get(60, TimeUnit.SECONDS);
        assertEquals(Set.of("a", "b", "c"), first.built);
        assertEquals(Set.of("a", "b", "c"), second.built);
        first.built.clear();
        submit(job.chunkDeadline(Duration.ofMinutes(1)).build()).get(60, TimeUnit.SECONDS);
        assertEquals(Set.of("a"), first.built);
    }

    @Test
    void aLaneThatCannotBuildLeavesItsShareAsEver() throws Exception {
        second.build = JobStartTest::broken;
        second.prepare = JobStartTest::broken;
        Report report = submit(job("j", "a")).get(60, TimeUnit.SECONDS);
        assertEquals(100, report.devices().get(0).units());
        assertEquals(List.of("device 0.1 (fake device 0.1) cannot build it: no compiler"), report.failures());
        second.build = () -> {
            throw new AssertionError("it is asked again");
        };
        report = submit(job("j", "a")).get(60, TimeUnit.SECONDS);
        assertEquals(
                List.of("device 0.1 (fake device 0.1) was left out: a kernel of this job does not build there"),
                report.failures());
    }

    /** The lane comes back when nobody waits for it any more, and must not begin the job then. */
    @Test
    void aDeadlineDoesNotWaitForALaneThatHangsWhileItBuilds() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.build = () -> await(goOn);
        Job late = Job.named("late")
                .source("text")
                .units(10)
                .kernel("a")
                .jvm(c -> {})
                .deadline(Duration.ofMillis(500))
                .build();
        assertEquals(
                "job 'late' was not done after its deadline of 500 ms; it waits for its programs: device 0.0 (builds)",
                failureOf(submit(late)).getMessage());
        assertEquals(
                0,
                submit(job("next", "b"))
                        .get(60, TimeUnit.SECONDS)
                        .devices()
                        .get(0)
                        .units());
        first.build = () -> {};
        goOn.countDown();
        while (submit(job("j", "c")).get(60, TimeUnit.SECONDS).devices().get(0).units() == 0) {
            Thread.sleep(1); // until it was probed
        }
        assertTrue(first.executed.stream().noneMatch(e -> e.job().equals("late")));
        assertTrue(second.executed.stream().noneMatch(e -> e.job().equals("late")));
    }

    @Test
    void aJobThatIsCancelledWhileItsLanesBuildIsNotBegun() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        first.build = () -> {
            inside.countDown();
            await(goOn);
        };
        CompletableFuture<Report> cancelled = submit(job("cancelled", "a", "b"));
        await(inside);
        assertTrue(cancelled.cancel(false));
        goOn.countDown();
        assertEquals(
                50,
                submit(job("next", "c"))
                        .get(60, TimeUnit.SECONDS)
                        .devices()
                        .get(0)
                        .units());
        assertFalse(first.built.contains("b"), "it went on building");
        assertTrue(first.executed.stream().allMatch(e -> e.job().equals("next")));
    }

    // ---- building and no more ----

    @Test
    void preparingBuildsAllAndRunsNothing() throws Exception {
        CyclicBarrier building = new CyclicBarrier(2);
        first.build = () -> meet(building);
        second.build = () -> meet(building);
        JobBuilder job = Job.named("j").source("text").units(100);
        Job both = job.kernel("a").jvm(c -> {}).alone(job("one", "b")).build();
        Report report = build(both).get(60, TimeUnit.SECONDS);
        assertTrue(report.buildNanos() > 0);
        assertEquals(List.of(), report.devices());
        assertEquals(Set.of("a", "b"), first.built);
        assertEquals(Set.of("a", "b"), second.built);
        assertEquals(List.of(), first.executed);
        assertEquals(List.of(), second.executed);
        assertEquals(0, submit(both).get(60, TimeUnit.SECONDS).buildNanos());
        assertNotNull(build(both).get(60, TimeUnit.SECONDS), "once more");
    }

    @Test
    void preparingFailsAsTheJobWould() throws Exception {
        for (FakeLane lane : List.of(first, second)) {
            lane.build = JobStartTest::broken;
            lane.prepare = JobStartTest::broken;
        }
        String prepared = failureOf(build(job("j", "a"))).getMessage();
        // On another dispatcher, as these devices are known not to build it.
        FakeLane third = new FakeLane("0.0");
        FakeLane fourth = new FakeLane("0.1");
        third.prepare = JobStartTest::broken;
        fourth.prepare = JobStartTest::broken;
        try (Dispatcher own = new Dispatcher(
                List.of(third, fourth), History.inMemory(), ScratchPool.NONE, Duration.ofSeconds(30), PATIENCE)) {
            String run = failureOf(own.submit(job("j", "a"), Policies.fixed(), history, null))
                    .getMessage();
            assertTrue(run.endsWith(": no compiler"), run);
            assertEquals(run.replaceAll("0\\.[01]", "0.x"), prepared.replaceAll("0\\.[01]", "0.x"));
        }
        String again = failureOf(build(job("j", "a"))).getMessage();
        String submitted = failureOf(submit(job("j", "a"))).getMessage();
        assertEquals(
                submitted.replaceAll("0\\.[01]", "0.x"),
                again.replaceAll("0\\.[01]", "0.x"),
                "though they are known not to build it");
    }

    @Test
    void oneLaneThatBuildsIsEnough() throws Exception {
        second.build = JobStartTest::broken;
        Report report = build(job("j", "a")).get(60, TimeUnit.SECONDS);
        assertEquals(List.of("device 0.1 (fake device 0.1) cannot build it: no compiler"), report.failures());
        assertEquals(
                100,
                submit(job("j", "a")).get(60, TimeUnit.SECONDS).devices().get(0).units());
    }

    @Test
    void aWrongDeclarationIsFoundByPreparing() throws Exception {
        second.build = () -> {
            throw new LaneFailure(
                    LaneFailure.Kind.DECLARATION, "kernel a has 3 parameters, but 2 arguments were given");
        };
        assertEquals(
                "job 'bad' failed on device 0.1 (fake device 0.1): kernel a has 3 parameters, but 2 arguments were given",
                failureOf(build(job("bad", "a"))).getMessage());
        assertEquals(
                50,
                submit(job("good", "b"))
                        .get(60, TimeUnit.SECONDS)
                        .devices()
                        .get(1)
                        .units());
    }
}
