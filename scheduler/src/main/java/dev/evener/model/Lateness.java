package dev.evener.model;

/**
 * That a lane took far longer than equal ones do, or than a job waited, and nothing else is known of it since: it had
 * a bad moment, or is slower. Nobody can tell from what it took, so that looks decide, at which it is believed to be
 * as its like are. One is due when jobs have lost as much for want of the lane, should it be as its like, as a look
 * may cost, and twice as much each time that one says the same. Not saved: another process may look at once. Guarded
 * by the {@link KernelHistory}.
 */
final class Lateness {
    /** After so many jobs in which it was late what it took is believed, until the next look: bad moments are over by then. */
    private static final int SEVERAL = 3;
    /** Jobs that are counted: a look is then put off by 2 to that power. */
    private static final int MOST = 20;
    /** How many times more likely a bad moment is than that one of equal devices is so much slower. */
    private static final double EQUAL = 8;

    private int jobs; // in a row in which it was late
    private double nanos;
    private double perUnit;
    private double likePerUnit;
    private double owed; // nanoseconds
    private double rate; // units a nanosecond of the lanes that work without it

    boolean any() {
        return jobs > 0;
    }

    /** Whether it was late in several jobs, so that what it took is evidence. */
    boolean isSettled() {
        return jobs >= SEVERAL;
    }

    /** Logarithm of what a unit took it at most. */
    double logPerUnit() {
        return perUnit;
    }

    /**
     * It was late once more.
     *
     * @param leastNanos that a chunk took it, launch included; 0 if no job waited for it
     * @param logPerUnit what a unit took at most
     * @param likeLogPerUnit the same of an equal device
     */
    void again(double leastNanos, double logPerUnit, double likeLogPerUnit) {
        jobs = Math.min(MOST, jobs + 1);
        nanos = leastNanos;
        perUnit = logPerUnit;
        likePerUnit = likeLogPerUnit;
        owed = 0;
    }

    /** It was as its like are. */
    void end() {
        jobs = 0;
    }

    /**
     * A job has ended.
     *
     * @param took whether the lane took part
     * @param rates units a nanosecond of those that did and were not late
     */
    void after(double units, boolean took, double rates) {
        rate = rates;
        owed += took ? 0 : gain(units);
    }

    /** By how much a job takes less with it if it is as its like are. */
    private double gain(double units) {
        double its = Math.exp(-likePerUnit);
        return units / rate * its / (rate + its);
    }

    /** In how many jobs of that size, this one not counted, a look at it is due; 0 for one that is. */
    double jobsToLook(double units) {
        if (jobs == 0 || rate <= 0) {
            return 0;
        }
        double job = units / rate;
        double cost = Math.max(nanos - job, isSettled() || nanos == 0 ? job : 0) * Math.pow(2, jobs) / EQUAL;
        return Math.ceil(Math.max(0, cost - owed) / gain(units));
    }
}
