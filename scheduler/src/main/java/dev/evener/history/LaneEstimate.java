package dev.evener.history;

/**
 * What chunks take on one lane within a phase: so much for a chunk, {@code fixed}, and so much for a unit of work. Begins with
 * what the model knows and learns from every chunk by a Kalman filter over the logarithms of the two (an extended one, since
 * {@code fixed + units * perUnit} is not linear in them). The fixed part holds what a launch costs on the host and what a chunk
 * costs on the device itself: a GPU runs many groups at once, in waves, and takes as long for a few of them as for all.
 *
 * <p>Written by the lane's thread, read by any.
 */
public final class LaneEstimate {
    /** Sizes must differ by this factor to tell. */
    private static final double DIFFERENT = 0.8;
    /** Part by which a small chunk may take longer than a large one by chance. */
    static final double SCATTER = 0.1;

    private volatile double perUnit;
    private volatile double fixed;
    private volatile double variance;

    // The writing thread alone.
    private double noise;
    private double fixedVariance;
    private double covariance;
    private double lastUnits;
    private double lastNanos;
    private boolean shown; // a start, by the latest two chunks

    /**
     * What the model says of a lane in a phase.
     *
     * @param fixedNanos of a chunk
     * @param fixedVariance of its logarithm
     * @param nanosPerUnit of mean cost; relative to other lanes if {@code timed} is false
     * @param variance of its logarithm
     * @param noise variance of the logarithm of a chunk's time
     * @param timed whether the figures are nanoseconds
     */
    public record Prior(
            double fixedNanos,
            double fixedVariance,
            double nanosPerUnit,
            double variance,
            double noise,
            boolean timed) {
        /** Nothing is known, and nothing has to be: there is but one chunk. */
        public static final Prior UNKNOWN = new Prior(
                KernelHistory.Lane.WAKE_NANOS,
                LaneTerms.START_VARIANCE,
                1,
                LaneTerms.CLASS_VARIANCE,
                KernelHistory.Lane.NOISE,
                false);
    }

    /** A phase begins. */
    public void expect(Prior prior) {
        perUnit = prior.timed() ? prior.nanosPerUnit() : 0;
        fixed = prior.fixedNanos();
        variance = prior.variance();
        fixedVariance = prior.fixedVariance();
        noise = prior.noise();
        covariance = 0;
        lastUnits = 0;
        shown = false;
    }

    /**
     * Learns from a chunk.
     *
     * @param units of work, above 0
     * @param nanos that it kept the lane
     * @param beside whether it begins where the lane's chunk before ended, so that its units should cost about the same
     */
    public void observe(double units, double nanos, boolean beside) {
        double took = Math.max(1, nanos);
        if (startShows(units, took, beside)) {
            return;
        }
        if (perUnit <= 0) { // the first time is all there is: a chunk is worth its launch
            perUnit = Math.max(took / 2, took - fixed) / units;
            variance = noise;
            return;
        }
        double work = units * perUnit;
        double part = work / (fixed + work);
        double error = Math.log(took / (fixed + work));
        double gainOfUnit = part * variance + (1 - part) * covariance;
        double gainOfFixed = (1 - part) * fixedVariance + part * covariance;
        double total = part * gainOfUnit + (1 - part) * gainOfFixed + noise;
        if (error * error > Belief.SURPRISE * Belief.SURPRISE * total) {
            double doubted = variance + error * error;
            variance = doubted;
            gainOfUnit = part * variance + (1 - part) * covariance;
            total = part * gainOfUnit + (1 - part) * gainOfFixed + noise;
        }
        perUnit = perUnit * Math.exp(gainOfUnit / total * error);
        fixed = fixed * Math.exp(gainOfFixed / total * error);
        variance = Math.max(1e-9, variance - gainOfUnit * gainOfUnit / total);
        fixedVariance = Math.max(1e-9, fixedVariance - gainOfFixed * gainOfFixed / total);
        covariance -= gainOfUnit * gainOfFixed / total;
    }

    /**
     * Two chunks of different sizes that take about as long, one after another, show what a chunk takes whatever its size: where the
     * line through their times meets size zero. A filter that thinks it little would put all down to the units.
     */
    private boolean startShows(double units, double took, boolean beside) {
        double most = Math.max(units, lastUnits);
        double less = Math.min(units, lastUnits) / most;
        double small = units < lastUnits ? took : lastNanos;
        double large = units < lastUnits ? lastNanos : took;
        double start = (small - large * less) / (1 - less);
        boolean shows =
                beside && lastUnits > 0 && less < DIFFERENT && start > small / 2 && small <= large * (1 + SCATTER);
        boolean again = shows && shown;
        shown = shows;
        lastUnits = units;
        lastNanos = took;
        if (again) {
            fixed = Math.min(start, small);
            perUnit = Math.max(large - fixed, large / 4) / most;
            variance = noise;
            fixedVariance = noise;
            covariance = 0;
        }
        return again;
    }

    /** Whether times are known in nanoseconds. */
    public boolean known() {
        return perUnit > 0;
    }

    /** What a chunk costs beside its units, in nanoseconds. */
    public double fixedNanos() {
        return fixed;
    }

    /** What a unit of work takes, in nanoseconds; 0 if unknown. */
    public double nanosPerUnit() {
        return perUnit;
    }

    /** Variance of the logarithm of a chunk's time to come. */
    public double variance() {
        return variance;
    }

    /** The time of a unit seen from a chunk under way for so long: one that is overdue shows that the lane has become slower. */
    public double nanosPerUnit(double units, double elapsed) {
        double known = perUnit;
        return known > 0 ? Math.max(known, (elapsed - fixed) / Math.max(1, units)) : 0;
    }

    /** Estimated nanoseconds until a chunk that has been under way for so long is done. */
    public double busyNanos(double units, double elapsed) {
        double left = units * perUnit + fixed - elapsed;
        // Overdue by how much, nobody knows: as long again as it is overdue, the usual guess.
        return Math.abs(left);
    }
}
