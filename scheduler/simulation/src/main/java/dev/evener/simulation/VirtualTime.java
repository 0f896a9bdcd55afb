package dev.evener.simulation;

import dev.evener.internal.recovery.Watchdog;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A clock that moves from event to event, and what else of the runtime goes by time. What is due at the same nanosecond
 * happens in the order in which it was asked for, so that a run is the same every time.
 *
 * <p>An event may {@link #spend} time: then the clock runs on for it alone, what it asks for is due so much later, and the
 * next event finds the clock at its own time again.
 *
 * <p>For one thread.
 */
final class VirtualTime implements LongSupplier {
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong((Task t) -> t.time).thenComparingLong(t -> t.order));
    private final Watchdog watchdog = new Deadlines();
    private long now;
    private long spent;
    private long asked;
    private int pending; // tasks that are not just done aside

    /** Nanoseconds since the beginning. */
    @Override
    public long getAsLong() {
        return now + spent;
    }

    /** The event that is happening takes so long. */
    void spend(long nanos) {
        spent += Math.max(0, nanos);
    }

    /** Has something happen after so many nanoseconds. */
    void in(long nanos, Runnable what) {
        at(getAsLong() + Math.max(0, nanos), what);
    }

    /** Has something happen at a time, or now if that is over. */
    void at(long time, Runnable what) {
        Task ignored = add(Math.max(time, now), 0, false, what);
    }

    private Task add(long time, long period, boolean aside, Runnable what) {
        Task task = new Task(time, asked++, period, aside, what);
        tasks.add(task);
        pending += aside ? 0 : 1;
        return task;
    }

    /** Whether all that is to come is done aside, again and again perhaps, such as trying out devices that failed. */
    boolean isIdle() {
        return pending == 0;
    }

    /** When the next event is due, or {@link Long#MAX_VALUE}. */
    long next() {
        Task first = first();
        return first == null ? Long.MAX_VALUE : first.time;
    }

    /** Lets the next event happen; there must be one. */
    void step() {
        Task first = first();
        if (first == null) {
            throw new IllegalStateException("nothing is going to happen");
        }
        tasks.remove();
        moveTo(first.time);
        if (first.period == 0) {
            pending -= first.aside ? 0 : 1;
            first.complete(null);
        }
        first.what.run();
        if (first.period > 0 && !first.isCancelled()) {
            first.time = getAsLong() + first.period;
            first.order = asked++;
            tasks.add(first);
        }
    }

    /** An event of somebody else's at this time, not before the present. */
    void moveTo(long time) {
        now = Math.max(now, time);
        spent = 0;
    }

    private @Nullable Task first() {
        Task first = tasks.peek();
        while (first != null && first.isCancelled()) {
            tasks.remove();
            first = tasks.peek();
        }
        return first;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    private final class Task extends CompletableFuture<@Nullable Object> {
        private long time;
        private long order;
        private final long period;
        private final boolean aside;
        private final Runnable what;

        Task(long time, long order, long period, boolean aside, Runnable what) {
            this.time = time;
            this.order = order;
            this.period = period;
            this.aside = aside;
            this.what = what;
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            pending -= aside || isDone() ? 0 : 1;
            return super.cancel(mayInterrupt);
        }
    }

    private final class Deadlines implements Watchdog {
        @Override
        public Future<?> after(Duration delay, Runnable task) {
            return add(getAsLong() + delay.toNanos(), 0, false, task);
        }

        @Override
        public void later(Duration delay, Runnable task) {
            Task ignored = add(getAsLong() + delay.toNanos(), 0, true, task);
        }

        @Override
        public Future<?> every(Duration period, Runnable task) {
            long nanos = Math.max(1, period.toNanos());
            return add(getAsLong() + nanos, nanos, false, task);
        }

        @Override
        public void close() {}
    }
}
