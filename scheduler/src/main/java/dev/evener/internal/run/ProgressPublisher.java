package dev.evener.internal.run;

import dev.evener.JobFuture;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.order.HostThreads;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a job's listener how far it is, on the completion thread. While one call is under way or waiting, what comes is
 * gathered into the next, so that a slow listener delays nobody. Any thread.
 */
final class ProgressPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressPublisher.class);

    private final JobSpec job;
    private final HostThreads threads;
    private final Consumer<JobFuture.Progress> listener;
    private final AtomicLong done = new AtomicLong();
    private final AtomicBoolean waiting = new AtomicBoolean();
    private long told; // the completion thread alone

    ProgressPublisher(JobSpec job, HostThreads threads) {
        this.job = job;
        this.threads = threads;
        this.listener = Objects.requireNonNull(job.options().progress());
    }

    /** A lane has done these granules. */
    void done(JobForm form, PhaseRun phase, long range) {
        done.addAndGet(form.progress(phase, range));
        if (waiting.compareAndSet(false, true)) {
            threads.complete(() -> {
                waiting.set(false);
                end();
            });
        }
    }

    /** The job begins again. */
    void restart() {
        done.set(0);
    }

    /** On the completion thread, before the future is completed too: the listener has seen the end. */
    void end() {
        long now = done.get();
        if (now == told) {
            return;
        }
        told = now;
        try {
            listener.accept(new JobFuture.Progress(
                    job.name(), now, job.units() * job.phases().size()));
        } catch (Throwable e) { // an Error too: it must not end the job
            LOG.warn("the progress listener of job '{}' failed: {}", job.name(), e.toString());
        }
    }
}
