package dev.evener.internal.run;

import dev.evener.model.LaneEstimate;

/**
 * When a lane should take its next chunk while its device runs one: early enough that the device finds it enqueued when it is
 * done, and no earlier, as what lies in the pool can still be stolen, cut differently or given up.
 *
 * <p>The time kept in reserve before the expected end covers what a chunk takes from being due until it is enqueued, and how far
 * predictions were off. Both are a mean and {@value #DEVIATIONS} mean deviations of what was seen, with the gains by which TCP
 * finds its time-outs (Jacobson, Congestion Avoidance and Control, SIGCOMM 1988): quick to widen, slow to narrow.
 *
 * <p>For one thread; allocates nothing.
 */
final class LookAhead {
    private static final int DEVIATIONS = 4;
    private static final double MEAN_GAIN = 1.0 / 8;
    private static final double DEVIATION_GAIN = 1.0 / 4;

    /** Mean deviation of predictions before any was compared: a quarter of the time is kept in reserve. */
    private static final double UNTRIED = 1.0 / 16;

    /** What a thread that sleeps may be late by, before that was seen: the slack of Linux's timers, and waking up. */
    private static final double WAKING_NANOS = 100_000;

    /** How often a chunk under way is looked at before it is expected to end: the most of its time that may be slept away. */
    private static final int LOOKS = 8;

    /** And the longest that may be, in nanoseconds: a look takes some ten microseconds of a core. */
    private static final long LONGEST_SLEEP = 5_000_000;

    /** A lane that could not take the next chunk so often in a phase is not asked again. */
    private static final int MOST_REFUSALS = 2;

    private int phase = -1;
    int refusals; // of a chunk to be enqueued behind another
    private double error = UNTRIED; // of predictions, as a part of them
    private double preparing = WAKING_NANOS;
    private double preparingOff;

    /** A phase begins: what is known of how well its chunks are predicted is nothing. */
    void restart(int number) {
        phase = number;
        refusals = 0;
        error = UNTRIED;
    }

    /** Whether the phase's chunks may be followed up by another before they end. */
    boolean pays() {
        return refusals < MOST_REFUSALS;
    }

    /**
     * When a chunk that was begun is to be followed up, which may be over; notes with it how long it is expected to take.
     *
     * @param lastEnd when the chunk before it ended on the device, 0 if that is not known
     */
    long due(ChunkInFlight chunk, LaneEstimate estimate, long lastEnd) {
        double known = estimate.nanosPerUnit();
        chunk.expected = known > 0 ? chunk.work * known + estimate.fixedNanos() : 0;
        // On the device it begins when the one before ends, which the lane hears of later.
        long from = chunk.followed && lastEnd != 0 ? lastEnd : chunk.since;
        double wait = Math.max(0, chunk.expected - reserveNanos(chunk.expected));
        return from + (long) Math.min(wait, Long.MAX_VALUE / 4.0);
    }

    /** For how long to sleep at once, given how long it is until a chunk is to be followed up. */
    static long sleepNanos(ChunkInFlight chunk, long left) {
        return Math.min(left, Math.min(LONGEST_SLEEP, Math.max(1, (long) (chunk.expected / LOOKS))));
    }

    /** How long before its expected end, in nanoseconds, a chunk that was predicted to take so long is to be followed up. */
    double reserveNanos(double predicted) {
        return DEVIATIONS * error * predicted + preparing + DEVIATIONS * preparingOff;
    }

    /** A chunk that was due to be taken at one time was enqueued at another. */
    void prepared(long due, long enqueued) {
        double off = Math.max(0, enqueued - due) - preparing;
        preparing += MEAN_GAIN * off;
        preparingOff += DEVIATION_GAIN * (Math.abs(off) - preparingOff);
    }

    /** A chunk of a phase that was predicted to take so many nanoseconds, 0 if it was not, took so many. */
    void compare(int number, double predicted, double actual) {
        if (number != phase || predicted <= 0) {
            return;
        }
        double off = Math.min(1, Math.abs(actual - predicted) / predicted); // of it all, it is kept in reserve anyway
        error += DEVIATION_GAIN * (off - error);
    }
}
