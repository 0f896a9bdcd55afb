package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.ManagedData;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Closing while jobs wait, run and hang. */
class ClosingTest extends TwoFakeLanes {

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
        while (closer.getState() != Thread.State.TIMED_WAITING) { // it has told the jobs, and waits for the lane
            Thread.sleep(1);
        }
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
        for (CompletableFuture<Report> probe : accepted) { // which the other lane had nothing to do for
            probe.handle((report, failure) -> null).get(60, TimeUnit.SECONDS);
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
        Dispatcher own = new Dispatcher(List.of(hanging), history, ScratchPool.NONE, Duration.ofMillis(50), PATIENCE);
        CompletableFuture<Report> running = own.submit(job("running", 10), Policies.fixed(), history, null);
        CompletableFuture<Report> queued = own.submit(job("queued", 10), Policies.fixed(), history, null);
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
        Dispatcher own = new Dispatcher(
                List.of(new FakeLane("0.2")), history, ScratchPool.NONE, Duration.ofMinutes(10), PATIENCE);
        // A close() that waits for itself does so as long as it may wait for anything.
        own.submit(job("last", 2), Policies.fixed(), history, null)
                .thenRun(own::close)
                .get(90, TimeUnit.SECONDS);
        assertThrows(IllegalStateException.class, () -> own.submit(job("late", 2), Policies.fixed(), history, null));
    }

    @Test
    void closingFromAHostStepIsRefused() throws Exception {
        Job job = Job.named("suicidal")
                .units(2)
                .kernel("k")
                .jvm(c -> {})
                .hostStep(dispatcher::requireNotOnLane)
                .build();
        Throwable failure = failureOf(submit(job));
        assertTrue(failure.getMessage().contains("cannot be closed from a host step"), failure.getMessage());
        dispatcher.requireNotOnLane();
    }

    @Test
    void submittingWhileClosingEitherIsRefusedOrEnds() throws Exception {
        for (int round = 0; round < 100; round++) {
            Dispatcher own = new Dispatcher(
                    List.of(new FakeLane("0.0"), new FakeLane("0.1")),
                    history,
                    ScratchPool.NONE,
                    Duration.ofSeconds(30),
                    PATIENCE);
            ConcurrentLinkedQueue<CompletableFuture<Report>> futures = new ConcurrentLinkedQueue<>();
            List<Thread> submitters = new ArrayList<>();
            CountDownLatch started = new CountDownLatch(3);
            ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
            for (int t = 0; t < 3; t++) {
                Thread thread = new Thread(() -> {
                    try {
                        while (true) {
                            futures.add(own.submit(job("j", 2), Policies.fixed(), history, null));
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

    /** Guards against jobs that nobody ends: stop() had told all others by then, and the lane takes none any more. */
    @Test
    void aJobThatIsSubmittedWhileItsRuntimeIsClosedEnds() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Runnable[] asked = {() -> {}};
        FakeLane hanging = new FakeLane("0.9") {
            @Override
            public boolean checks() { // asked for each job that is submitted
                asked[0].run();
                return super.checks();
            }
        };
        hanging.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        Dispatcher own = new Dispatcher(List.of(hanging), history, ScratchPool.NONE, Duration.ofMillis(50), PATIENCE);
        CompletableFuture<Report> running = own.submit(job("running", 10), Policies.fixed(), history, null);
        CompletableFuture<Report> queued = own.submit(job("queued", 10), Policies.fixed(), history, null);
        await(inside);
        asked[0] = () -> {
            asked[0] = () -> {};
            own.close();
        };
        CompletableFuture<Report> late = own.submit(job("late", 10), Policies.fixed(), history, null);
        assertEquals(
                "job 'late' was ended because its Evener was closed",
                failureOf(late).getMessage());
        goOn.countDown();
        failureOf(running);
        failureOf(queued);
    }

    /** Guards against zeros where a job's results should be: who did not wait for its future could not know that it was ended. */
    @Test
    void aScopeIsRefusedWhenJobsWereEndedByClosing() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        first.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        second.work = first.work;
        ManagedData x = MadeUpBuffers.managed(ElementType.INT, 100, dispatcher.turns());
        CompletableFuture<Report> running = submit(job("running", 10));
        await(inside);
        CompletableFuture<Report> writes = submit(Job.named("writes")
                .units(100)
                .kernel("k")
                .writes(x, Access.slice())
                .jvm(c -> {})
                .build());
        Thread closer = new Thread(dispatcher::stop);
        closer.start();
        failureOf(writes);
        assertEquals(
                "this Evener is closed",
                assertThrows(IllegalStateException.class, x::read).getMessage());
        assertEquals("this Evener is closed", failureOf(x.updateAsync()).getMessage());
        goOn.countDown();
        closer.join(60_000);
        failureOf(running);
        x.close();
    }
}
