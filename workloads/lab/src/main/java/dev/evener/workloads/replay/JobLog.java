package dev.evener.workloads.replay;

import dev.evener.EvenerException;
import dev.evener.Report;
import dev.evener.record.Recorder;
import dev.evener.record.Recording;
import dev.evener.workloads.workload.Output;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Notes in a record what jobs of one task are asked for, and what comes out of those that begin with fresh data: of others
 * the result hangs on the jobs before, and taking its digest each time would cost more than many a job. Does nothing where
 * nothing is recorded. One thread, the one that submits.
 */
public final class JobLog {
    private final @Nullable Recorder recorder;
    private final Recording.@Nullable Task task;
    private long number;
    private boolean fresh = true;

    private JobLog(@Nullable Recorder recorder, Recording.@Nullable Task task) {
        this.recorder = recorder;
        this.task = task;
    }

    /** Where nothing is recorded. */
    public static JobLog none() {
        return new JobLog(null, null);
    }

    /** The jobs of a task, whose data are fresh as yet. */
    public static JobLog of(Recorder recorder, Recording.Task task) {
        return new JobLog(recorder, task);
    }

    /** The data are as at first, and the next job's result is to be noted. */
    public void fresh() {
        fresh = true;
    }

    /**
     * A job is submitted next.
     *
     * @param policy as records name it
     * @return number of the request whose result is to be noted; 0 if it is not
     */
    public long asked(String policy) {
        if (recorder == null || task == null) {
            return 0;
        }
        if (number == 0) {
            number = recorder.task(task);
        }
        long request = recorder.request(number, policy, fresh);
        long noted = fresh ? request : 0;
        fresh = false;
        return noted;
    }

    /**
     * Submits a job, waits for it, and notes both.
     *
     * @param policy as records name it
     * @param job submits it
     * @param result what came out, which is asked for only if its digest is to be noted
     * @throws EvenerException if the job failed
     */
    public Report run(String policy, Supplier<CompletableFuture<Report>> job, Supplier<Output> result) {
        try {
            long request = asked(policy);
            Report report = job.get().join();
            done(request, () -> Digests.of(result.get()));
            return report;
        } catch (CompletionException e) {
            throw e.getCause() instanceof EvenerException cause ? cause : e;
        }
    }

    /**
     * A job has succeeded.
     *
     * @param request what {@link #asked} returned for it
     * @param result its digest, which is asked for only if it is to be noted
     */
    public void done(long request, Supplier<Recording.Digest> result) {
        if (recorder != null && request != 0) {
            recorder.result(request, result.get());
        }
    }
}
