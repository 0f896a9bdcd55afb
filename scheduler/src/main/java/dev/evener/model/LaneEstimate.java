package dev.evener.model;

/**
 * What chunks take on one lane within a phase: {@code launch + start + units * perUnit}. Begins with what the model knows. A Kalman filter
 * over the logarithm of {@code perUnit} learns from every chunk, {@code start} from two of different sizes.
 *
 * <p>Written by the lane's thread, read by any.
 */
public final class LaneEstimate {
    private volatile double perUnit;
    private volatile double fixed;
    private volatile double variance;

    // The writing thread alone.
    private final LogNormal start = new LogNormal();
    private double launch;
    private double noise;
    private double lastUnits;
    private double lastNanos;

    /**
     * What the model says of a lane in a phase.
     *
     * @param launchNanos that a chunk takes on the host
     * @param startNanos that it takes on the device whatever its size
     * @param startVariance of the logarithm of that
     * @param nanosPerUnit of mean cost; relative to other lanes if {@code timed} is false
     * @param variance of its logarithm
     * @param noise variance of the logarithm of a chunk's time
     * @param timed whether the figures are nanoseconds
     */
    public record Prior(
            double launchNanos,
            double startNanos,
            double startVariance,
            double nanosPerUnit,
            double variance,
            double noise,
            boolean timed) {
        /** Nothing is known, and nothing has to be: there is but one chunk. */
        public static final Prior UNKNOWN = new Prior(
                KernelHistory.Lane.WAKE_NANOS,
                LaneTerms.START_NANOS,
                LaneTerms.START_VARIANCE,
                1,
                LaneTerms.CLASS_VARIANCE,
                KernelHistory.Lane.NOISE,
                false);
    }

    /** A phase begins. */
    public void expect(Prior prior) {
        launch = prior.launchNanos();
        start.set(Math.log(prior.startNanos()), prior.startVariance());
        perUnit = prior.timed() ? prior.nanosPerUnit() : 0;
        variance = prior.variance();
        noise = prior.noise();
        lastUnits = 0;
        settle();
    }

    private void settle() {
        fixed = launch + Math.exp(start.mean);
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
        if (perUnit <= 0) { // the first time is all there is: a chunk is worth its launch
            launch = Math.min(launch, took / 4);
            start.mean = Math.min(start.mean, Math.log(took / 4));
            perUnit = Math.max(took / 2, took - launch - Math.exp(start.mean)) / units;
            variance = noise;
        } else {
            if (beside && lastUnits > 0 && lastUnits != units) {
                compare(units, took);
            }
            filter(units, took);
        }
        lastUnits = units;
        lastNanos = took;
        settle();
    }

    /**
     * Two chunks of different sizes, one after another, show what a chunk takes whatever its size: where the line through their
     * times meets size zero. The filter alone would put all down to the units while it thinks that little.
     */
    private void compare(double units, double took) {
        boolean smaller = units < lastUnits;
        double most = Math.max(units, lastUnits);
        double less = Math.min(units, lastUnits) / most;
        double small = smaller ? took : lastNanos;
        double large = smaller ? lastNanos : took;
        double before = Math.exp(start.mean);
        start.observeLine(Math.max(0, small - launch), large - launch, less, noise, noise);
        perUnit = Math.max(
                perUnit / 4, perUnit - (Math.exp(start.mean) - before) / most); // a large one takes what it took
    }

    private void filter(double units, double took) {
        start.mean = Math.min(start.mean, Math.log(took)); // it was no longer than that
        double begin = Math.exp(start.mean);
        double expected = launch + begin + units * perUnit;
        double part = units * perUnit / expected; // by how much the logarithm of the time moves with that of perUnit
        double doubt = begin / expected * begin / expected * start.variance + noise;
        double error = Math.log(took / expected);
        double own = variance;
        double total = part * part * own + doubt;
        if (error * error > Belief.SURPRISE * Belief.SURPRISE * total) {
            own += error * error;
            total += part * part * error * error;
        }
        double known = perUnit; // which this thread alone writes
        perUnit = known * Math.exp(part * own / total * error);
        variance = Math.max(1e-9, own * doubt / total);
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

    /**
     * The time of a unit seen from a chunk under way for so long: one that is overdue shows that the lane is slower than expected.
     *
     * @param expected time of a unit
     */
    public double overdue(double expected, double units, double elapsed) {
        return Math.max(expected, (elapsed - fixed) / Math.max(1, units));
    }

    /**
     * Estimated nanoseconds until a chunk that has been under way for so long is done.
     *
     * @param expected time of a unit
     */
    public double busyNanos(double expected, double units, double elapsed) {
        double left = units * expected + fixed - elapsed;
        // Overdue by how much, nobody knows: as long again as it is overdue, the usual guess.
        return Math.abs(left);
    }
}
