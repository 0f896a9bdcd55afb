package dev.evener.internal.recovery;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Acts when time has passed: deadlines of jobs and chunks, probes of quarantined lanes. Any thread may call. */
public interface Watchdog extends AutoCloseable {

    /** Runs a task once after a delay, unless closed by then. */
    @Nullable
    Future<?> after(Duration delay, Runnable task);

    /** The same for a task that nobody will cancel. */
    default void later(Duration delay, Runnable task) {
        Future<?> ignored = after(delay, task);
    }

    /** Runs a task again and again until it is cancelled. */
    @Nullable
    Future<?> every(Duration period, Runnable task);

    /** Runs a task once after a limit of which this process was at work for nearly all, in {@link Looks}; it is cancelled by its caller. */
    default @Nullable Future<?> afterLooks(Duration limit, Runnable task) {
        AtomicInteger left = new AtomicInteger(Looks.COUNT);
        return every(Looks.period(limit), () -> {
            if (left.decrementAndGet() == 0) {
                task.run();
            }
        });
    }

    /** Cancels a task, if there is one. */
    static void cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }

    @Override
    void close();

    /** A watchdog with a thread, which starts with the first task. It never waits for a lane. */
    static Watchdog onThread() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "evener-watchdog");
            thread.setDaemon(true);
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return new Watchdog() {
            @Override
            public @Nullable Future<?> after(Duration delay, Runnable task) {
                return unlessClosed(() -> executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS));
            }

            @Override
            public @Nullable Future<?> every(Duration period, Runnable task) {
                long nanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), period.toNanos());
                return unlessClosed(() -> executor.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS));
            }

            private static @Nullable Future<?> unlessClosed(Supplier<Future<?>> schedule) {
                try {
                    return schedule.get();
                } catch (RejectedExecutionException e) { // closed: there is nothing left to watch
                    return null;
                }
            }

            @Override
            public void close() {
                executor.shutdownNow();
            }
        };
    }
}
