package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on lanes that fail, stall and lie. The limits on time are for a run that hangs, not for a slow machine. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DispatcherTest {
    private final FakeLane first = new FakeLane("0.0");
    private final FakeLane second = new FakeLane("0.1");
    private final History history = History.inMemory();
    private Dispatcher dispatcher = new Dispatcher(List.of(first, second), history);

    @AfterEach
    void close() {
        dispatcher.close();
        assertTrue(first.closed && second.closed);
    }

    private static Job job(String name, long units) {
        return Job.named(name).units(units).kernel("k").jvm(c -> {}).build();
    }

    private CompletableFuture<Report> submit(Job job) {
        return dispatcher.submit(job, Policies.fixed());
    }

    private static Throwable failureOf(CompletableFuture<Report> future) throws Exception {
        return assertThrows(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS))
                .getCause();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS), "nobody opened the latch");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- work ----

    @Test
    void everyUnitIsGivenToALaneOnceInChunksItCanTake() {
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            first.executed.clear();
            second.executed.clear();
            first.maxChunkUnits = 1L + random.nextInt(40);
            second.maxChunkUnits = 1L + random.nextInt(1000);
            long units = random.nextInt(500);
            Report report = dispatcher
                    .submit(job("cover", units), Policies.fixed(random.nextDouble(), random.nextDouble()))
                    .join();
            List<FakeLane.Executed> all = new ArrayList<>(first.executed);
            all.addAll(second.executed);
            all.sort(Comparator.comparingLong(FakeLane.Executed::firstUnit));
            long at = 0;
            for (FakeLane.Executed chunk : all) {
                assertEquals(at, chunk.firstUnit());
                assertTrue(chunk.units() > 0);
                at += chunk.units();
            }
            assertEquals(units, at);
            assertTrue(first.executed.stream().allMatch(e -> e.units() <= first.maxChunkUnits));
            assertEquals(first.executed.size(), report.devices().get(0).chunks());
            assertEquals(second.executed.size(), report.devices().get(1).chunks());
        }
    }

    @Test
    void phasesAndHostStepsComeInOrder() {
        ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        FakeLane.Work note = (job, phase, from, units, times) -> seen.add(phase.kernel());
        first.work = note;
        second.work = note;
        Job job = Job.named("phases")
                .units(10)
                .kernel("a")
                .jvm(c -> {})
                .combine(() -> seen.add("1"))
                .kernel("b")
                .jvm(c -> {})
                .kernel("c")
                .jvm(c -> {})
                .combine(() -> seen.add("2"))
                .build();
        for (int i = 0; i < 200; i++) {
            seen.clear();
            submit(job).join();
            assertEquals("a a 1 b b c c 2", String.join(" ", seen));
        }
    }

    @Test
    void jobsRunInTheOrderOfTheirSubmission() {
        List<CompletableFuture<Report>> futures = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            names.add("job " + i);
            futures.add(submit(job("job " + i, 2)));
        }
        CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new)).join();
        for (FakeLane lane : List.of(first, second)) {
            assertEquals(
                    names, lane.executed.stream().map(FakeLane.Executed::job).toList());
        }
    }

    @Test
    void oneJobAtATimeHasTheLanes() {
        OneJobInside present = new OneJobInside();
        FakeLane.Work work = (job, phase, from, units, times) -> {
            present.enter(job);
            present.leave(job);
        };
        first.work = work;
        second.work = work;
        List<CompletableFuture<Report>> futures = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            futures.add(submit(job("job " + i, 2)));
        }
        futures.forEach(CompletableFuture::join);
    }

    /** Fails when two different jobs are inside at once. */
    private static final class OneJobInside {
        private final ConcurrentLinkedQueue<Job> inside = new ConcurrentLinkedQueue<>();

        void enter(Job job) {
            inside.add(job);
            assertTrue(inside.stream().allMatch(j -> j == job), "two jobs at once");
        }

        void leave(Job job) {
            assertTrue(inside.remove(job));
        }
    }

    // ---- faults ----

    @Test
    void aLaneThatThrowsEndsItsJobWithTheCauseAndNothingElse() throws Exception {
        RuntimeException cause = new IllegalStateException("the cable is loose");
        CountDownLatch otherAtWork = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> otherAtWork.countDown();
        second.work = (job, phase, from, units, times) -> {
            await(otherAtWork);
            throw cause;
        };
        Throwable failure = failureOf(submit(job("bad", 100)));
        assertInstanceOf(EvenerException.class, failure);
        assertEquals(
                "job 'bad' failed on device 0.1 (fake device 0.1): java.lang.IllegalStateException: the cable is loose",
                failure.getMessage());
        assertSame(cause, failure.getCause());
        assertEquals(1, first.executed.size(), "the other lane had its part");
        second.work = (job, phase, from, units, times) -> {};
        assertEquals(100, submit(job("good", 100)).join().units());
        assertFalse(history.entries().stream().anyMatch(e -> e.cost().samples() > 1), "failed jobs teach nothing");
    }

    @Test
    void anErrorIsAFailureLikeAnyOther() throws Exception {
        first.work = (job, phase, from, units, times) -> {
            throw new StackOverflowError();
        };
        Throwable failure = failureOf(submit(job("bad", 100)));
        assertEquals(
                "job 'bad' failed on device 0.0 (fake device 0.0): java.lang.StackOverflowError", failure.getMessage());
        first.work = (job, phase, from, units, times) -> {};
        submit(job("good", 100)).join();
    }

    @Test
    void aLaneThatCannotPrepareFailsTheJobBeforeItsFirstChunk() throws Exception {
        second.prepare = () -> {
            throw new EvenerException("no compiler");
        };
        Throwable failure = failureOf(submit(job("bad", 100)));
        assertEquals("job 'bad' failed on device 0.1 (fake device 0.1): no compiler", failure.getMessage());
        assertEquals(0, second.executed.size());
        second.prepare = () -> {};
        submit(job("good", 100)).join();
    }

    @Test
    void theFirstFailureCountsAndKeepsTheOthers() throws Exception {
        CountDownLatch firstFailed = new CountDownLatch(1);
        CountDownLatch both = new CountDownLatch(2);
        first.work = (job, phase, from, units, times) -> {
            both.countDown();
            await(both);
            firstFailed.countDown();
            throw new IllegalStateException("one");
        };
        second.work = (job, phase, from, units, times) -> {
            both.countDown();
            await(both);
            await(firstFailed);
            throw new IllegalStateException("two");
        };
        Throwable failure = failureOf(submit(job("bad", 100)));
        // Which of them is noted first is the scheduler's business; neither may be lost.
        List<String> causes = new ArrayList<>();
        causes.add(failure.getCause().getMessage());
        for (Throwable t : failure.getSuppressed()) {
            causes.add(t.getCause().getMessage());
        }
        causes.sort(null);
        assertEquals(List.of("one", "two"), causes);
    }

    @Test
    void aLaneWithoutRoomForOneUnitSaysSo() throws Exception {
        dispatcher.close();
        FakeLane narrow = new FakeLane("0.2") {
            @Override
            public long maxChunkUnits(Job.Phase phase) {
                throw new EvenerException("one unit is too large");
            }
        };
        try (Dispatcher own = new Dispatcher(List.of(narrow), history)) {
            Throwable failure = failureOf(own.submit(job("wide", 5), Policies.fixed()));
            assertEquals(
                    "job 'wide' failed on device 0.2 (fake device 0.2): one unit is too large", failure.getMessage());
        }
    }

    @Test
    void aHostStepThatThrowsEndsItsJob() throws Exception {
        for (Error thrown : List.of(new AssertionError("no"), new StackOverflowError("deep"))) {
            Job job = Job.named("step")
                    .units(4)
                    .kernel("k")
                    .jvm(c -> {})
                    .combine(() -> {
                        throw thrown;
                    })
                    .kernel("never")
                    .jvm(c -> {})
                    .build();
            Throwable failure = failureOf(submit(job));
            assertEquals("job 'step': the host step after kernel k failed: " + thrown, failure.getMessage());
            assertSame(thrown, failure.getCause());
        }
        assertTrue(first.executed.stream().noneMatch(e -> e.kernel().equals("never")));
        submit(job("good", 100)).join();
    }

    @Test
    void aHostStepOfAJobWithoutUnitsRunsAndMayFail() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        Job.Builder job = Job.named("empty").units(0).kernel("k").jvm(c -> {}).combine(ran::incrementAndGet);
        submit(job.build()).join();
        assertEquals(1, ran.get());
        Job bad = Job.named("empty")
                .units(0)
                .kernel("k")
                .jvm(c -> {})
                .combine(() -> {
                    throw new IllegalStateException("no data");
                })
                .kernel("l")
                .jvm(c -> {})
                .combine(ran::incrementAndGet)
                .build();
        assertTrue(failureOf(submit(bad)).getMessage().endsWith("java.lang.IllegalStateException: no data"));
        assertEquals(1, ran.get());
    }

    // ---- policies that misbehave ----

    private record OddPolicy(Function<Snapshot, long[]> answer) implements Policy {
        @Override
        public String name() {
            return "odd";
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            return Plan.of(Plan.Sharing.FIXED, answer.apply(snapshot));
        }
    }

    @Test
    void aPolicyThatMisbehavesEndsItsJobAndNothingElse() throws Exception {
        assertOdd("job 'j': policy odd gave shares to 1 lanes, but there are 2", s -> new long[] {s.granules()});
        assertOdd("job 'j': policy odd gave shares to 3 lanes, but there are 2", s ->
                new long[] {1, 1, s.granules() - 2});
        assertOdd("job 'j': policy odd shared out 3 of 100 granules", s -> new long[] {1, 2});
        assertOdd("job 'j': cutting it failed: java.lang.NullPointerException", s -> null);
        assertOdd("job 'j': cutting it failed: java.lang.StackOverflowError", s -> {
            throw new StackOverflowError();
        });
        assertOdd("job 'j': no such mode", s -> {
            throw new IllegalArgumentException("no such mode");
        });
        assertEquals(0, first.executed.size() + second.executed.size());
        submit(job("good", 100)).join();
    }

    private void assertOdd(String message, Function<Snapshot, long[]> answer) throws Exception {
        Throwable failure = failureOf(dispatcher.submit(job("j", 100), new OddPolicy(answer)));
        assertInstanceOf(EvenerException.class, failure);
        assertTrue(failure.getMessage().startsWith(message), failure.getMessage());
    }

    // ---- giving up ----

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "timeout", "complete"})
    void aJobThatItsCallerEndsRunsNoFurtherChunkAndNoHostStep(String how) throws Exception {
        AtomicBoolean stepRan = new AtomicBoolean();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        first.maxChunkUnits = 1;
        first.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        Job job = Job.named("long")
                .units(100)
                .kernel("k")
                .jvm(c -> {})
                .combine(() -> stepRan.set(true))
                .build();
        CompletableFuture<Report> future = dispatcher.submit(job, Policies.single(0));
        CompletableFuture<Report> next = dispatcher.submit(job("next", 3), Policies.single(1));
        await(inside);
        switch (how) {
            case "cancel" -> {
                assertTrue(future.cancel(true));
                assertThrows(CancellationException.class, future::join);
            }
            case "timeout" ->
                assertInstanceOf(TimeoutException.class, failureOf(future.orTimeout(1, TimeUnit.MILLISECONDS)));
            default -> future.completeExceptionally(new IllegalStateException("changed my mind"));
        }
        assertFalse(next.isDone(), "the chunk under way still has the lanes");
        goOn.countDown();
        assertEquals(3, next.get(60, TimeUnit.SECONDS).units());
        assertEquals(
                1, first.executed.stream().filter(e -> e.job().equals("long")).count());
        assertFalse(stepRan.get());
    }

    @Test
    void aJobCancelledInTheQueueNeverRuns() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> await(goOn);
        AtomicBoolean stepRan = new AtomicBoolean();
        CompletableFuture<Report> blocker = submit(job("blocker", 2));
        CompletableFuture<Report> queued = submit(job("queued", 2));
        CompletableFuture<Report> empty = submit(Job.named("empty")
                .units(0)
                .kernel("k")
                .jvm(c -> {})
                .combine(() -> stepRan.set(true))
                .build());
        CompletableFuture<Report> last = submit(job("last", 2));
        queued.cancel(false);
        empty.cancel(false);
        goOn.countDown();
        blocker.get(60, TimeUnit.SECONDS);
        last.get(60, TimeUnit.SECONDS);
        assertTrue(first.executed.stream().noneMatch(e -> e.job().equals("queued")));
        assertFalse(stepRan.get());
    }

    // ---- closing ----

    @Test
    void closingWhileALaneWorksWaitsForItAndEndsEveryJob() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean closedUnderway = new AtomicBoolean();
        first.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
            closedUnderway.set(first.closed);
        };
        first.maxChunkUnits = 1;
        CompletableFuture<Report> running = submit(job("running", 10));
        CompletableFuture<Report> queued = submit(job("queued", 10));
        await(inside);
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        List<CompletableFuture<Report>> accepted = new ArrayList<>();
        while (true) { // until close() has begun, which a refusal shows
            try {
                accepted.add(submit(job("probe", 0)));
            } catch (IllegalStateException e) {
                assertEquals("job 'probe' was submitted to a closed Evener", e.getMessage());
                break;
            }
            Thread.sleep(1);
        }
        assertTrue(closer.isAlive());
        goOn.countDown();
        closer.join(60_000);
        assertFalse(closer.isAlive());
        assertFalse(closedUnderway.get(), "a lane is not closed under its own feet");
        assertEquals(
                "job 'running' was ended because its Evener was closed",
                failureOf(running).getMessage());
        assertEquals(
                "job 'queued' was ended because its Evener was closed",
                failureOf(queued).getMessage());
        assertEquals(1, first.executed.size());
        for (CompletableFuture<Report> probe : accepted) {
            failureOf(probe);
        }
    }

    @Test
    void closingDoesNotWaitForEverForALaneThatHangs() throws Exception {
        dispatcher.close();
        FakeLane hanging = new FakeLane("0.9");
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        hanging.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        Dispatcher own = new Dispatcher(List.of(hanging), history, Duration.ofMillis(50));
        CompletableFuture<Report> running = own.submit(job("running", 10), Policies.fixed());
        CompletableFuture<Report> queued = own.submit(job("queued", 10), Policies.fixed());
        await(inside);
        own.close();
        assertEquals(
                "job 'running' was ended because its Evener was closed",
                failureOf(running).getMessage());
        assertEquals(
                "job 'queued' was ended because its Evener was closed",
                failureOf(queued).getMessage());
        assertFalse(hanging.closed, "what a busy lane uses is left to it");
        goOn.countDown();
        while (!hanging.closed) { // the test's time limit ends a lane that never closes
            Thread.sleep(1);
        }
        assertEquals(1, hanging.executed.size());
    }

    @Test
    void closingFromAJobsCallbackDoesNotWaitForItself() throws Exception {
        // The dispatcher's own limit is 30 s for each step; a close() that waits for itself takes longer than 20 s.
        submit(job("last", 2)).thenRun(dispatcher::close).get(20, TimeUnit.SECONDS);
        assertThrows(IllegalStateException.class, () -> submit(job("late", 2)));
    }

    @Test
    void closingFromAHostStepIsRefused() throws Exception {
        Job job = Job.named("suicidal")
                .units(2)
                .kernel("k")
                .jvm(c -> {})
                .combine(dispatcher::requireNotOnLane)
                .build();
        Throwable failure = failureOf(submit(job));
        assertTrue(failure.getMessage().contains("cannot be closed from a host step"), failure.getMessage());
        dispatcher.requireNotOnLane();
    }

    @Test
    void submittingWhileClosingEitherIsRefusedOrEnds() throws Exception {
        for (int round = 0; round < 100; round++) {
            Dispatcher own = new Dispatcher(List.of(new FakeLane("0.0"), new FakeLane("0.1")), history);
            ConcurrentLinkedQueue<CompletableFuture<Report>> futures = new ConcurrentLinkedQueue<>();
            List<Thread> submitters = new ArrayList<>();
            CountDownLatch started = new CountDownLatch(3);
            ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
            for (int t = 0; t < 3; t++) {
                Thread thread = new Thread(() -> {
                    try {
                        while (true) {
                            futures.add(own.submit(job("j", 2), Policies.fixed()));
                            started.countDown();
                        }
                    } catch (IllegalStateException e) {
                        // closed: the only way out
                    } catch (Throwable e) {
                        wrong.add(e);
                    }
                });
                thread.start();
                submitters.add(thread);
            }
            await(started);
            own.close();
            for (Thread thread : submitters) {
                thread.join(60_000);
                assertFalse(thread.isAlive());
            }
            assertEquals(List.of(), List.copyOf(wrong));
            for (CompletableFuture<Report> future : futures) {
                try {
                    assertEquals(2, future.get(60, TimeUnit.SECONDS).units());
                } catch (ExecutionException e) {
                    assertTrue(e.getCause().getMessage().contains("its Evener was closed"), e.toString());
                }
            }
        }
    }

    // ---- threads ----

    @Test
    void manyThreadsSubmitAndEveryJobEnds() throws Exception {
        AtomicLong units = new AtomicLong();
        FakeLane.Work count = (job, phase, from, n, times) -> units.addAndGet(n);
        first.work = count;
        second.work = count;
        List<Thread> threads = new ArrayList<>();
        ConcurrentLinkedQueue<CompletableFuture<Report>> futures = new ConcurrentLinkedQueue<>();
        for (int t = 0; t < 8; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 1000; i++) {
                    futures.add(submit(job("j", 3)));
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (CompletableFuture<Report> future : futures) {
            future.get(60, TimeUnit.SECONDS);
        }
        assertEquals(8 * 1000, futures.size());
        assertEquals(8 * 1000 * 3, units.get());
    }

    @Test
    void futuresEndOffTheLanes() throws Exception {
        String thread = submit(job("j", 2))
                .thenApply(r -> Thread.currentThread().getName())
                .get(60, TimeUnit.SECONDS);
        // Either the runtime's thread for that, or this one if the job was faster than thenApply.
        assertFalse(thread.startsWith("evener-lane"), thread);
    }

    @Test
    void anInterruptLeftBehindIsGoneBeforeTheNextJob() throws Exception {
        AtomicBoolean seen = new AtomicBoolean();
        for (int i = 0; i < 20; i++) {
            first.work =
                    (job, phase, from, units, times) -> Thread.currentThread().interrupt();
            dispatcher.submit(job("rude", 2), Policies.single(0)).get(60, TimeUnit.SECONDS);
            first.work = (job, phase, from, units, times) ->
                    seen.compareAndSet(false, Thread.currentThread().isInterrupted());
            dispatcher.submit(job("polite", 2), Policies.single(0)).get(60, TimeUnit.SECONDS);
        }
        assertFalse(seen.get(), "a lane with the flag set spins instead of parking");
    }

    // ---- reports ----

    @Test
    void reportsAddUpWhatTheLanesMeasured() throws Exception {
        AtomicLong now = new AtomicLong(1000);
        ChunkTimes[][] script = { // [lane][phase]
            {times(1100, 1400, 200, 50, 10, 1), times(1500, 1600, 100, 0, 20, 2)},
            {times(1150, 1450, 250, 0, 30, 3), times(1510, 1900, 300, 90, 40, 4)},
        };
        List<LaneWorker> workers = new ArrayList<>();
        for (int lane = 0; lane < 2; lane++) {
            ChunkTimes[] mine = script[lane];
            workers.add(new LaneWorker(new FakeLane("0." + lane) {
                @Override
                public void execute(Job job, Job.Phase phase, long firstUnit, int units, ChunkTimes times) {
                    ChunkTimes source = mine[phase.kernel().equals("a") ? 0 : 1];
                    times.start = source.start;
                    times.end = source.end;
                    times.kernelNanos = source.kernelNanos;
                    times.transferNanos = source.transferNanos;
                    times.bytesIn = source.bytesIn;
                    times.bytesOut = source.bytesOut;
                }
            }));
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
                history,
                ScratchPool.NONE,
                now::get,
                Runnable::run,
                ended -> {});
        now.set(1040);
        run.start();
        Report report = run.future().get(60, TimeUnit.SECONDS);
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
        // What was measured is what the next job is cut by: 350 ns for 25 units, 640 for 75.
        assertEquals(
                14.0,
                history.cost(job.phases().get(0), workers.get(0).device()).nanosPerUnit()
                        + history.cost(job.phases().get(1), workers.get(0).device())
                                .nanosPerUnit(),
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
        double predicted = history.cost(job.phases().get(0), first.device()).predict(10);
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
