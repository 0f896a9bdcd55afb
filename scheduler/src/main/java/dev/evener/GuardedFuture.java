package dev.evener;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;

/**
 * A future that a runtime completes, and those that are derived from it. A thread that the runtime needs to complete it cannot
 * wait for it: that throws.
 */
class GuardedFuture<T> extends CompletableFuture<T> {
    private final String job;
    private final BooleanSupplier onOwnThread;

    /**
     * @param job its name, for messages
     * @param onOwnThread whether the calling thread is one of the runtime's own
     */
    GuardedFuture(String job, BooleanSupplier onOwnThread) {
        this.job = job;
        this.onOwnThread = onOwnThread;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new GuardedFuture<>(job, onOwnThread);
    }

    @Override
    public T join() {
        requireMayWait();
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        requireMayWait();
        return super.get();
    }

    private void requireMayWait() {
        if (!isDone() && onOwnThread.getAsBoolean()) {
            throw new IllegalStateException("waiting for job '" + job
                    + "' in a callback, host step or Java kernel of its own Evener would never end; chain what comes after it"
                    + " with thenCompose(...) or thenAccept(...), or wait in a thread of your own, as of thenAcceptAsync(...,"
                    + " executor)");
        }
    }
}
