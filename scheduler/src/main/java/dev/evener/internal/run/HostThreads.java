package dev.evener.internal.run;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A runtime's threads beside those of its lanes: one completes futures, one callback after another; two for each lane end
 * phases whose chunks are done, while the lanes work for other jobs. Any thread.
 */
final class HostThreads {
    private static final Logger LOG = LoggerFactory.getLogger(HostThreads.class);

    /** Of a lane: of a job that is done, and of one that shares the lane with the next. */
    private static final int AT_ONCE = 2;

    private final Executor completions;
    private final Executor ends;
    private final Semaphore free; // to end phases
    private final Set<Thread> completing = ConcurrentHashMap.newKeySet();
    private final Set<Thread> ending = ConcurrentHashMap.newKeySet();

    /** Starts them. */
    HostThreads(int lanes) {
        this.completions = start(1, "evener-completions", completing);
        this.ends = start(Math.max(1, AT_ONCE * lanes), "evener-fold", ending);
        this.free = new Semaphore(AT_ONCE * lanes);
    }

    /** Where there are none, but what runs one task after another. */
    HostThreads(Executor tasks, int lanes) {
        this.completions = tasks;
        this.ends = tasks;
        this.free = new Semaphore(AT_ONCE * lanes);
    }

    /** Now and from here: the lane that ends the first job would hand its own core down to them (CoreBinding). */
    private static Executor start(int count, String name, Set<Thread> all) {
        ThreadFactory maker = task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            all.add(made);
            return made;
        };
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                count, count, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), maker, (task, closed) -> task.run());
        pool.prestartAllCoreThreads();
        return pool;
    }

    /** Completes futures, after which callers' code runs: here only if the runtime was closed without waiting any longer. */
    void complete(Runnable futures) {
        completions.execute(futures);
    }

    /** Ends a job on a thread for that; false, and does nothing, if none is free. */
    boolean end(Runnable job) {
        boolean taken = free.tryAcquire();
        if (taken) {
            ends.execute(() -> {
                try {
                    job.run();
                } finally {
                    free.release();
                }
            });
        }
        return taken;
    }

    /** Whether the calling thread completes futures. */
    boolean isCompleting() {
        return completing.contains(Thread.currentThread());
    }

    /** Whether it ends jobs. */
    boolean isEnding() {
        return ending.contains(Thread.currentThread());
    }

    /** Lets them do what they were given, and waits for callbacks of futures, but in one. Once. */
    void close(Duration limit) throws InterruptedException {
        if (completions instanceof ExecutorService thread && ends instanceof ExecutorService pool) {
            pool.shutdown();
            thread.shutdown();
            if (!isCompleting() && !thread.awaitTermination(limit.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("a callback of a job's future is still running after {} s", limit.toSeconds());
            }
        }
    }
}
