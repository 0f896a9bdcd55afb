package dev.evener.history;

/**
 * Which part of its jobs a device was given, from job to job. Where units cost different times, a part that grows or shrinks takes
 * other times for each unit though the device is as it was: what follows a change of the part is no news of the device, and the
 * jobs of one plan together have the say of one, or parts would swing to and fro for ever. Not thread-safe.
 */
final class Parts {
    /** Parts that differ by more are of different plans: a twentieth. */
    private static final double MOVED = Math.log(1.05);
    /** Parts that differ by less are of one plan: a thousandth. */
    private static final double SAME = 1e-3;
    /** Jobs until plans may hold for several; while shares are still being found, every job counts by itself. */
    private static final int SETTLED = 10;
    /** Jobs that a plan of several lanes holds for. */
    private static final int OF_ONE_PLAN = 4;

    private long jobs;
    private double last; // a logarithm
    private boolean moved;
    private int followed; // jobs of the plan that moved the part; 0 if none did
    private double mean; // of their deviations
    private double by; // what they have moved the estimate by

    /**
     * The part of the next job, a logarithm.
     *
     * @param steady whether the job before was not long ago
     */
    void next(double part, boolean steady) {
        double step = Math.abs(part - last);
        moved = jobs >= SETTLED && step > MOVED;
        jobs++;
        last = part;
        if (!steady || step >= SAME || followed >= OF_ONE_PLAN) {
            followed = 0;
        }
    }

    /** Whether the part is another than that of the job before. */
    boolean moved() {
        return moved;
    }

    /** Whether the job is one more of a plan that moved the part. */
    boolean followsMove() {
        return followed > 0;
    }

    /** The job that moved the part deviates, and moves the estimate by {@code gain} of that. */
    void begin(double off, double gain) {
        followed = 1;
        mean = off;
        by = gain * off;
    }

    /** By what the plan has moved the estimate so far. */
    double movedBy() {
        return by;
    }

    /**
     * One more job of that plan.
     *
     * @param off its deviation from what was estimated before the plan
     * @return what is to be added to the estimate
     */
    double follow(double off, double gain) {
        followed++;
        mean += (off - mean) / followed;
        double before = by;
        by = gain * mean;
        return by - before;
    }
}
