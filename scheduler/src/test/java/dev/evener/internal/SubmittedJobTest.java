package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import dev.evener.Report;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads hear of a job's end before callbacks do, and both hear the same. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SubmittedJobTest {
    private final Queue<Runnable> callbacks = new ArrayDeque<>(); // what the thread for them is still to do
    private final SubmittedJob job =
            new SubmittedJob(new Waiter.Over("job \'j\'"), () -> false, callbacks::add, Waits.untold());
    private final Report report =
            new Report("j", "single", 1, 1, 0, 0, null, 0, 0, 1, 1, null, List.of(), null, List.of());
    private final List<String> heard = new ArrayList<>();

    private void runCallbacks() {
        for (Runnable next = callbacks.poll(); next != null; next = callbacks.poll()) {
            next.run();
        }
    }

    @Test
    void whoWaitsNeedNotWaitForCallbacks() throws Exception {
        CompletableFuture<?> ignored = job.thenAccept(r -> heard.add(r.policy()));
        job.whenDone(() -> heard.add("done"));
        CompletableFuture<Report> waiter = CompletableFuture.supplyAsync(job::join);
        while (!job.isAwaited()) {
            Thread.onSpinWait();
        }
        job.end(report, null, callbacks::add);
        assertSame(report, waiter.get());
        assertFalse(job.isAwaited());
        assertSame(report, job.get());
        assertSame(report, job.get(1, TimeUnit.SECONDS));
        assertSame(report, job.getNow(null));
        assertTrue(job.isDone());
        assertFalse(job.isCompletedExceptionally());
        assertEquals(List.of(), heard);
        runCallbacks();
        assertEquals(List.of("done", "single"), heard);
    }

    @Test
    void aFailureIsTheSameForBoth() {
        EvenerException failure = new EvenerException("it failed");
        CompletableFuture<?> ignored = job.whenComplete((r, e) -> heard.add(String.valueOf(e.getMessage())));
        job.end(null, failure, callbacks::add);
        assertTrue(job.isCompletedExceptionally());
        assertFalse(job.isCancelled());
        assertSame(failure, assertThrows(CompletionException.class, job::join).getCause());
        assertSame(failure, assertThrows(ExecutionException.class, job::get).getCause());
        runCallbacks();
        assertEquals(List.of("it failed"), heard);
    }

    @Test
    void whatHasEndedCannotBeEndedByItsCaller() {
        job.end(report, null, callbacks::add);
        assertFalse(job.cancel(true));
        assertFalse(job.complete(report));
        assertFalse(job.completeExceptionally(new EvenerException("late")));
        assertFalse(job.isCancelled());
        CompletableFuture<Report> derived = job.thenApply(r -> r);
        assertFalse(derived.isDone());
        runCallbacks();
        assertSame(report, derived.join());
    }

    @Test
    void whatItsCallerHasEndedStaysSo() {
        job.whenDone(() -> heard.add("done"));
        assertTrue(job.cancel(true));
        assertTrue(job.cancel(true));
        assertEquals(List.of("done"), heard); // in the thread that cancelled
        job.end(report, null, callbacks::add);
        assertNull(callbacks.poll());
        assertTrue(job.isCancelled());
        assertThrows(CancellationException.class, job::join);
        assertThrows(CancellationException.class, () -> job.getNow(report));
    }

    @Test
    void itsCallerMayEndItInAnyOfTheWaysOfAFuture() {
        CompletableFuture<Report> timed = job.orTimeout(1, TimeUnit.MILLISECONDS);
        assertSame(job, timed);
        assertTrue(assertThrows(CompletionException.class, job::join).getCause() instanceof TimeoutException);

        SubmittedJob other =
                new SubmittedJob(new Waiter.Over("job \'k\'"), () -> false, callbacks::add, Waits.untold());
        other.whenDone(() -> heard.add("done"));
        CompletableFuture<?> ignored = other.completeAsync(() -> report, Runnable::run);
        assertSame(report, other.join());
        assertEquals(List.of("done"), heard);
    }

    @Test
    void waitingMayTakeTooLong() {
        assertThrows(TimeoutException.class, () -> job.get(1, TimeUnit.MILLISECONDS));
        assertFalse(job.isAwaited());
    }

    @Test
    void aThreadThatItNeedsMustNotWait() {
        SubmittedJob own = new SubmittedJob(new Waiter.Over("job \'k\'"), () -> true, callbacks::add, Waits.untold());
        assertThrows(IllegalStateException.class, own::join);
        assertThrows(IllegalStateException.class, own::get);
        own.end(report, null, callbacks::add);
        assertSame(report, own.join());
    }
}
