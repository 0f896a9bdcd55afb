package dev.evener.workloads.replay;

import dev.evener.record.Recording;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A recorded request, then and now.
 *
 * @param run number of the run it belongs to, from 0
 * @param request what was asked for
 * @param policy how it was cut now, as records name it
 * @param then what became of it; null where the record does not say
 * @param now what became of it this time
 * @param same whether both results are the same; null where the record has none, or there is none now
 */
public record Replayed(
        int run,
        Recording.Request request,
        String policy,
        @Nullable Outcome then,
        Outcome now,
        @Nullable Boolean same) {

    /**
     * What became of a job.
     *
     * @param wallNanos from the moment its devices were free to its result
     * @param responseNanos from its arrival to its result, so with the time that it waited for its devices
     * @param units units done by each device of the run
     * @param failure why it failed; null if it succeeded
     */
    public record Outcome(
            long wallNanos,
            long responseNanos,
            List<Long> units,
            @Nullable String failure) {}

    /** Whether it shows that something is wrong now: another result, or none where there was one. */
    public boolean different() {
        return Boolean.FALSE.equals(same) || (now.failure() != null && (then == null || then.failure() == null));
    }
}
