package dev.evener.spark;

import dev.evener.JobFuture;
import dev.evener.Report;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a task submitted, by its own thread or by threads that began in it, such as those of a stream of frames. They end with
 * the task, and when Spark kills it: a thread that waits for a job is not woken by that, even if Spark interrupts it. Any thread.
 */
final class TaskJobs {
    private static final ThreadLocal<@Nullable TaskJobs> CURRENT = new InheritableThreadLocal<>();

    /** Those of tasks under way. */
    private static final Set<TaskJobs> LIVE = ConcurrentHashMap.newKeySet();

    private final TaskContext task;
    private final LongAccumulator[] sums; // guarded by this
    private final Set<JobFuture> open = ConcurrentHashMap.newKeySet();
    private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    private TaskJobs(TaskContext task, LongAccumulator[] sums) {
        this.task = task;
        this.sums = sums;
    }

    /**
     * A task begins in this thread.
     *
     * @param sums what its reports are added to, in the order of {@link Figures#NAMES}
     */
    static void begin(LongAccumulator[] sums) {
        TaskJobs jobs = new TaskJobs(TaskContext.get(), sums);
        CURRENT.set(jobs);
        LIVE.add(jobs);
        TaskCompletionListener end = context -> jobs.end();
        jobs.task.addTaskCompletionListener(end);
    }

    /** A job was submitted by this thread. */
    static void submitted(JobFuture job) {
        TaskJobs jobs = CURRENT.get();
        if (jobs != null && !jobs.ended) { // a thread that a task began may work for others afterwards
            jobs.add(job);
        }
    }

    /** What ends this thread's work, in another thread, if its task is killed. */
    static void onKill(Runnable end) {
        TaskJobs jobs = CURRENT.get();
        if (jobs != null) {
            jobs.ends.add(end);
        }
    }

    private void add(JobFuture job) {
        open.add(job);
        CompletableFuture<?> ignored = job.whenComplete((report, failure) -> over(job, report));
        if (ended || task.isInterrupted()) {
            job.cancel(false);
        }
    }

    /** Once for each job: as its callback says, or at the end of the task, which may be earlier. */
    private synchronized void over(JobFuture job, @Nullable Report report) {
        if (open.remove(job) && report != null) {
            long[] figures = Figures.of(report);
            for (int i = 0; i < sums.length; i++) {
                sums[i].add(figures[i]);
            }
        }
    }

    private void end() {
        ended = true;
        LIVE.remove(this);
        cancel(); // holding no lock: callbacks may be the user's
        synchronized (this) { // what a callback was about to add is added
            CURRENT.remove();
        }
    }

    private void cancel() {
        for (JobFuture job : open) {
            if (!job.cancel(false) && !job.isCompletedExceptionally()) {
                over(job, job.join());
            }
        }
    }

    /** Ends the jobs of tasks that were killed, which Spark tells nobody. Called every now and then. */
    static void endKilled() {
        for (TaskJobs jobs : LIVE) {
            if (jobs.task.isInterrupted()) {
                jobs.cancel();
                jobs.ends.forEach(end -> {
                    if (jobs.ends.remove(end)) {
                        CompletableFuture<?> ignored = CompletableFuture.runAsync(end);
                    }
                });
            }
        }
    }
}
