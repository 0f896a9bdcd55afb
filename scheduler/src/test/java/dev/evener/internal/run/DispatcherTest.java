package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.policy.Plan;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs in order, each on lanes of its own, whatever policies and callers do. */
class DispatcherTest extends TwoFakeLanes {
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
                    .submit(
                            job("cover", units),
                            Policies.fixed(1 + random.nextInt(100), random.nextInt(100)),
                            history,
                            null)
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
                .hostStep(() -> seen.add("1"))
                .kernel("b")
                .jvm(c -> {})
                .kernel("c")
                .jvm(c -> {})
                .hostStep(() -> seen.add("2"))
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

    /** It goes on with the next job, as far as not too many are under way; each lane has the chunks of one at a time, in order. */
    @Test
    void aLaneDoesNotWaitForOthersBetweenTwoJobs() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> await(goOn);
        List<CompletableFuture<Report>> futures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            futures.add(submit(job("job " + i, 2)));
        }
        while (second.executed.size() < 16) {
            Thread.sleep(1);
        }
        Thread.sleep(20);
        assertEquals(16, second.executed.size());
        assertEquals(4, dispatcher.queue().length());
        goOn.countDown();
        for (CompletableFuture<Report> each : futures) {
            Report report = each.get(60, TimeUnit.SECONDS);
            assertEquals(List.of(), report.failures());
            assertTrue(report.wallNanos() > 0 && report.queuedNanos() >= 0, report::toString);
        }
    }

    @Test
    void aLaneWithoutAShareRunsTheNextJobThatIsForItAlone() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> await(goOn);
        HostBuffer shared = MadeUpBuffers.of(ElementType.INT, 100);
        CompletableFuture<Report> longer =
                dispatcher.submit(writing("longer", shared, "0.0", "0.1"), Policies.single(0), history, null);
        CompletableFuture<Report> free = submit(writing("free", MadeUpBuffers.of(ElementType.INT, 100), "0.1"));
        CompletableFuture<Report> dependent = submit(writing("dependent", shared, "0.1"));
        assertEquals(100, free.get(60, TimeUnit.SECONDS).units());
        assertFalse(longer.isDone());
        assertFalse(dependent.isDone(), "it writes what the first job writes");
        goOn.countDown();
        assertEquals(100, dependent.get(60, TimeUnit.SECONDS).units());
        assertEquals(
                List.of("free", "dependent"),
                second.executed.stream().map(FakeLane.Executed::job).toList());
        assertEquals(100, longer.get(60, TimeUnit.SECONDS).units());
    }

    private static Job writing(String name, HostBuffer buffer, String... devices) {
        return Job.named(name)
                .units(100)
                .kernel("k")
                .jvm(c -> {})
                .writes(buffer, Access.slice())
                .devices(DeviceSelector.ids(List.of(devices)))
                .build();
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
        assertOdd("job 'j': policy odd failed: java.lang.NullPointerException", s -> null);
        assertOdd("job 'j': policy odd failed: java.lang.StackOverflowError", s -> {
            throw new StackOverflowError();
        });
        assertOdd("job 'j': no such mode", s -> {
            throw new IllegalArgumentException("no such mode");
        });
        assertEquals(0, first.executed.size() + second.executed.size());
        submit(job("good", 100)).join();
    }

    private void assertOdd(String message, Function<Snapshot, long[]> answer) throws Exception {
        Throwable failure = failureOf(dispatcher.submit(job("j", 100), new OddPolicy(answer), history, null));
        assertInstanceOf(EvenerException.class, failure);
        assertTrue(failure.getMessage().startsWith(message), failure.getMessage());
    }

    // ---- what throws, or once did, where nobody was left to go on ----

    /** In nanoseconds it is no {@code long}: submitting threw, no later job began, and closing took half a minute. */
    @Test
    void aVeryLongDurationIsNoLimit() throws Exception {
        Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
        dispatcher.submit(job("of all", 9), Policies.fixed(), history, forever).get(60, TimeUnit.SECONDS);
        Job own = Job.named("own")
                .units(9)
                .kernel("k")
                .jvm(c -> {})
                .chunkDeadline(forever)
                .deadline(forever)
                .build();
        assertEquals(9, submit(own).get(60, TimeUnit.SECONDS).units());
        assertEquals(9, submit(job("later", 9)).get(60, TimeUnit.SECONDS).units());
    }

    @Test
    void whatThrowsBeforeAJobIsCutEndsThatJobAlone() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        FakeLane lane = new FakeLane("0.2") {
            @Override
            public boolean isBuilt(JobSpec.Phase phase) {
                if (broken.get()) {
                    throw new StackOverflowError("broken");
                }
                return true;
            }
        };
        try (Dispatcher own = new Dispatcher(
                List.of(lane), history, ScratchPool.NONE, Duration.ofSeconds(Long.MAX_VALUE), PATIENCE)) {
            Throwable failure = failureOf(own.submit(job("j", 9), Policies.fixed(), history, null));
            assertEquals("job 'j': starting it failed: java.lang.StackOverflowError: broken", failure.getMessage());
            broken.set(false);
            assertEquals(
                    9,
                    own.submit(job("later", 9), Policies.fixed(), history, null)
                            .get(60, TimeUnit.SECONDS)
                            .units());
        } // which returns, though it may wait for longer than a long has nanoseconds
        assertTrue(lane.closed);
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
                .hostStep(() -> stepRan.set(true))
                .build();
        CompletableFuture<Report> future = dispatcher.submit(job, Policies.single(0), history, null);
        CompletableFuture<Report> next = dispatcher.submit(job("next", 3), Policies.single(1), history, null);
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
                .hostStep(() -> stepRan.set(true))
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
            dispatcher.submit(job("rude", 2), Policies.single(0), history, null).get(60, TimeUnit.SECONDS);
            first.work = (job, phase, from, units, times) ->
                    seen.compareAndSet(false, Thread.currentThread().isInterrupted());
            dispatcher
                    .submit(job("polite", 2), Policies.single(0), history, null)
                    .get(60, TimeUnit.SECONDS);
        }
        assertFalse(seen.get(), "a lane with the flag set spins instead of parking");
    }

    /** A deadline is a task again and again: each would be looked after until the Evener is closed. */
    @Test
    void deadlinesAreForgottenWithTheirJob() throws Exception {
        ConcurrentLinkedQueue<Future<?>> begun = new ConcurrentLinkedQueue<>();
        Watchdog thread = Watchdog.onThread();
        Watchdog noting = new Watchdog() {
            @Override
            public @Nullable Future<?> after(Duration delay, Runnable task) {
                return thread.after(delay, task);
            }

            @Override
            public @Nullable Future<?> every(Duration period, Runnable task) {
                Future<?> made = Objects.requireNonNull(thread.every(period, task));
                begun.add(made);
                return made;
            }

            @Override
            public void close() {
                thread.close();
            }
        };
        LaneThread lane = new LaneThread(new FakeLane("0.2"), noting, PATIENCE);
        try (Dispatcher watched =
                new Dispatcher(List.of(lane), history, System::nanoTime, noting, Runnable::run, List.of())) {
            Job timed = Job.named("timed")
                    .units(10)
                    .deadline(Duration.ofHours(1))
                    .kernel("k")
                    .jvm(c -> {})
                    .build();
            watched.submit(timed, Policies.fixed(), history, Duration.ofHours(1))
                    .get(60, TimeUnit.SECONDS);
        }
        assertEquals(2, begun.size(), "the job's and that of its chunks");
        assertTrue(begun.stream().allMatch(Future::isCancelled), begun::toString);
    }
}
