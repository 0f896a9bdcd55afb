package dev.evener.model;

/**
 * What chunks take on one lane within a phase: {@code launch + fixed + units * perUnit}. Begins with what the model knows, and learns the
 * last two together from every chunk ({@link CostFit}), the launch from what a chunk takes while its device is not at work.
 *
 * <p>Written by the lane's thread, read by any.
 */
public final class LaneEstimate {
    /** Variance of the logarithm of a time of which nothing is known but one chunk, all of which may be fixed. */
    private static final double ANY = 25;
    /** A chunk that is to show whether a lane's time is fixed has so many times the work of the one before, and takes at most so much longer. */
    private static final double GROWTH = 4;
    /** Say of the newest chunk in what a launch takes. */
    private static final double NEWEST = 0.3;

    private volatile double perUnit;
    private volatile double fixed;
    private volatile double mostFixed;
    private volatile double variance;
    private volatile double mostPerUnit;
    private volatile double leastUnits;
    private volatile Prior prior = Prior.UNKNOWN;

    // The writing thread alone.
    private final CostFit fit = new CostFit();
    private double launch;
    private boolean begun; // something is known in nanoseconds
    private int chunks;
    private double logMostPerUnit;

    /**
     * What the model says of a lane in a phase.
     *
     * @param launchNanos that a chunk takes on the host
     * @param logFixed logarithm of the nanoseconds that it takes on the device whatever its size
     * @param varianceOfFixed of that
     * @param logPerUnit logarithm of the nanoseconds of a unit of mean cost; relative to other lanes if {@code timed} is false
     * @param varianceOfPerUnit of that
     * @param logMostPerUnit the most that a unit may take, where all that its chunks took may be fixed, or it was late; else infinite
     * @param noise variance of the logarithm of a chunk's time
     * @param overrun by which part of what was expected chunks take longer, on average
     * @param timed whether the figures are nanoseconds
     */
    public record Prior(
            double launchNanos,
            double logFixed,
            double varianceOfFixed,
            double logPerUnit,
            double varianceOfPerUnit,
            double logMostPerUnit,
            double noise,
            double overrun,
            boolean timed) {
        /** Nothing is known, and nothing has to be: there is but one chunk. */
        public static final Prior UNKNOWN = new Prior(
                LaneModel.WAKE_NANOS,
                Math.log(LaneModel.START_NANOS),
                LaneModel.START_VARIANCE,
                0,
                LaneModel.UNKNOWN,
                Double.POSITIVE_INFINITY,
                LaneModel.NOISE,
                LaneModel.OVERRUN,
                false);
    }

    /** A phase begins. */
    public void expect(Prior expected) {
        prior = expected;
        launch = expected.launchNanos();
        begun = expected.timed();
        chunks = 0;
        logMostPerUnit = expected.logMostPerUnit();
        leastUnits = 0;
        fit.expect(
                expected.logFixed(), expected.varianceOfFixed(), expected.logPerUnit(), expected.varianceOfPerUnit());
        settle();
    }

    private void settle() {
        fixed = launch + Math.exp(fit.logFixed());
        boolean seen = chunks > 0 || prior.varianceOfFixed() < LaneModel.START_VARIANCE;
        mostFixed = seen ? fixed : launch + Math.exp(fit.logFixed() + 2 * Math.sqrt(prior.varianceOfFixed()));
        variance = fit.varianceOfPerUnit();
        mostPerUnit = Math.exp(logMostPerUnit);
        perUnit = begun ? Math.exp(fit.logPerUnit()) : 0;
    }

    /**
     * Learns from a chunk.
     *
     * @param units of work, above 0
     * @param nanos that it kept the lane
     * @param busy of these, while the device was at work; 0 if it cannot tell
     */
    public void observe(double units, double nanos, double busy) {
        double took = Math.max(1, nanos);
        double x = Math.log(units);
        if (busy > 0) {
            double beside = Math.max(0, took - busy);
            launch += (chunks == 0 && !prior.timed() ? 1 : NEWEST) * (beside - launch);
        } else if (!begun) {
            launch = Math.min(launch, took / 4); // the first time is all there is
        }
        double y = Math.log(busy > 0 ? Math.min(took, busy) : Math.max(took / 4, took - launch));
        if (!begun) {
            fit.expect(prior.logFixed(), prior.varianceOfFixed(), y - x, ANY); // from where the fit is found
            begun = true;
        }
        double error = y - fit.line(x);
        double doubt = fit.variance(x, chunks) + prior.noise();
        if (prior.timed() && error * error > CostFit.SURPRISE * CostFit.SURPRISE * doubt) {
            fit.prior( // another time than the model's
                    prior.logFixed(),
                    prior.varianceOfFixed(),
                    prior.logPerUnit(),
                    prior.varianceOfPerUnit() + error * error);
        }
        fit.observe(x, y, prior.noise(), chunks++);
        logMostPerUnit = logMostPerUnit < Double.POSITIVE_INFINITY ? Math.min(logMostPerUnit, y - x) : logMostPerUnit;
        settle();
        leastUnits = variance < LaneModel.UNKNOWN ? 0 : GROWTH * units;
    }

    /** By which part of what is expected chunks take longer, on average over all, those included that do not. */
    public double overrun() {
        return prior.overrun();
    }

    /** What a chunk should have at least: while all that was seen may have been fixed, more than before shows more for little. */
    public double leastUnits() {
        return leastUnits;
    }

    /** Whether times are known in nanoseconds. */
    public boolean known() {
        return perUnit > 0;
    }

    /** What a chunk costs beside its units, in nanoseconds. */
    public double fixedNanos() {
        return fixed;
    }

    /** What it may cost, in nanoseconds, by two standard deviations, on a lane of which nothing was seen; else the same. */
    public double mostFixedNanos() {
        return mostFixed;
    }

    /** What a unit of work takes, in nanoseconds; 0 if unknown. */
    public double nanosPerUnit() {
        return perUnit;
    }

    /** The most that a unit of work may take, in nanoseconds, where all that chunks took may be fixed, or were late; else infinite. */
    public double mostNanosPerUnit() {
        return mostPerUnit;
    }

    /** Variance of the logarithm of what a unit takes. */
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
