package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.internal.HostData;
import dev.evener.internal.SubmittedJob;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What callers can know of jobs under way and in the queue, and where they may wait for them. */
class JobFutureTest extends TwoFakeLanes {
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** The first lane stays in its chunk until it may go on. */
    private void block() {
        first.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        second.work = (job, phase, from, units, times) -> await(goOn);
    }

    private JobFuture start(Job job) {
        JobFuture future = dispatcher.submit(job, Policies.fixed(), history, null);
        await(inside);
        return future;
    }

    // ---- when buffers are free ----

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "failure"})
    void afterAnEarlyEndBuffersAreReleasedWhenTheLastChunkHasEnded(String how) throws Exception {
        block();
        CountDownLatch failing = new CountDownLatch(1);
        second.work = (job, phase, from, units, times) -> {
            await(inside);
            failing.countDown();
            if (how.equals("failure")) {
                throw new LaneFailure(LaneFailure.Kind.DEVICE, "broken");
            }
        };
        HostData buffer = MadeUpBuffers.of(ElementType.INT, 100);
        JobFuture future = start(Job.named("long")
                .units(100)
                .kernel("k")
                .jvm(c -> {})
                .writes(buffer, Access.slice())
                .recovery(false)
                .build());
        await(failing);
        if (how.equals("cancel")) {
            assertTrue(future.cancel(true));
        }
        assertFalse(future.released().isDone(), "the first lane is still at work");
        buffer.close();
        buffer.segment(0); // its memory is not gone
        goOn.countDown();
        future.released().get(60, TimeUnit.SECONDS);
        assertThrows(IllegalStateException.class, () -> buffer.segment(0));
        Exception ended = assertThrows(Exception.class, () -> future.get(60, TimeUnit.SECONDS));
        assertEquals(how.equals("cancel"), ended instanceof CancellationException);
    }

    @Test
    void whoWaitsForAJobDoesNotWaitForACallbackOfAnother() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch callback = new CountDownLatch(1);
        CountDownLatch hasCallback = new CountDownLatch(1); // or this thread would run it
        first.work = (job, phase, from, units, times) -> await(hasCallback);
        CompletableFuture<?> slow = dispatcher
                .submit(job("first", 10), Policies.fixed(), history, null)
                .thenRun(() -> {
                    called.countDown();
                    await(callback);
                });
        hasCallback.countDown();
        await(called);
        block();
        JobFuture second = start(job("second", 10));
        CompletableFuture<Report> waiter = CompletableFuture.supplyAsync(second::join);
        while (!((SubmittedJob) second).isAwaited()) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        assertEquals("second", waiter.get(60, TimeUnit.SECONDS).workload());
        assertFalse(slow.isDone());
        callback.countDown();
        slow.get(60, TimeUnit.SECONDS);
    }

    @Test
    void buffersAreReleasedAfterASuccessAndAfterAFailure() throws Exception {
        JobFuture good = dispatcher.submit(job("good", 10), Policies.fixed(), history, null);
        good.get(60, TimeUnit.SECONDS);
        good.released().get(60, TimeUnit.SECONDS);
        JobFuture bad = dispatcher.submit(job("bad", 10), Policies.fixed(1), history, null); // a share for one of two
        assertInstanceOf(EvenerException.class, failureOf(bad));
        bad.released().get(60, TimeUnit.SECONDS);
        CompletableFuture<?> own = good.released();
        assertTrue(own.isDone() && own != good.released());
    }

    @Test
    void aDeviceThatHangsKeepsBuffersFromBeingReleasedThoughTheJobIsDone() throws Exception {
        block();
        second.work = (job, phase, from, units, times) -> {};
        JobFuture future = dispatcher.submit(job("fenced", 100), Policies.fixed(), history, Duration.ofSeconds(1));
        assertEquals(1, future.get(60, TimeUnit.SECONDS).failures().size());
        assertFalse(future.released().isDone(), "the first lane may still read them");
        goOn.countDown();
        future.released().get(60, TimeUnit.SECONDS);
    }

    @Test
    void aJobCancelledInTheQueueReleasesItsBuffersAtOnce() throws Exception {
        block();
        JobFuture blocker = start(job("blocker", 2));
        JobFuture queued = dispatcher.submit(job("queued", 2), Policies.fixed(), history, null);
        JobFuture last = dispatcher.submit(job("last", 2), Policies.fixed(), history, null);
        assertFalse(queued.released().isDone());
        assertEquals(2, dispatcher.queue().length());
        assertTrue(queued.cancel(false));
        queued.released().get(60, TimeUnit.SECONDS);
        assertEquals(1, dispatcher.queue().length());
        assertFalse(blocker.isDone());
        goOn.countDown();
        assertEquals(2, last.get(60, TimeUnit.SECONDS).units());
        assertTrue(first.executed.stream().noneMatch(e -> e.job().equals("queued")));
    }

    // ---- waiting where nobody else could go on ----

    @ParameterizedTest
    @ValueSource(strings = {"join", "get", "derived", "released"})
    void waitingInACallbackThrowsInsteadOfHanging(String how) throws Exception {
        block();
        JobFuture outer = start(job("outer", 2));
        CompletableFuture<Throwable> thrown = outer.thenApply(report -> {
            JobFuture inner = dispatcher.submit(job("inner", 2), Policies.fixed(), history, null);
            assertSame(report, outer.join(), "what is done can be had anywhere");
            return assertThrows(IllegalStateException.class, () -> {
                switch (how) {
                    case "join" -> inner.join();
                    case "get" -> inner.get();
                    case "derived" -> inner.thenApply(Report::summary).join();
                    default -> inner.released().join();
                }
            });
        });
        goOn.countDown();
        String message = thrown.get(60, TimeUnit.SECONDS).getMessage();
        assertTrue(message.contains("'inner'") && message.contains("thenCompose"), message);
    }

    @Test
    void waitingInAHostStepEndsTheJobInsteadOfHanging() throws Exception {
        AtomicReference<JobFuture> inner = new AtomicReference<>();
        Throwable failure = failureOf(submit(Job.named("outer")
                .units(2)
                .kernel("k")
                .jvm(c -> {})
                .hostStep(() -> {
                    inner.set(dispatcher.submit(job("inner", 2), Policies.fixed(), history, null));
                    inner.get().join();
                })
                .build()));
        assertTrue(
                failure.getMessage().contains("waiting for job 'inner' in a callback, host step"),
                failure.getMessage());
        assertEquals(2, inner.get().get(60, TimeUnit.SECONDS).units());
    }

    // ---- the end of the runtime ----

    @Test
    void drainingWaitsForEveryJobAndItsCallbacksAndRefusesOthers() throws Exception {
        block();
        AtomicInteger called = new AtomicInteger();
        List<JobFuture> futures = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            futures.add(dispatcher.submit(job("job " + i, 2), Policies.fixed(), history, null));
            CompletableFuture<Integer> ignored = futures.get(i).thenApply(report -> called.incrementAndGet());
        }
        await(inside);
        AtomicBoolean drained = new AtomicBoolean();
        Thread closer = new Thread(() -> drained.set(dispatcher.drain(Duration.ofSeconds(Long.MAX_VALUE))));
        closer.start();
        while (closer.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        assertThrows(IllegalStateException.class, () -> submit(job("late", 2)));
        assertFalse(futures.get(0).isDone());
        goOn.countDown();
        closer.join(60_000);
        assertTrue(drained.get());
        assertEquals(5, called.get());
        futures.forEach(future -> assertEquals(2, future.join().units()));
    }

    @Test
    void whatDoesNotEndInTimeIsEndedByClosing() throws Exception {
        block();
        JobFuture running = start(job("running", 100));
        assertFalse(dispatcher.drain(Duration.ofMillis(1)));
        assertFalse(running.isDone(), "draining ends nothing");
        goOn.countDown();
        dispatcher.close();
        assertTrue(running.isDone());
    }

    @Test
    void drainingWhereItWouldWaitForItselfIsRefused() throws Exception {
        block();
        JobFuture outer = start(job("outer", 2));
        CompletableFuture<Boolean> inCallback = outer.thenApply(report -> dispatcher.drain(Duration.ofHours(1)));
        goOn.countDown();
        assertTrue(failureOf(inCallback.thenApply(Boolean::booleanValue).thenApply(b -> (Report) null))
                .getMessage()
                .contains("callback"));
        Throwable failure = failureOf(submit(Job.named("suicidal")
                .units(2)
                .kernel("k")
                .jvm(c -> {})
                .hostStep(() -> dispatcher.drain(Duration.ofHours(1)))
                .build()));
        assertTrue(failure.getMessage().contains("cannot be closed from a host step"), failure.getMessage());
        assertEquals(2, submit(job("after", 2)).get(60, TimeUnit.SECONDS).units());
    }

    // ---- the queue ----

    private Optional<JobFuture> attempt(String name) {
        return dispatcher.trySubmit(job(name, 2), Policies.fixed(), history, null);
    }

    @Test
    void aFullQueueRefusesJobsUntilThereIsRoom() throws Exception {
        ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
        FakeLane lane = new FakeLane("0.5");
        lane.work = (job, phase, from, units, times) -> {
            inside.countDown();
            await(goOn);
        };
        try (Dispatcher own = new Dispatcher(
                List.of(lane),
                history,
                ScratchPool.NONE,
                Duration.ofSeconds(30),
                PATIENCE,
                List.of(event -> {
                    if (event instanceof RunEvent.Submitted submitted) {
                        heard.add(submitted.name());
                    }
                }),
                Duration.ZERO)) {
            own.limitQueue(2);
            assertEquals(0, own.queue().length());
            assertEquals(Duration.ZERO, own.queue().oldest());
            JobFuture running = own.submit(job("running", 2), Policies.fixed(), history, null);
            await(inside);
            JobFuture behind = own.submit(job("behind", 2), Policies.fixed(), history, null);
            assertEquals(0, own.queue().length(), "the one has begun, the other waits on its only lane");
            long before = System.nanoTime();
            JobFuture one = own.submit(job("one", 2), Policies.fixed(), history, null);
            long between = System.nanoTime();
            JobFuture two = own.submit(job("two", 2), Policies.fixed(), history, null);
            long asked = System.nanoTime();
            Duration oldest = own.queue().oldest();
            assertTrue(oldest.toNanos() >= asked - between, "that of the first of them");
            assertTrue(oldest.toNanos() <= System.nanoTime() - before);
            assertEquals(2, own.queue().length());
            assertTrue(own.trySubmit(job("three", 2), Policies.fixed(), history, null)
                    .isEmpty());
            assertEquals(
                    "job 'three' was refused: 2 jobs wait already, as many as may (queueLimit)",
                    assertThrows(
                                    RejectedExecutionException.class,
                                    () -> own.submit(job("three", 2), Policies.fixed(), history, null))
                            .getMessage());
            one.cancel(true);
            JobFuture four = own.trySubmit(job("four", 2), Policies.fixed(), history, null)
                    .orElseThrow();
            assertEquals(2, own.queue().length());
            goOn.countDown();
            running.get(60, TimeUnit.SECONDS);
            two.get(60, TimeUnit.SECONDS);
            four.get(60, TimeUnit.SECONDS);
            assertEquals(0, own.queue().length());
            behind.get(60, TimeUnit.SECONDS);
            assertEquals(
                    List.of("running", "behind", "one", "two", "four"),
                    List.copyOf(heard),
                    "what is refused is no event");
        }
    }

    @Test
    void manyThreadsFillTheQueueToItsLimitAndNoFurther() throws Exception {
        block();
        JobFuture blocker = start(job("blocker", 2));
        dispatcher.limitQueue(100);
        ConcurrentLinkedQueue<JobFuture> accepted = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 100; i++) {
                    attempt("j").ifPresent(accepted::add);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(100, accepted.size());
        assertEquals(100, dispatcher.queue().length());
        goOn.countDown();
        blocker.get(60, TimeUnit.SECONDS);
        for (JobFuture future : accepted) {
            future.get(60, TimeUnit.SECONDS);
        }
        dispatcher.limitQueue(1);
        Job nowhere = Job.named("nowhere")
                .units(1)
                .kernel("k")
                .jvm(c -> {})
                .devices(DeviceSelector.parse("9.9"))
                .build();
        for (int i = 0; i < 3; i++) { // a job that was not made takes no place
            assertThrows(EvenerException.class, () -> submit(nowhere));
        }
        assertEquals(2, attempt("after").orElseThrow().get(60, TimeUnit.SECONDS).units());
    }
}
