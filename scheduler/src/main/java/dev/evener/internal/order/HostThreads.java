package dev.evener.internal.order;

import java.time.Duration;
import java.util.List;
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
 * A runtime's threads beside those of its lanes: one completes futures, one callback after another, and one those of scopes, so
 * that a callback of a job may wait for a scope; three for each lane end phases whose chunks are done, while the lanes work for
 * other jobs, and bring to the host what scopes need; and one starts jobs then. Any thread.
 */
public final class HostThreads {
    private static final Logger LOG = LoggerFactory.getLogger(HostThreads.class);

    /** Of a lane: of a job that is done, and of two while the lane works for a third. */
    private static final int AT_ONCE = 3;

    private final Executor completions;
    private final Executor scopes;
    private final Executor ends;
    private final Executor starts;
    private final Semaphore free; // to end phases
    private final Set<Thread> completing = ConcurrentHashMap.newKeySet();
    private final Set<Thread> opening = ConcurrentHashMap.newKeySet();
    private final Set<Thread> ending = ConcurrentHashMap.newKeySet();

    /** Starts them. */
    public HostThreads(int lanes) {
        this.completions = start(1, "evener-completions", completing);
        this.scopes = start(1, "evener-scopes", opening);
        this.ends = start(Math.max(1, AT_ONCE * lanes), "evener-fold", ending);
        this.starts = start(1, "evener-start", ending); // whose policies are users' code
        this.free = new Semaphore(AT_ONCE * lanes);
    }

    /** Where there are none, but what runs one task after another. */
    public HostThreads(Executor tasks, int lanes) {
        this.completions = tasks;
        this.scopes = tasks;
        this.ends = tasks;
        this.starts = tasks;
        this.free = new Semaphore(AT_ONCE * lanes);
    }

    /** Now: no job pays for the start of a thread. */
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
    public void complete(Runnable futures) {
        completions.execute(futures);
    }

    /** Completes futures of scopes, after which callers' code runs, as {@link #complete} does. */
    public void completeScope(Runnable future) {
        scopes.execute(future);
    }

    /** Runs what starts jobs, which waits for nothing, on a thread for that. */
    public void start(Runnable task) {
        starts.execute(task);
    }

    /** Ends a job on a thread for that; false, and does nothing, if none is free. */
    public boolean end(Runnable job) {
        boolean taken = free.tryAcquire();
        if (taken) {
            end(job, true);
        }
        return taken;
    }

    /** Does what may wait for a device on such a thread, when one is free. */
    public void move(Runnable task) {
        end(task, free.tryAcquire());
    }

    private void end(Runnable task, boolean taken) {
        ends.execute(() -> {
            try {
                task.run();
            } finally {
                free.release(taken ? 1 : 0);
            }
        });
    }

    /** Whether the calling thread completes futures, be it of jobs or of scopes. */
    public boolean isCompleting() {
        return completing.contains(Thread.currentThread()) || isOpening();
    }

    /** Whether it completes futures of scopes. */
    public boolean isOpening() {
        return opening.contains(Thread.currentThread());
    }

    /** Whether it ends jobs. */
    public boolean isEnding() {
        return ending.contains(Thread.currentThread());
    }

    /** Lets them do what they were given, and waits for starts of jobs and callbacks of futures, but in one. Once. */
    public void close(Duration limit) throws InterruptedException {
        for (Executor each : List.of(ends, starts, completions, scopes)) {
            if (each instanceof ExecutorService pool) {
                pool.shutdown();
            }
        }
        for (Executor each : List.of(starts, completions, scopes)) {
            if (each instanceof ExecutorService thread
                    && !isCompleting()
                    && !thread.awaitTermination(limit.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("a policy or a callback of a future is still running after {} s", limit.toSeconds());
            }
        }
    }
}
