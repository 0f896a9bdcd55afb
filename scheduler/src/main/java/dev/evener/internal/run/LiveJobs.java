package dev.evener.internal.run;

import dev.evener.EvenerException.EvenerClosedException;
import dev.evener.JobQueue;
import dev.evener.internal.order.HostThreads;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LongSummaryStatistics;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs of a runtime from their submission until nobody waits for them or works for them: how many wait, and how all are ended. Any thread. */
final class LiveJobs {
    private static final Logger LOG = LoggerFactory.getLogger(LiveJobs.class);

    private final Set<JobRun> live = ConcurrentHashMap.newKeySet();

    /** A job was submitted. */
    void add(JobRun run) {
        live.add(run);
    }

    /** Nobody waits for it any more, or nobody works for it: it is none of them if both is so. */
    void remove(JobRun run) {
        if (run.future.isDone() && run.idle.isDone()) {
            live.remove(run);
        }
    }

    /** What waits for lanes or data at present. A job whose future has ended does not, though it may leave the order a moment later. */
    JobQueue waiting() {
        LongSummaryStatistics waited = live.stream()
                .filter(run -> !run.future.isDone())
                .mapToLong(JobRun::waitedNanos)
                .filter(n -> n >= 0)
                .summaryStatistics();
        return new JobQueue((int) waited.getCount(), Duration.ofNanos(Math.max(0, waited.getMax())));
    }

    /** Those that nobody works for yet, or any more, and those at work. */
    Collection<JobRun> all() {
        return Collections.unmodifiableSet(live);
    }

    /** Ends a job because its runtime is closed. */
    static void end(JobRun run) {
        run.fail(new EvenerClosedException("job '" + run.name() + "' was ended because its Evener was closed"));
    }

    /** Ends all. One that waits need not: perhaps for a scope that is closed by the thread that closes this, or never. */
    void endAll() {
        live.stream().filter(run -> !run.finished.get()).forEach(LiveJobs::end);
        live.stream().filter(run -> run.waitedNanos() >= 0).forEach(JobRun::abandon);
    }

    /** Ends the futures of all without waiting for lanes. */
    void abandonAll() {
        live.forEach(JobRun::abandon);
    }

    /** Waits for all futures and their callbacks; false if that took longer. */
    boolean awaitFutures(HostThreads threads, Duration limit) {
        try {
            // Behind the last of them on the completion thread: its callbacks have run.
            all(run -> CompletableFuture.allOf(run.future.handle((report, cause) -> null), run.idle))
                    .thenRunAsync(() -> {}, threads::complete)
                    .get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("not all jobs ended by themselves", e);
        }
        return false;
    }

    /** Waits for the lanes to be done with every job; a cancelled one may still have a chunk under way. */
    void awaitLanes(Duration limit) {
        try {
            all(run -> run.idle).get(limit.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("jobs are still running {} s after they were told to end", limit.toSeconds());
        }
    }

    private CompletableFuture<?> all(Function<JobRun, CompletableFuture<?>> end) {
        return CompletableFuture.allOf(live.stream().map(end).toArray(CompletableFuture<?>[]::new));
    }
}
