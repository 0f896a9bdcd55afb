package dev.evener.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A future that the runtime completes: a thread that it needs for that cannot wait for it, nor for what is derived from it; that
 * throws. Thread-safe.
 */
public final class GuardedFuture<T> extends CompletableFuture<T> {
    private final Guard guard;

    public GuardedFuture(Guard guard) {
        this.guard = guard;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new GuardedFuture<>(guard);
    }

    /** Where the runtime completes what this is derived from. */
    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier) {
        return completeAsync(supplier, guard.completions());
    }

    @Override
    public T join() {
        guard.requireMayWait(this);
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        guard.requireMayWait(this);
        return super.get();
    }

    /**
     * Who may wait.
     *
     * @param what is waited for, for messages
     * @param onOwnThread whether the calling thread is one of the runtime's own
     * @param completions the thread on which callbacks run
     */
    public record Guard(String what, BooleanSupplier onOwnThread, Executor completions) {
        void requireMayWait(CompletableFuture<?> future) {
            if (!future.isDone() && onOwnThread.getAsBoolean()) {
                throw new IllegalStateException("waiting for " + what
                        + " in a callback, host step or Java kernel of its own Evener would never end; chain what comes after"
                        + " it with thenCompose(...) or thenAccept(...), or wait in a thread of your own, as of"
                        + " thenAcceptAsync(..., executor)");
            }
        }
    }
}
