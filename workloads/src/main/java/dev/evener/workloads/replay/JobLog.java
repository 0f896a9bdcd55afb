package dev.evener.workloads.replay;

import dev.evener.record.Recorder;
import dev.evener.record.Recording;
import dev.evener.workloads.workload.Output;
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
    private long digested;
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

    /** A job is submitted next. */
    public void asked(String policy) {
        if (recorder == null || task == null) {
            return;
        }
        if (number == 0) {
            number = recorder.task(task);
        }
        long request = recorder.request(number, policy, fresh);
        digested = fresh ? request : 0;
        fresh = false;
    }

    /** The job that was asked for has succeeded. */
    public void done(Supplier<Output> output) {
        if (recorder != null && digested != 0) {
            recorder.result(digested, Digests.of(output.get()));
            digested = 0;
        }
    }
}
