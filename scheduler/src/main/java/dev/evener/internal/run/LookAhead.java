package dev.evener.internal.run;

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

    private int phase = -1;
    private double error = UNTRIED; // of predictions, as a part of them
    private double preparing = WAKING_NANOS;
    private double preparingOff;

    /** A phase begins: what is known of how well its chunks are predicted is nothing. */
    void restart(int number) {
        phase = number;
        error = UNTRIED;
    }

    /** How long before its expected end, in nanoseconds, a chunk that was predicted to take so long is to be followed up. */
    double reserveNanos(double predicted) {
        return DEVIATIONS * error * predicted + preparing + DEVIATIONS * preparingOff;
    }

    /** A chunk was enqueued so many nanoseconds after it was due to be taken. */
    void prepared(double nanos) {
        double off = nanos - preparing;
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
