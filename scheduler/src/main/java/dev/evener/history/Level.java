package dev.evener.history;

/**
 * Damped estimate of the time that something of about one size takes, from observations that come one by one.
 *
 * <p>Times scatter by factors rather than by amounts, so that all arithmetic is on logarithms. The estimate follows
 * {@code time = nanos * (units / level units) ^ elasticity} within the size class, and four things keep it from oscillating
 * without making it deaf:
 *
 * <ul>
 *   <li>Its gain, the say of an observation, falls while deviations change their sign and grows while they keep it. That
 *       averages noise away, follows a drift, and damps a loop in which the estimate itself shifts what is measured, as it
 *       does when the units of a job cost different times and a lane's range moves over them.
 *   <li>A deviation larger than the usual ones counts as much as a usual one (Huber's rule).
 *   <li>Large deviations to the same side in a row are no noise and replace the past ({@link Outliers}).
 *   <li>What follows a change of the part of a job that a device is given is no news of the device ({@link Parts}).
 * </ul>
 *
 * <p>The first observation may hold start-up costs, so a second one that differs from it replaces it; where other sizes let
 * the first be foreseen, it moves the estimate only a little. Not thread-safe.
 */
final class Level {
    /** Deviations below it are never outliers: a fifth. */
    private static final double SMALL = Math.log(1.2);
    /** Deviations above it are always outliers, however noisy the past. */
    private static final double MOST = Math.log(2);
    /** Usual deviations in terms of their spread. */
    private static final double USUAL = 2.5;

    /** A first observation this much above the second held start-up costs: a factor of three. */
    private static final double START_UP = Math.log(3);

    private static final double LEAST_GAIN = 0.05;
    private static final double MOST_GAIN = 0.5;
    private static final double MORE_GAIN = 1.15;
    private static final double LESS_GAIN = 0.7;

    /** Say of the newest observation in spread, mean size and the overhead. */
    private static final double RECENT = 0.1;

    /** After so many jobs without an observation the next is news. */
    private static final long LONG = 16;
    /** As {@link #LONG}, for the time of a whole job: what made a set of devices be left may have passed soon. */
    private static final long ABSENT = 4;
    /** Observations one soon after another that mean steady use: more than a set is tried for in a row. */
    private static final int STEADY = 16;

    private static final int MOST_TRIALS = 30;

    /** Weight of the elasticity that was assumed, as a variance of the logarithm of sizes. */
    private static final double PRIOR = 1e-3;

    /** Greatest logarithm of a time or size: no sum, product or exponential of a few such numbers overflows. */
    static final double LIMIT = 100;

    private final boolean fits;
    private long samples;
    private double units;
    private double nanos;
    private double elasticity;
    private double variance;
    private double gain = MOST_GAIN;
    private double overhead;

    // Not kept in the file.
    private double balance = 1;
    private double sizeVariance;
    private double sizeCovariance;
    private int lastSide;
    private final Outliers outliers = new Outliers();
    private final Parts parts = new Parts();
    private final Latest latest = new Latest();
    private long seenAt;
    private double driftSeen;
    private int trials;
    private int soon; // observations that followed soon on another
    private boolean seeded;
    private double before = -1; // what was thought until an observation after a long time; negative if there was none

    /**
     * Knows nothing.
     *
     * @param fits whether the elasticity is fitted to sizes that differ; else time is in proportion to size
     */
    Level(boolean fits) {
        this.fits = fits;
        this.elasticity = 1;
    }

    /** Before the first observation: what other sizes let expect. */
    void seed(double expectedUnits, double expectedNanos) {
        units = clamp(Math.log(expectedUnits), 0, LIMIT);
        nanos = clamp(Math.log(expectedNanos), 0, LIMIT);
        seeded = true;
    }

    /** What is kept of a level. Times in nanoseconds; {@code gain} and {@code elasticity} from 0 to 1. */
    record State(
            long samples,
            double units,
            double nanos,
            double elasticity,
            double spread,
            double gain,
            double overheadNanos,
            long seenAt) {}

    /** Goes on from a state; numbers that no observation leads to become the nearest that one does. */
    Level(boolean fits, State state) {
        this(fits);
        samples = Math.max(1, state.samples());
        units = clamp(Math.log(state.units()), 0, LIMIT);
        nanos = clamp(Math.log(state.nanos()), 0, LIMIT);
        elasticity = fits ? clamp(state.elasticity(), 0, 1) : 1;
        variance = clamp(state.spread() * state.spread(), 0, MOST * MOST);
        gain = clamp(state.gain(), LEAST_GAIN, MOST_GAIN);
        overhead = clamp(state.overheadNanos(), 0, Math.exp(LIMIT));
        seenAt = state.seenAt();
        if (fits) { // what was known is one of those that the next estimates rest on
            latest.add(units, nanos);
        }
    }

    State state() {
        return new State(
                samples, Math.exp(units), Math.exp(nanos), elasticity, Math.sqrt(variance), gain, overhead, seenAt);
    }

    /**
     * Learns that {@code size > 0} units took so long.
     *
     * @param now the number of the job, for {@link #seenAt}
     * @return 0, or, when the past was replaced, by which factor times have changed, as a logarithm
     */
    double observe(double size, double time, long now) {
        return observe(size, time, now, 1);
    }

    /**
     * {@link #observe(double, double, long)} of a part of a job.
     *
     * @param part which part of the job the units are, above 0, at most 1
     */
    double observe(double size, double time, long now, double part) {
        double shift = learn(size, time, now, Math.log(part));
        nanos = clamp(nanos, 0, LIMIT); // it may have been carried along a line to below a nanosecond
        return shift;
    }

    private double learn(double size, double time, long now, double lnPart) {
        double lnUnits = clamp(Math.log(size), 0, LIMIT);
        double lnNanos = clamp(Math.log(time), 0, LIMIT);
        long since = now - seenAt;
        seenAt = now;
        if (fits) {
            return learnTypical(lnUnits, lnNanos, since);
        }
        parts.next(lnPart, since <= LONG && samples > 1);
        double off = lnNanos - (nanos + elasticity * (lnUnits - units));
        if (samples == 0) {
            nanos = seeded ? nanos + elasticity * (lnUnits - units) + clamp(off / 2, -SMALL, SMALL) : lnNanos;
            units = lnUnits;
            samples = 1;
            return 0;
        }
        if (since > LONG && samples >= 2) {
            // What was long ago does not outweigh what is now.
            gain = MOST_GAIN;
            if (!parts.moved() && Math.abs(off) > Math.max(Outliers.LARGE, usual())) {
                doubt(off); // one more observation must confirm it
                before = nanos - off;
                return 0;
            }
            samples = 1; // those of long ago do not make it certain: what they found slow may have started up
        }
        fitSize(lnUnits, off);
        if (samples++ == 1) {
            // Much less than the first time: that one held start-up costs. Else units may differ along the job, and
            // shares that followed every observation at once would swing.
            nanos += off < -START_UP ? off : off * MOST_GAIN;
            double changed = before < 0 ? 0 : nanos - before;
            before = -1;
            return Math.abs(changed) > SMALL ? changed : 0;
        }
        double usual = usual();
        if (parts.followsMove()) {
            nanos += parts.follow(clamp(off + parts.movedBy(), -usual, usual), gain);
            return 0;
        }
        double shift = parts.moved() ? 0 : outliers.add(off, usual);
        if (shift != 0) {
            nanos += shift * MOST_GAIN; // not all of it, for the same reason
            gain = MOST_GAIN;
            lastSide = 0;
            return shift;
        }
        double counted = clamp(off, -usual, usual);
        int side = off > 0 ? 1 : -1;
        gain = clamp(gain * (side == lastSide ? MORE_GAIN : LESS_GAIN), LEAST_GAIN, MOST_GAIN);
        lastSide = side;
        nanos += gain * counted;
        if (parts.moved()) {
            parts.begin(counted, gain);
        }
        variance += (variance == 0 ? 1 : RECENT) * (counted * counted - variance);
        return 0;
    }

    private double learnTypical(double lnUnits, double lnNanos, long since) {
        if (samples == 0) {
            units = lnUnits;
        } else if (since > ABSENT) {
            latest.forget();
            samples = 0;
        }
        countTrials(since);
        if (samples > 0) {
            fitSize(lnUnits, lnNanos - (nanos + elasticity * (lnUnits - units)));
        }
        latest.add(lnUnits, lnNanos);
        samples++;
        double old = nanos;
        nanos = latest.quartile(units, elasticity);
        double deviation = latest.deviation(units, elasticity, nanos);
        variance = Math.min(MOST * MOST, deviation * deviation);
        double shift = nanos - old;
        return samples >= Latest.MOST && Math.abs(shift) > SMALL ? shift : 0;
    }

    private void countTrials(long since) {
        if (!latest.any()) {
            return;
        }
        if (since > ABSENT) {
            soon = 0;
            trials = Math.min(MOST_TRIALS, trials + 1);
        } else if (++soon >= STEADY) {
            trials = 0;
        }
    }

    /** How often in a row it was observed again after a while, since it was last in steady use. */
    int trials() {
        return trials;
    }

    private double usual() {
        return clamp(USUAL * Math.sqrt(variance), SMALL, MOST);
    }

    /** Moves the middle of the size class, and the estimate with it along the line; refits the line. */
    private void fitSize(double lnUnits, double off) {
        double from = lnUnits - units;
        double step = Math.max(RECENT, 1.0 / (samples + 1)) * from;
        units += step;
        nanos += elasticity * step;
        if (fits) {
            sizeVariance += RECENT * (from * from - sizeVariance);
            sizeCovariance += RECENT * (from * clamp(off, -MOST, MOST) - sizeCovariance);
            // Towards where the deviations from the present line point.
            elasticity = clamp(elasticity + RECENT * sizeCovariance / (sizeVariance + PRIOR), 0, 1);
        }
    }

    /** Learns what a job took beside what its lanes were busy. */
    void observeOverhead(double more) {
        double seen = clamp(more, 0, Math.exp(LIMIT));
        overhead += (samples <= 2 ? 1 : RECENT) * (seen - overhead);
    }

    /** Learns which part of a job's time would have been left if all its lanes had finished together. */
    void observeBalance(double part) {
        balance += 0.5 * (clamp(part, 0, 1) - balance);
    }

    /** Which part of the time would be left if all lanes finished together, of late. */
    double balance() {
        return balance;
    }

    /** Something else has shown that times have changed by this factor, a logarithm: one observation must confirm it. */
    void doubt(double shift) {
        nanos = clamp(nanos + shift, 0, LIMIT);
        samples = Math.min(samples, 1);
        gain = MOST_GAIN;
        outliers.forget();
    }

    long samples() {
        return samples;
    }

    /** The middle of the sizes seen. */
    double units() {
        return Math.exp(units);
    }

    /** Time for {@link #units}. */
    double nanos() {
        return Math.exp(nanos);
    }

    /** Predicted time for a size of the class. */
    double nanos(double size) {
        return Math.exp(nanos + elasticity * (Math.log(size) - units));
    }

    /** Relative spread of the observations; 0 with fewer than two. */
    double spread() {
        return Math.sqrt(variance);
    }

    /** What a job took beside what its lanes were busy. */
    double overheadNanos() {
        return overhead;
    }

    /** Notes how far all jobs of the size have drifted, as a logarithm, when this was last observed. */
    void seenAtDrift(double drift) {
        driftSeen = drift;
    }

    /**
     * By which factor the estimate is too slow, if what made the jobs that were observed since faster, such as the JVM's
     * compiler, makes this faster too; 1 if they have become slower, for then only a trial could tell.
     */
    double outdated(double drift) {
        return Math.exp(Math.min(0, drift - driftSeen));
    }

    /** The number of the job that was observed last. */
    long seenAt() {
        return seenAt;
    }

    private static double clamp(double value, double least, double most) {
        return value >= least ? Math.min(value, most) : least; // NaN too
    }
}
