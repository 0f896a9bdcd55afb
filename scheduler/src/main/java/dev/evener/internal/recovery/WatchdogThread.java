package dev.evener.internal.recovery;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A watchdog with a thread, which starts with the first task. It never waits for a lane. */
public final class WatchdogThread implements Watchdog {
    private final ScheduledThreadPoolExecutor executor;

    public WatchdogThread() {
        ThreadFactory factory = task -> {
            Thread thread = new Thread(task, "evener-watchdog");
            thread.setDaemon(true);
            return thread;
        };
        executor = new ScheduledThreadPoolExecutor(1, factory);
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public @Nullable Future<?> after(Duration delay, Runnable task) {
        try {
            return executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) { // closed: there is nothing left to watch
            return null;
        }
    }

    @Override
    public @Nullable Future<?> every(Duration period, Runnable task) {
        long nanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), period.toNanos());
        try {
            return executor.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
