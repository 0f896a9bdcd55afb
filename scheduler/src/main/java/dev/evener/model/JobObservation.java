package dev.evener.model;

import dev.evener.policy.LaneSet;

/**
 * What became of a job that ended without a failure.
 *
 * @param planned the set that the plan gave a share, without lanes that were not ready when it began
 * @param lanes these, and those that stood by, or were not ready, and came in
 * @param units of the job, at least 1
 * @param wallNanos from the moment it could begin to its end; 0 if a lane served another job in the middle of it, or was not ready before, so
 *     that its chunks alone are evidence
 * @param balanced whether the shares were meant to make the lanes finish together
 * @param single whether it ran in its form for one device, whose chunk says nothing of phases and places
 * @param lookNanos what the plan expected to lose by it, for a look
 * @param bestNanos what the best set was expected to take
 * @param delayNanos for each lane the time from the beginning until it took its first chunk
 * @param chunks for each lane, without what bringing data took that stay there
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, and read once
public record JobObservation(
        LaneSet planned,
        LaneSet lanes,
        long units,
        long wallNanos,
        boolean balanced,
        boolean single,
        double lookNanos,
        double bestNanos,
        long[] delayNanos,
        ChunkLog[] chunks) {
    /** In place of what a job took: of a chunk that it did not wait for. */
    public static final long ASIDE = -1;
}
