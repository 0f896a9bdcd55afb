package dev.evener.workloads.experiment;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.policy.Policies;
import dev.evener.workloads.replay.Digests;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import java.util.concurrent.CompletionException;

/**
 * A workload with its data on an Evener of one device, whose jobs are noted. Owns the data. One thread.
 *
 * @param evener where it runs
 * @param workload what runs
 * @param log where its jobs are noted
 */
record Noted(Evener evener, PreparedWorkload workload, JobLog log) implements AutoCloseable {
    /** How records name the policy. */
    private static final String POLICY = "single:0";

    /**
     * Prepares it.
     *
     * @throws EvenerException if there is no memory for it
     * @throws IllegalArgumentException if size and parameters do not go together
     */
    static Noted prepare(Evener evener, Request request, Watch watch) {
        return new Noted(
                evener,
                request.workload().prepare(evener, request),
                watch.jobs(request, evener.devices().get(0).id()));
    }

    /**
     * Runs the job once.
     *
     * @throws EvenerException if it failed
     */
    Report run() {
        try {
            long request = log.asked(POLICY);
            Report report = evener.submit(workload.job(), Policies.single(0)).join();
            log.done(request, () -> Digests.of(workload.output()));
            return report;
        } catch (CompletionException e) {
            throw e.getCause() instanceof EvenerException cause ? cause : e;
        }
    }

    @Override
    public void close() {
        workload.close();
    }
}
