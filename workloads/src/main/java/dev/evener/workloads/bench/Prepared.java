package dev.evener.workloads.bench;

import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Report;
import dev.evener.policy.Policy;
import dev.evener.workloads.bench.CaseRun.Watch;
import dev.evener.workloads.bench.Rounds.Sample;
import dev.evener.workloads.replay.JobLog;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import org.jspecify.annotations.Nullable;

/**
 * A workload with its data, whose jobs are noted. Owns the data. One thread.
 *
 * @param evener where it runs
 * @param workload what runs
 * @param log where its jobs are noted
 */
record Prepared(Evener evener, PreparedWorkload workload, JobLog log) implements AutoCloseable {
    /**
     * Who shares out its jobs.
     *
     * @param text as records name it
     * @param history what it learns in
     */
    record Sharing(String text, Policy policy, History history) {}

    /**
     * Prepares it.
     *
     * @param devices the selector of the Evener's devices
     * @throws EvenerException if there is no memory for it
     * @throws IllegalArgumentException if size and parameters do not go together
     */
    static Prepared of(Evener evener, Request request, Watch watch, String devices) {
        PreparedWorkload workload = request.workload().prepare(evener, request);
        return new Prepared(evener, workload, watch.jobs(request, devices));
    }

    /**
     * Runs the job once.
     *
     * @throws EvenerException if it failed
     */
    Sample run(Sharing by) {
        Report report =
                log.run(by.text(), () -> evener.submit(workload.job(), by.policy(), by.history()), workload::output);
        return Sample.of(report, workload.items() * workload.bytesPerItem(report));
    }

    /**
     * Runs it once on fresh data, and says in a sentence what is wrong about the result; null if nothing is.
     *
     * @throws EvenerException if it failed
     */
    @Nullable
    String check(Sharing by) {
        workload.reset();
        log.fresh();
        run(by);
        return workload.mismatch();
    }

    @Override
    public void close() {
        workload.close();
    }
}
