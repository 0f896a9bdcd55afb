package dev.evener.internal;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A future that the runtime completes: a thread that it needs for that cannot wait for it, nor for what is derived from it; that
 * throws. Thread-safe.
 */
public final class GuardedFuture<T> extends CompletableFuture<T> implements Waiter {
    private final Guard guard;
    // Whoever is to complete these keeps them until then; here they would be chains that nobody frees.
    private final @Nullable WeakReference<GuardedFuture<?>> from;
    private volatile @Nullable WeakReference<CompletionStage<?>> completedBy; // where a callback gave it
    private volatile boolean timed; // so that who waits for it may wait for itself: for a time

    public GuardedFuture(Guard guard) {
        this(guard, null);
    }

    /** @param from what it is derived from, unless that is the guard's own */
    private GuardedFuture(Guard guard, @Nullable GuardedFuture<?> from) {
        this.guard = guard;
        this.from = from == null ? null : new WeakReference<>(from);
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new GuardedFuture<>(guard, this);
    }

    /** Where the runtime completes what this is derived from. */
    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier) {
        return completeAsync(supplier, guard.completions);
    }

    @Override
    public CompletableFuture<T> orTimeout(long timeout, TimeUnit unit) {
        timed = true;
        return super.orTimeout(timeout, unit);
    }

    @Override
    public CompletableFuture<T> completeOnTimeout(T value, long timeout, TimeUnit unit) {
        timed = true;
        return super.completeOnTimeout(value, timeout, unit);
    }

    private boolean isTimed() {
        GuardedFuture<?> earlier = from == null ? null : from.get();
        return timed || guard.isTimed() || (earlier != null && earlier.isTimed());
    }

    @Override
    public T join() {
        Waits.Wait wait = isDone() ? null : guard.begin(this, isTimed());
        try {
            return super.join();
        } finally {
            Waits.end(wait);
        }
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        Waits.Wait wait = isDone() ? null : guard.begin(this, isTimed());
        try {
            return super.get();
        } finally {
            Waits.end(wait);
        }
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        Waits.Wait wait = isDone() ? null : guard.waits.begin(this);
        try {
            return super.get(timeout, unit);
        } finally {
            Waits.end(wait);
        }
    }

    // ---- what is composed with it ----

    @Override
    public <U> CompletableFuture<U> thenCompose(Function<? super T, ? extends CompletionStage<U>> then) {
        Composing<T, U> composing = new Composing<>(then);
        return composing.into(super.thenCompose(composing));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(Function<? super T, ? extends CompletionStage<U>> then) {
        Composing<T, U> composing = new Composing<>(then);
        return composing.into(super.thenComposeAsync(composing));
    }

    @Override
    public <U> CompletableFuture<U> thenComposeAsync(
            Function<? super T, ? extends CompletionStage<U>> then, Executor executor) {
        Composing<T, U> composing = new Composing<>(then);
        return composing.into(super.thenComposeAsync(composing, executor));
    }

    /** Sees what completes the future that is made, which otherwise only the JDK knows: it may wait for that future. */
    static final class Composing<T, U> implements Function<T, CompletionStage<U>> {
        private final Function<? super T, ? extends CompletionStage<U>> then;
        private @Nullable GuardedFuture<U> made; // guarded by this
        private @Nullable CompletionStage<U> stage; // guarded by this

        Composing(Function<? super T, ? extends CompletionStage<U>> then) {
            this.then = then;
        }

        @Override
        public CompletionStage<U> apply(T result) {
            CompletionStage<U> returned = then.apply(result);
            if (returned != null) {
                both(null, returned);
            }
            return returned;
        }

        CompletableFuture<U> into(CompletableFuture<U> future) {
            both((GuardedFuture<U>) future, null);
            return future;
        }

        private void both(@Nullable GuardedFuture<U> future, @Nullable CompletionStage<U> returned) {
            GuardedFuture<U> completed;
            CompletionStage<U> by;
            synchronized (this) {
                made = future == null ? made : future;
                stage = returned == null ? stage : returned;
                completed = made;
                by = stage;
            }
            if (completed != null && by != null) {
                completed.isCompletedBy(by);
            }
        }
    }

    private void isCompletedBy(CompletionStage<?> stage) {
        if (isDone()) {
            return;
        }
        completedBy = new WeakReference<>(stage);
        Waiter waiter = Waiter.of(stage);
        if (!waiter.isOver()) {
            guard.waits.requireNoCircle(
                    this,
                    waiter,
                    reason ->
                            guard.completions.execute(() -> completeExceptionally(new IllegalStateException(reason))));
        }
    }

    // ---- as one of those who wait ----

    @Override
    public String what() {
        Waiter source = guard.source();
        return "a future derived from " + (source.isOver() ? guard.what : source.what());
    }

    @Override
    public List<Waiter> waitsFor() {
        if (isDone()) {
            return List.of();
        }
        WeakReference<CompletionStage<?>> composed = completedBy;
        if (composed != null) {
            CompletionStage<?> by = composed.get();
            return by == null ? List.of() : Waiter.left(List.of(by));
        }
        GuardedFuture<?> earlier = from == null ? null : from.get();
        Waiter before = earlier == null ? guard.source() : earlier;
        return before.isOver() ? List.of() : List.of(before);
    }

    @Override
    public String state() {
        return isDone()
                ? "is completed"
                : "is not completed: a callback has not ended, or the application is to complete something else";
    }

    @Override
    public boolean isOver() {
        return isDone();
    }

    @Override
    public String toString() {
        return isDone() ? super.toString() : Waits.text(this);
    }

    /** Who may wait for a future that the runtime completes, and for all that is derived from it. */
    public static final class Guard {
        final String what;
        private final BooleanSupplier onOwnThread;
        final Executor completions;
        final Waits waits;
        private volatile Waiter source;
        private volatile boolean timed;

        /**
         * One of a future.
         *
         * @param what is waited for, for messages
         * @param onOwnThread whether the calling thread is one of the runtime's own
         * @param completions the thread on which callbacks run
         * @param waits where those who wait are known
         * @param source who completes it
         */
        public Guard(String what, BooleanSupplier onOwnThread, Executor completions, Waits waits, Waiter source) {
            this.what = what;
            this.onOwnThread = onOwnThread;
            this.completions = completions;
            this.waits = waits;
            this.source = source;
        }

        /** The future ends in time, so that who waits for it may wait for itself. */
        void setTimed() {
            timed = true;
        }

        boolean isTimed() {
            return timed;
        }

        /** The future is completed: nothing is kept of who did that. */
        public void settled() {
            source = new Waiter.Over(what);
        }

        Waiter source() {
            return source;
        }

        /**
         * The calling thread is going to wait for a future that is not done.
         *
         * @param timed whether for a time at most
         * @throws IllegalStateException if it must not, as it would never end
         */
        Waits.Wait begin(Waiter future, boolean timed) {
            if (onOwnThread.getAsBoolean()) {
                throw new IllegalStateException("waiting for " + what
                        + " in a callback, host step or Java kernel of its own Evener would never end; chain what comes after"
                        + " it with thenCompose(...) or thenAccept(...), or wait in a thread of your own, as of"
                        + " thenAcceptAsync(..., executor)");
            }
            return timed ? waits.begin(future) : waits.beginOrRefuse(future);
        }
    }
}
