package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.Access;
import dev.evener.DeviceSelector;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JobFuture;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.policy.Policies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a job waits for beside its data and its lanes: more urgent ones, what it is to come after, and room in the queue. */
class SubmittingTest extends TwoFakeLanes {
    private static final Duration EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<JobFuture> begun = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

    private static JobBuilder onOne(String name) {
        return Job.named(name)
                .units(10)
                .devices(DeviceSelector.ids(List.of("0.0")))
                .kernel("k")
                .jvm(c -> {});
    }

    /** Its lane notes what it runs, and stops in the job "blocker". */
    private JobFuture block() {
        first.work = (job, phase, from, units, times) -> {
            seen.add(job.name());
            if (job.name().equals("blocker")) {
                inside.countDown();
                await(goOn);
            }
        };
        JobFuture blocker = start(onOne("blocker").build());
        await(inside);
        return blocker;
    }

    private JobFuture start(Job job) {
        return dispatcher.submit(job, Policies.fixed(), history, null);
    }

    private JobFuture after(Job job, CompletionStage<?>... others) {
        return dispatcher.submit(job, Policies.fixed(), history, null, List.of(others));
    }

    // ---- priorities ----

    @Test
    void theMoreUrgentOfThoseThatWaitComesFirst() throws Exception {
        begun.add(block());
        List<JobFuture> all = new ArrayList<>();
        all.add(start(onOne("next on the lane").build()));
        all.add(start(onOne("usual").build()));
        all.add(start(onOne("low").priority(-1).build()));
        all.add(start(onOne("also usual").build()));
        all.add(start(onOne("high").priority(5).build()));
        goOn.countDown();
        for (JobFuture each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
        seen.remove("next on the lane"); // before the urgent one, or after it
        assertEquals(List.of("blocker", "high", "usual", "also usual", "low"), List.copyOf(seen));
    }

    @Test
    void noneIsMoreUrgentThanWhatItNeeds() throws Exception {
        begun.add(block());
        HostBuffer buffer = MadeUpBuffers.of(ElementType.INT, 10);
        begun.add(start(onOne("next on the lane").build()));
        begun.add(start(onOne("writer").writes(buffer, Access.slice()).build()));
        JobFuture reader =
                start(onOne("reader").priority(9).reads(buffer, Access.slice()).build());
        goOn.countDown();
        reader.get(60, TimeUnit.SECONDS);
        assertEquals(List.of("blocker", "next on the lane", "writer", "reader"), List.copyOf(seen));
    }

    // ---- after others ----

    @Test
    void aJobComesAfterAllThatItWasTo() throws Exception {
        CompletableFuture<String> one = new CompletableFuture<>();
        CompletableFuture<String> other = new CompletableFuture<>();
        HostBuffer buffer = MadeUpBuffers.of(ElementType.INT, 10);
        first.work = (job, phase, from, units, times) -> seen.add(job.name());
        JobFuture waits = after(onOne("waits").writes(buffer, Access.slice()).build(), one, other);
        JobFuture reads = start(onOne("reads").reads(buffer, Access.slice()).build());
        start(onOne("free").build()).get(60, TimeUnit.SECONDS);
        one.complete("one");
        assertFalse(waits.isDone() || reads.isDone());
        assertEquals(2, dispatcher.queue().length());
        other.complete("other");
        reads.get(60, TimeUnit.SECONDS);
        assertEquals(List.of("free", "waits", "reads"), List.copyOf(seen));
        assertEquals(0, dispatcher.queue().length());
    }

    @Test
    void aJobFailsWithWhatItWasToComeAfterAtOnce() throws Exception {
        CompletableFuture<String> never = new CompletableFuture<>();
        CompletableFuture<String> fails = new CompletableFuture<>();
        JobFuture waits = after(onOne("waits").build(), never, fails);
        JobFuture behind = after(onOne("behind").build(), waits);
        fails.completeExceptionally(new IllegalStateException("no luck"));
        Throwable failure = failureOf(waits);
        assertEquals(
                "job 'waits' was not run, as what it was to come after failed: java.lang.IllegalStateException: no luck",
                failure.getMessage());
        assertInstanceOf(IllegalStateException.class, failure.getCause());
        assertTrue(failureOf(behind).getMessage().contains("no luck"));
        assertEquals(0, dispatcher.queue().length());
        submit(job("later", 10)).get(60, TimeUnit.SECONDS);
    }

    @Test
    void aJobThatIsCancelledOrClosedWaitsForNothing() throws Exception {
        CompletableFuture<String> never = new CompletableFuture<>();
        JobFuture cancelled = after(onOne("cancelled").build(), never);
        JobFuture closed = after(onOne("closed").build(), never);
        assertTrue(cancelled.cancel(false));
        cancelled.released().get(60, TimeUnit.SECONDS);
        assertThrows(CancellationException.class, cancelled::join);
        assertEquals(1, dispatcher.queue().length());
        dispatcher.close();
        assertTrue(failureOf(closed).getMessage().contains("its Evener was closed"));
        never.complete("too late");
    }

    // ---- room in the queue ----

    /** The queue is full. */
    private void fill() {
        begun.add(block());
        dispatcher.limitQueue(1);
        begun.add(start(onOne("next on the lane").build()));
        begun.add(start(onOne("waits").build()));
        assertEquals(1, dispatcher.queue().length());
    }

    @Test
    void aJobWaitsForRoomSoLong() throws Exception {
        fill();
        Job late = onOne("late").build();
        RejectedExecutionException refused = assertThrows(
                RejectedExecutionException.class,
                () -> dispatcher.submitInTime(late, Policies.fixed(), null, Duration.ofMillis(30)));
        assertEquals("job 'late' was refused: 1 jobs wait already, as many as may (queueLimit)", refused.getMessage());
        assertThrows(
                RejectedExecutionException.class,
                () -> dispatcher.submitInTime(late, Policies.fixed(), null, Duration.ZERO));
        List<CompletableFuture<Report>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return dispatcher
                            .submitInTime(late, Policies.fixed(), null, EVER)
                            .join();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        goOn.countDown();
        for (CompletableFuture<Report> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertEquals(23, seen.size());
    }

    @Test
    void whoWaitsForRoomMayBeInterruptedOrRefusedByClosing() throws Exception {
        fill();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Runnable waits = () -> {
            try {
                begun.add(dispatcher.submitInTime(onOne("late").build(), Policies.fixed(), null, EVER));
            } catch (InterruptedException | RuntimeException e) {
                thrown.set(e);
            }
        };
        Thread interrupted = new Thread(waits);
        interrupted.start();
        interrupted.interrupt();
        interrupted.join();
        assertInstanceOf(InterruptedException.class, thrown.get());
        Thread closed = new Thread(waits);
        closed.start();
        while (closed.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        Thread closer = new Thread(dispatcher::close);
        closer.start();
        closed.join();
        goOn.countDown();
        closer.join();
        assertInstanceOf(IllegalStateException.class, thrown.get());
    }

    @Test
    void aCallbackMustNotWaitForRoom() throws Exception {
        CompletableFuture<Throwable> thrown = block().thenApply(report -> assertThrows(
                IllegalStateException.class,
                () -> dispatcher.submitInTime(onOne("second").build(), Policies.fixed(), null, EVER)));
        goOn.countDown();
        assertTrue(thrown.get(60, TimeUnit.SECONDS).getMessage().contains("must not wait for room"));
    }
}
