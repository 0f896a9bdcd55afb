package dev.evener.internal.run;

import dev.evener.internal.recovery.ChunkTicket;
import dev.evener.model.LaneEstimate;

/**
 * How fast a lane is in the phase that is open: by what the model knows, what its chunks took, and the chunks under way, of
 * which one that is overdue shows that the lane is slower.
 *
 * <p>{@link #expect} is called by whoever opens a phase, before lanes are called; the estimate learns on the lane's thread; all else
 * is for any thread.
 */
final class LaneSpeed {
    private final ChunkTicket[] chunks;
    final LaneEstimate estimate = new LaneEstimate(); // of what chunks cost
    private volatile double guess;

    /** @param chunks those in the lane's hands */
    LaneSpeed(ChunkTicket[] chunks) {
        this.chunks = chunks;
    }

    /** What is expected of the lane in a phase, before its first chunk. */
    void expect(LaneEstimate.Prior prior) {
        guess = prior.nanosPerUnit();
        estimate.expect(prior);
    }

    /** What a unit was expected to take; comparable with other lanes' whether or not nanoseconds are known. */
    double guess() {
        return guess;
    }

    /** What a unit takes, given what is expected of it. */
    double nanosPerUnit(double expected, long now) {
        for (ChunkTicket chunk : chunks) {
            if (chunk.runs()) {
                return estimate.overdue(expected, chunk.heldWork(), (double) chunk.elapsed(now));
            }
        }
        return expected;
    }

    /** Estimated time to the end of the chunks in the lane's hands, given what a unit is expected to take. */
    double busyNanos(double expected, long now) {
        double busy = 0;
        for (ChunkTicket chunk : chunks) {
            busy += chunk.isHeld() ? estimate.busyNanos(expected, chunk.heldWork(), (double) chunk.elapsed(now)) : 0;
        }
        return busy;
    }
}
