package dev.evener.internal.run;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that acts when time has passed: deadlines of jobs and chunks, probes of quarantined lanes. It never waits
 * for a lane. The thread starts with the first task. Any thread may call.
 */
final class Watchdog implements AutoCloseable {
    private final ScheduledThreadPoolExecutor executor;

    Watchdog() {
        ThreadFactory factory = task -> {
            Thread thread = new Thread(task, "evener-watchdog");
            thread.setDaemon(true);
            return thread;
        };
        executor = new ScheduledThreadPoolExecutor(1, factory);
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs a task once after a delay, unless closed by then. */
    @Nullable
    Future<?> after(Duration delay, Runnable task) {
        try {
            return executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) { // closed: there is nothing left to watch
            return null;
        }
    }

    /** The same for a task that nobody will cancel. */
    void later(Duration delay, Runnable task) {
        Future<?> ignored = after(delay, task);
    }

    /** Runs a task again and again until it is cancelled. */
    @Nullable
    Future<?> every(Duration period, Runnable task) {
        long nanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), period.toNanos());
        try {
            return executor.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    static void cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
