package dev.evener.internal;

import dev.evener.JobFuture;
import dev.evener.Report;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link JobFuture} is to the runtime, which completes it: a thread that the runtime needs for that cannot wait for it,
 * nor for what is derived from it; that throws.
 *
 * <p>Threads that wait for it are woken by whoever {@linkplain #end ends} it, be that a lane; callbacks hear of it on the thread for
 * them. So there is an outcome of its own, which comes first, and which is what this future says of itself. Thread-safe.
 */
public final class SubmittedJob extends JobFuture {
    private final GuardedFuture.Guard guard;
    private @Nullable CompletableFuture<@Nullable Void> released; // once somebody has asked; guarded by this
    private boolean isReleased; // guarded by this
    private final CompletableFuture<Report> outcome = new CompletableFuture<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong failedAt = new AtomicLong();

    /**
     * @param job the job under way, which is over when this is done
     * @param onOwnThread whether the calling thread is one of the runtime's own
     * @param completions the thread that completes it
     * @param waits where those who wait for it are known
     */
    public SubmittedJob(Waiter job, BooleanSupplier onOwnThread, Executor completions, Waits waits) {
        this.guard = new GuardedFuture.Guard(job.what(), onOwnThread, completions, waits, job);
    }

    // ---- for the runtime ----

    /** Whether a thread waits for it at present, and not only callbacks. */
    public boolean isAwaited() {
        return waiting.get() > 0;
    }

    /** Since when it may have been known that it is done without a report of the runtime's, by {@link System#nanoTime}; 0 if not yet. */
    public long failedAt() {
        return failedAt.get();
    }

    /** Before anybody can know. */
    private void fails() {
        if (!outcome.isDone()) {
            failedAt.compareAndSet(0, System.nanoTime() | 1);
        }
    }

    /** Nothing touches the job's buffers any more. */
    public void release() {
        CompletableFuture<@Nullable Void> asked;
        synchronized (this) {
            isReleased = true;
            asked = released;
        }
        if (asked != null) {
            guard.completions.execute(() -> asked.complete(null));
        }
    }

    /** Tells this when it is done, however that came. */
    public void whenDone(Runnable told) {
        CompletableFuture<?> ignored = whenComplete((report, failure) -> {
            fails();
            if (failure != null) { // by completeAsync, of which nobody else knows
                outcome.completeExceptionally(failure);
            } else {
                outcome.complete(report);
            }
            guard.settled();
            told.run();
        });
    }

    /**
     * Ends it with a report, or else with a failure. Nothing if the caller has ended it before.
     *
     * @param callbacks runs what completes it for them
     */
    public void end(@Nullable Report report, @Nullable Throwable failure, Executor callbacks) {
        if (report != null) {
            if (outcome.complete(report)) {
                callbacks.execute(() -> super.complete(report));
            }
        } else if (failure != null) {
            fails();
            if (outcome.completeExceptionally(failure)) {
                callbacks.execute(() -> super.completeExceptionally(failure));
            }
        }
    }

    // ---- ended by the caller ----

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        fails();
        return outcome.cancel(mayInterruptIfRunning) && (super.cancel(mayInterruptIfRunning) || isCancelled());
    }

    @Override
    public CompletableFuture<Report> orTimeout(long timeout, TimeUnit unit) {
        guard.setTimed();
        return super.orTimeout(timeout, unit);
    }

    @Override
    public CompletableFuture<Report> completeOnTimeout(Report report, long timeout, TimeUnit unit) {
        guard.setTimed();
        return super.completeOnTimeout(report, timeout, unit);
    }

    @Override
    public boolean complete(Report report) {
        fails();
        return outcome.complete(report) && super.complete(report);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        fails();
        return outcome.completeExceptionally(failure) && super.completeExceptionally(failure);
    }

    // ---- asked ----

    @Override
    public boolean isDone() {
        return outcome.isDone();
    }

    @Override
    public boolean isCancelled() {
        return outcome.isCancelled();
    }

    @Override
    public boolean isCompletedExceptionally() {
        return outcome.isCompletedExceptionally();
    }

    @Override
    public Report getNow(Report otherwise) {
        return outcome.getNow(otherwise);
    }

    @Override
    public Report join() {
        Waits.Wait wait = isDone() ? null : guard.begin(waiter(), guard.isTimed());
        waiting.incrementAndGet();
        try {
            return outcome.join();
        } finally {
            waiting.decrementAndGet();
            Waits.end(wait);
        }
    }

    @Override
    public Report get() throws InterruptedException, ExecutionException {
        Waits.Wait wait = isDone() ? null : guard.begin(waiter(), guard.isTimed());
        waiting.incrementAndGet();
        try {
            return outcome.get();
        } finally {
            waiting.decrementAndGet();
            Waits.end(wait);
        }
    }

    @Override
    public Report get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        Waits.Wait wait = isDone() ? null : guard.waits.begin(waiter());
        waiting.incrementAndGet();
        try {
            return outcome.get(timeout, unit);
        } finally {
            waiting.decrementAndGet();
            Waits.end(wait);
        }
    }

    /** The job under way. */
    public Waiter waiter() {
        return guard.source();
    }

    @Override
    public String toString() {
        String how = isCancelled() ? "cancelled" : isCompletedExceptionally() ? "failed" : isDone() ? "done" : null;
        return "future of " + (how == null ? Waits.text(waiter()) : guard.what + ", " + how);
    }

    // ---- derived from it ----

    @Override
    public synchronized CompletableFuture<@Nullable Void> released() {
        CompletableFuture<@Nullable Void> own = newIncompleteFuture();
        CompletableFuture<@Nullable Void> all = released;
        if (all == null) {
            all = new CompletableFuture<>();
            released = all;
            if (isReleased) {
                release();
            }
        }
        CompletableFuture<?> ignored = all.thenRun(() -> own.complete(null));
        return own;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new GuardedFuture<>(guard);
    }

    @Override
    public <U> CompletableFuture<U> thenCompose(Function<? super Report, ? extends CompletionStage<U>> then) {
        GuardedFuture.Composing<Report, U> composing = new GuardedFuture.Composing<>(then);
        return composing.into(super.thenCompose(composing));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(Function<? super Report, ? extends CompletionStage<U>> then) {
        GuardedFuture.Composing<Report, U> composing = new GuardedFuture.Composing<>(then);
        return composing.into(super.thenComposeAsync(composing));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(
            Function<? super Report, ? extends CompletionStage<U>> then, Executor executor) {
        GuardedFuture.Composing<Report, U> composing = new GuardedFuture.Composing<>(then);
        return composing.into(super.thenComposeAsync(composing, executor));
    }

    /** Completed when all of these are, or exceptionally as soon as one is. */
    public static CompletableFuture<@Nullable Void> all(List<? extends CompletionStage<?>> stages) {
        CompletableFuture<@Nullable Void> all = new CompletableFuture<>();
        AtomicInteger left = new AtomicInteger(1 + stages.size());
        BiConsumer<@Nullable Object, @Nullable Throwable> one = (result, failure) -> {
            if (failure != null) {
                all.completeExceptionally(failure);
            } else if (left.decrementAndGet() == 0) {
                all.complete(null);
            }
        };
        stages.forEach(stage -> stage.whenComplete(one));
        one.accept(null, null);
        return all;
    }
}
