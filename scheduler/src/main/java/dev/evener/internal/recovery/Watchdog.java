package dev.evener.internal.recovery;

import java.time.Duration;
import java.util.concurrent.Future;
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

    /** Cancels a task, if there is one. */
    static void cancel(@Nullable Future<?> task) {
        if (task != null) {
            task.cancel(false);
        }
    }

    @Override
    void close();
}
