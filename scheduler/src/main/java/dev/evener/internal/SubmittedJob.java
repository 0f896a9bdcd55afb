package dev.evener.internal;

import dev.evener.JobFuture;
import dev.evener.Report;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link JobFuture} is to the runtime, which completes it: a thread that the runtime needs for that cannot wait for it,
 * nor for what is derived from it; that throws. Thread-safe.
 */
public final class SubmittedJob extends JobFuture {
    private final GuardedFuture.Guard guard;
    private final CompletableFuture<@Nullable Void> released;

    /**
     * @param job its name, for messages
     * @param released completed when nothing touches the job's buffers any more
     * @param onOwnThread whether the calling thread is one of the runtime's own
     * @param completions the thread that completes it
     */
    public SubmittedJob(
            String job, CompletableFuture<@Nullable Void> released, BooleanSupplier onOwnThread, Executor completions) {
        this.guard = new GuardedFuture.Guard("job '" + job + "'", onOwnThread, completions);
        this.released = released;
    }

    @Override
    public CompletableFuture<@Nullable Void> released() {
        CompletableFuture<@Nullable Void> own = newIncompleteFuture();
        CompletableFuture<?> ignored = released.thenRun(() -> own.complete(null));
        return own;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new GuardedFuture<>(guard);
    }

    @Override
    public Report join() {
        guard.requireMayWait(this);
        return super.join();
    }

    @Override
    public Report get() throws InterruptedException, ExecutionException {
        guard.requireMayWait(this);
        return super.get();
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
