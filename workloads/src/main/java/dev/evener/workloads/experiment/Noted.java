package dev.evener.workloads.experiment;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.policy.Policies;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;

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
        return log.run(POLICY, () -> evener.submit(workload.job(), Policies.single(0)), workload::output);
    }

    @Override
    public void close() {
        workload.close();
    }
}
