package dev.evener.frames;

import java.io.Serial;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one stage, which take tasks in the order of their submission. Any thread may call any method; the queue is
 * the executor's own, and what bounds it is the number of buffers that whoever submits has.
 */
final class StageThreads {
    private final String name;
    private final ExecutorService pool;

    /** What they spend their time on. */
    final StageClock clock;

    private final Set<Task<?>> underWay = ConcurrentHashMap.newKeySet();

    /** What a task failed with is its cause, or that it was given up because the run ends. */
    static final class TaskFailed extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        TaskFailed(Throwable cause) {
            super(cause);
        }
    }

    /** Daemon threads, begun as they are needed. */
    StageThreads(String name, int threads, StreamReport.Stage stage) {
        AtomicInteger begun = new AtomicInteger();
        this.name = name;
        this.clock = new StageClock(stage);
        this.pool = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, name + "-" + begun.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** What is to be done, and who waits for it. */
    private final class Task<T> implements Runnable {
        private final Callable<T> work;
        private final CompletableFuture<T> future = new CompletableFuture<>();

        Task(Callable<T> work) {
            this.work = work;
        }

        @Override
        public void run() {
            long start = System.nanoTime();
            T result = null;
            Throwable failure = null;
            try {
                result = work.call();
            } catch (Throwable e) { // which whoever waits for it gets
                failure = e;
            }
            clock.taskSince(start);
            underWay.remove(this);
            if (failure == null) {
                future.complete(result);
            } else {
                future.completeExceptionally(failure);
            }
        }
    }

    /** Runs something; after {@link #stop} its future is cancelled instead. */
    <T> CompletableFuture<T> submit(Callable<T> work) {
        Task<T> task = new Task<>(work);
        underWay.add(task); // before anything else: stop() must find it
        try {
            pool.execute(task);
        } catch (RejectedExecutionException e) {
            underWay.remove(task);
            task.future.cancel(true);
        }
        return task.future;
    }

    /**
     * Waits for what was submitted.
     *
     * @throws TaskFailed if it failed, or was stopped
     * @throws InterruptedException if the calling thread is interrupted
     */
    static <T> T await(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new TaskFailed(e.getCause());
        } catch (CancellationException e) {
            throw new TaskFailed(e);
        }
    }

    /** Interrupts the threads, and cancels what they have not done: nobody waits for it any longer. */
    void stop() {
        pool.shutdownNow();
        underWay.forEach(task -> task.future.cancel(true));
    }

    /** Lets the threads end when they have done all; waits for that, not longer than until then, interrupted or not. */
    boolean join(long deadlineNanos) {
        pool.shutdown();
        boolean interrupted = false;
        long left;
        while (!pool.isTerminated() && (left = deadlineNanos - System.nanoTime()) > 0) {
            try {
                if (!pool.awaitTermination(left, TimeUnit.NANOSECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return pool.isTerminated();
    }

    @Override
    public String toString() {
        return name;
    }
}
