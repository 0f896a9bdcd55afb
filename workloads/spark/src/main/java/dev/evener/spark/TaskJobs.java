package dev.evener.spark;

import com.codahale.metrics.MetricRegistry;
import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.JobFuture;
import dev.evener.Report;
import dev.evener.event.RunEvent;
import dev.evener.event.RunListener;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.TaskCompletionListener;
import org.apache.spark.util.Utils;
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
            jobs.open.add(job);
            CompletableFuture<?> ignored = job.whenComplete((report, failure) -> jobs.over(job, report));
            if (jobs.ended || jobs.task.isInterrupted()) {
                job.cancel(false);
            }
        }
    }

    /** What ends this thread's work, in another thread, if its task is killed. */
    static void onKill(Runnable end) {
        TaskJobs jobs = CURRENT.get();
        if (jobs != null) {
            jobs.ends.add(end);
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

    /**
     * Sums of the reports of an executor's jobs: counters of its metrics, and accumulators of the stages whose tasks submitted
     * them. Those come from the driver as text, as extra configuration of the plugin does. Thread-safe.
     */
    static final class Figures implements RunListener {
        /** Of metrics, after the plugin's name, and of accumulators, after {@code evener.}. */
        static final List<String> NAMES =
                List.of("jobs", "units", "bytesIn", "bytesOut", "busyNanos", "failures", "fallbacks");

        private final MetricRegistry metrics;
        private final byte[] accumulators;

        /**
         * In an executor.
         *
         * @param accumulators as {@link #text} gave them
         */
        Figures(MetricRegistry metrics, String accumulators) {
            this.metrics = metrics;
            this.accumulators = Base64.getDecoder().decode(accumulators);
            NAMES.forEach(metrics::counter); // those that are there when the plugin has begun are the source
        }

        @Override
        public void opened(List<DeviceInfo> devices) {
            devices.forEach(device -> metrics.counter(busy(device.id())));
        }

        @Override
        public boolean wantsJobs() {
            return false;
        }

        @Override
        public void heard(RunEvent event) {}

        /** In the driver: what executors get accumulators by, in the order of the names. Spark forgets those that nobody keeps. */
        static String text(LongAccumulator[] accumulators) {
            return Base64.getEncoder().encodeToString(Utils.serialize(accumulators));
        }

        /** Accumulators for the task of this thread, which become its own by being read in it. */
        LongAccumulator[] ofTask() {
            return Utils.deserialize(accumulators);
        }

        @Override
        public void submitted(JobFuture job) {
            TaskJobs.submitted(job);
            CompletableFuture<?> ignored = job.whenComplete((report, failure) -> {
                if (report != null) {
                    long[] figures = of(report);
                    for (int i = 0; i < figures.length; i++) {
                        metrics.counter(NAMES.get(i)).inc(figures[i]);
                    }
                    report.devices()
                            .forEach(each -> metrics.counter(busy(each.id())).inc(each.busyNanos()));
                } else if (!(failure instanceof CancellationException)) {
                    metrics.counter("jobs").inc();
                    metrics.counter("failures").inc();
                }
            });
        }

        /** A dot would begin another part of a metric's name. */
        static String busy(String device) {
            return "device." + device.replace('.', '_') + ".busyNanos";
        }

        /** What a report adds, in the order of the names. A fallback is a job of which JVM threads did a part. */
        static long[] of(Report report) {
            return new long[] {
                1,
                report.units(),
                report.devices().stream().mapToLong(Report.DeviceUse::bytesIn).sum(),
                report.devices().stream().mapToLong(Report.DeviceUse::bytesOut).sum(),
                report.devices().stream().mapToLong(Report.DeviceUse::busyNanos).sum(),
                report.failures().size(),
                report.devices().stream().anyMatch(each -> each.kind() == DeviceKind.JVM && each.units() > 0) ? 1 : 0
            };
        }
    }
}
