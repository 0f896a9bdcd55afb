package dev.evener;

import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a job wants to be run, apart from what it computes. Set through {@link Job.Builder}; immutable.
 *
 * @param policy how it is cut, or null for the runtime's policy
 * @param devices which of the runtime's devices it may use, or null for all
 * @param deadline most time from submission to result, or null for no limit
 * @param chunkDeadline most time for one chunk, or null for the runtime's
 * @param recovers whether the other devices take over when one fails
 * @param protectsUpdates whether what is updated in place is saved before, so that a failed chunk can be run again
 * @param progress told how far the job is, or null
 */
public record JobOptions(
        @Nullable Policy policy,
        @Nullable DeviceSelector devices,
        @Nullable Duration deadline,
        @Nullable Duration chunkDeadline,
        boolean recovers,
        boolean protectsUpdates,
        @Nullable Consumer<JobProgress> progress) {

    /** All defaults. */
    static final JobOptions DEFAULT = new JobOptions(null, null, null, null, true, true, null);

    public JobOptions {
        requirePositive("deadline", deadline);
        requirePositive("chunkDeadline", chunkDeadline);
    }

    private static void requirePositive(String what, @Nullable Duration duration) {
        if (duration != null && (duration.isNegative() || duration.isZero())) {
            throw new IllegalArgumentException(what + " must be positive, not " + duration);
        }
    }

    JobOptions withPolicy(@Nullable Policy value) {
        return new JobOptions(value, devices, deadline, chunkDeadline, recovers, protectsUpdates, progress);
    }

    JobOptions withDevices(@Nullable DeviceSelector value) {
        return new JobOptions(policy, value, deadline, chunkDeadline, recovers, protectsUpdates, progress);
    }

    JobOptions withDeadline(@Nullable Duration value) {
        return new JobOptions(policy, devices, value, chunkDeadline, recovers, protectsUpdates, progress);
    }

    JobOptions withChunkDeadline(@Nullable Duration value) {
        return new JobOptions(policy, devices, deadline, value, recovers, protectsUpdates, progress);
    }

    JobOptions withRecovery(boolean value) {
        return new JobOptions(policy, devices, deadline, chunkDeadline, value, protectsUpdates, progress);
    }

    JobOptions withProtection(boolean value) {
        return new JobOptions(policy, devices, deadline, chunkDeadline, recovers, value, progress);
    }

    JobOptions withProgress(@Nullable Consumer<JobProgress> value) {
        return new JobOptions(policy, devices, deadline, chunkDeadline, recovers, protectsUpdates, value);
    }
}
