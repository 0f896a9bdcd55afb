package dev.evener.model;

import java.util.Arrays;

/**
 * What a chunk takes: {@code fixed + work * perUnit}, both estimated together from chunks of all sizes, for neither can be told from one.
 * Chunks of about one size are kept as one mean of the logarithm of their time, moved by a Kalman gain, so that what was seen of small
 * ones is not forgotten while large ones run. The fit is the most probable one (maximum a posteriori) with normal priors of both
 * logarithms, found by Gauss and Newton's method (Bj&ouml;rck, Numerical Methods for Least Squares Problems, 1996); where it
 * may have two modes, all fixed and all by the unit, it begins with both. Its curvature gives the variances, which are bounded by what
 * holds anywhere: no chunk took less than what is fixed, and a unit takes what is left of a chunk after the most that may be.
 * {@link JobHistory} has the formulas. Work is in units of mean cost, times in nanoseconds, both as natural logarithms; evidence ages by
 * the number of the job.
 *
 * <p>Not thread-safe; allocates nothing but in {@link #state} and when a size comes that is new.
 */
final class CostFit {
    /** Sizes that are told apart, an octave each: a factor of 4,096 in all. */
    private static final int MOST = 12;
    /** Logarithm of the ratio up to which two sizes are one: half an octave. */
    private static final double ALIKE = 0.35;
    /** Variance of the logarithm by which times of a size may be off the line: caches, waves. */
    private static final double OFF_LINE = 0.05 * 0.05;
    /** Standard deviations beyond which an observation is a surprise: one in eighty by chance. */
    static final double SURPRISE = 2.5;
    /** Probability that a surprise is the beginning of a change: nobody knows. */
    static final double CHANGE = 0.5;
    /** Variance by which what was seen once may be off: it may have been disturbed. */
    private static final double ONCE = 0.05;

    private static final double LEAST_VARIANCE = 1e-4;
    private static final double MOST_VARIANCE = 25;
    private static final int STEPS = 8;
    private static final int FIELDS = 4;
    private static final int X = 0; // logarithm of the work
    private static final int Y = 1; // logarithm of the time
    private static final int V = 2; // variance of that
    private static final int SEEN = 3; // when it was seen last

    private double[] seen = {};
    private int sizes;
    private double fixed; // logarithm
    private double perUnit; // logarithm
    private double fixedVariance;
    private double perUnitVariance;
    private double covariance;

    private double priorFixed;
    private double priorFixedVariance = 1;
    private double priorPerUnit;
    private double priorPerUnitVariance = 1;

    /** Begins anew with what is believed before anything was seen, as logarithms. */
    void expect(double logFixed, double varianceOfFixed, double logPerUnit, double varianceOfPerUnit) {
        sizes = 0;
        prior(logFixed, varianceOfFixed, logPerUnit, varianceOfPerUnit);
        fixed = logFixed;
        perUnit = logPerUnit;
        solve();
    }

    /** Changes what was believed before. */
    void prior(double logFixed, double varianceOfFixed, double logPerUnit, double varianceOfPerUnit) {
        priorFixed = logFixed;
        priorFixedVariance = varianceOfFixed;
        priorPerUnit = logPerUnit;
        priorPerUnitVariance = varianceOfPerUnit;
    }

    /** What it consists of, for the file. */
    double[] state() {
        double[] six = {fixed, perUnit, priorFixed, priorFixedVariance, priorPerUnit, priorPerUnitVariance};
        double[] state = Arrays.copyOf(six, 6 + FIELDS * sizes);
        System.arraycopy(seen, 0, state, 6, FIELDS * sizes);
        return state;
    }

    /** Goes on from a state; numbers that no observation leads to become the nearest that one does. */
    void restore(double[] state) {
        if (state.length < 6) {
            throw new IllegalArgumentException("a fit of " + state.length + " numbers");
        }
        fixed = log(state[0]);
        perUnit = log(state[1]);
        prior(log(state[2]), variance(state[3]), log(state[4]), variance(state[5]));
        sizes = Math.min(MOST, (state.length - 6) / FIELDS);
        seen = Arrays.copyOfRange(state, 6, 6 + FIELDS * sizes);
        for (int at = 0; at < seen.length; at += FIELDS) {
            seen[at + X] = log(seen[at + X]);
            seen[at + Y] = log(seen[at + Y]);
            seen[at + V] = variance(seen[at + V]);
        }
        solve();
    }

    private static double log(double value) {
        return Math.max(-100, Math.min(100, value));
    }

    private static double variance(double value) {
        return Math.max(LEAST_VARIANCE, Math.min(MOST_VARIANCE, value));
    }

    // ---- what it expects ----

    boolean isEmpty() {
        return sizes == 0;
    }

    /** Logarithm of what a chunk takes whatever its size. */
    double logFixed() {
        return fixed;
    }

    /** Logarithm of what a unit takes. */
    double logPerUnit() {
        return perUnit;
    }

    /** What was seen counts no longer. */
    void forget() {
        sizes = 0;
    }

    /** Variance of the first: no chunk took less than what it takes whatever its size. */
    double varianceOfFixed() {
        double least = Double.POSITIVE_INFINITY;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            least = Math.min(least, seen[at + Y] + SURPRISE * Math.sqrt(seen[at + V]));
        }
        double most = Math.max(0.1, least - fixed) / 2;
        return Math.min(fixedVariance, most * most);
    }

    /**
     * Variance of the second. Where all that was seen may have been fixed, a unit may take next to nothing: then it is no less than before
     * anything was seen.
     */
    double varianceOfPerUnit() {
        if (sizes == 0) {
            return perUnitVariance;
        }
        double most = Math.exp(fixed + 2 * Math.sqrt(varianceOfFixed()));
        double least = 0; // of a unit
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            least = Math.max(least, (Math.exp(seen[at + Y]) - most) / Math.exp(seen[at + X]));
        }
        double off = (perUnit - Math.log(least)) / 2;
        return Math.max(perUnitVariance, Math.min(LaneModel.UNKNOWN, off * off));
    }

    /** Logarithm of the most that a unit takes, should nothing of what was seen be fixed; infinite if nothing was. */
    double mostPerUnit() {
        double most = Double.POSITIVE_INFINITY;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            most = Math.min(most, seen[at + Y] - seen[at + X]);
        }
        return most;
    }

    /** Whether all chunks that were seen were of one size, so that all of their time may be fixed. */
    boolean isOfOneSize() {
        return sizes == 1;
    }

    /** Logarithm of what a chunk of so much work takes by the line. */
    double line(double x) {
        return Math.log(Math.exp(fixed) + Math.exp(perUnit + x));
    }

    /** The same with what chunks of about that size take beside the line. */
    double expected(double logWork, double now) {
        return line(logWork) + offLine(logWork, now);
    }

    /** Whether chunks of about that size were seen. */
    boolean knows(double logWork) {
        int at = nearest(logWork);
        return at >= 0 && Math.abs(seen[at + X] - logWork) <= ALIKE;
    }

    /** Logarithm of the work of the largest chunks that were seen; there have to be some. */
    double logLargest() {
        double largest = Double.NEGATIVE_INFINITY;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            largest = Math.max(largest, seen[at + X]);
        }
        return largest;
    }

    /** By how much chunks of about that size take longer than by the line, as a logarithm: less, the further the next size that was seen. */
    double offLine(double logWork, double now) {
        int at = nearest(logWork);
        if (at < 0) {
            return 0;
        }
        double near = Math.max(0, 1 - Math.abs(seen[at + X] - logWork) / (4 * ALIKE));
        double trust = OFF_LINE / (OFF_LINE + faded(at, now));
        return near * trust * (seen[at + Y] - line(seen[at + X]));
    }

    /** Variance of the logarithm of what a chunk of so much work takes. */
    double variance(double logWork, double now) {
        double f = Math.exp(fixed);
        double u = Math.exp(perUnit + logWork);
        double a = f / (f + u);
        double b = u / (f + u);
        double byLine = a * a * fixedVariance + b * b * perUnitVariance + 2 * a * b * covariance;
        int at = nearest(logWork);
        return Math.max(0, byLine) + (at < 0 ? 0 : faded(at, now) - seen[at + V]);
    }

    /** Whether what chunks take is off by no more than it may be while it is not known how much of what was seen is fixed. */
    private boolean mayBe(double logWork, double error) {
        double sign = Math.signum(error) * SURPRISE;
        double f = fixed + sign * Math.sqrt(varianceOfFixed());
        double u = perUnit + sign * Math.sqrt(varianceOfPerUnit());
        return Math.abs(error) <= Math.abs(Math.log(Math.exp(f) + Math.exp(u + logWork)) - line(logWork));
    }

    /** Variance that everything has gained since it was seen last. */
    double age(double now) {
        double last = 0;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            last = Math.max(last, seen[at + SEEN]);
        }
        return LaneModel.FADE * Math.max(0, now - last);
    }

    private double faded(int at, double now) {
        return Math.min(MOST_VARIANCE, seen[at + V] + LaneModel.FADE * Math.max(0, now - seen[at + SEEN]));
    }

    private int nearest(double x) {
        int best = -1;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            best = best < 0 || Math.abs(seen[at + X] - x) < Math.abs(seen[best + X] - x) ? at : best;
        }
        return best;
    }

    // ---- what it learns ----

    /**
     * Chunks of about that size took so long.
     *
     * @param logWork logarithm of the work of each
     * @param logNanos of their mean time
     * @param noise variance of that
     * @param now number of the job, by which evidence ages
     */
    void observe(double logWork, double logNanos, double noise, double now) {
        int at = nearest(logWork);
        double error;
        boolean surprise;
        if (!knows(logWork)) {
            error = logNanos - expected(logWork, now);
            double doubt = variance(logWork, now) + noise;
            surprise = sizes > 0 && error * error > SURPRISE * SURPRISE * doubt && !mayBe(logWork, error);
            at = add();
            seen[at + X] = logWork;
            seen[at + Y] = logNanos;
            seen[at + V] = variance(noise + ONCE);
        } else {
            double known = faded(at, now);
            double slope = Math.exp(perUnit + seen[at + X] - line(seen[at + X])); // of the line there
            error = logNanos - seen[at + Y] - slope * (logWork - seen[at + X]);
            surprise = error * error > SURPRISE * SURPRISE * (known + noise);
            // A surprise is a disturbance, or a change of this size alone or of all: the next will show.
            double gain = surprise ? CHANGE : known / (known + noise);
            double moved = surprise ? 0 : gain * (logWork - seen[at + X]);
            seen[at + X] += moved;
            seen[at + Y] += gain * error + slope * moved;
            seen[at + V] = variance(surprise ? known + gain * (1 - gain) * error * error : known * (1 - gain));
        }
        seen[at + SEEN] = now;
        outdate(at, surprise ? CHANGE * (1 - CHANGE) * error * error : 0);
        solve();
    }

    /**
     * Smaller chunks that took longer, or less by more than they are smaller, have no line in common with larger ones: all has changed
     * since those were seen, and what was seen before them holds no longer either. That it was suspected before is no excuse.
     *
     * @param doubt variance that other jobs' sizes gain after a surprise, which may be the beginning of a change of them too
     */
    private void outdate(int now, double doubt) {
        double changed = Double.NEGATIVE_INFINITY; // after that
        double change = 0;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            double larger = seen[at + X] - seen[now + X];
            double longer = seen[at + Y] - seen[now + Y];
            double off = longer - Math.max(Math.min(0, larger), Math.min(Math.max(0, larger), longer));
            if (seen[at + SEEN] < seen[now + SEEN]
                    && off * off > SURPRISE * SURPRISE * (Math.min(ONCE, seen[at + V]) + seen[now + V] + OFF_LINE)) {
                changed = Math.max(changed, seen[at + SEEN]);
                change = Math.max(change, Math.abs(off) + Math.min(1, Math.abs(larger)));
            }
        }
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            if (seen[at + SEEN] <= changed) {
                seen[at + V] = Math.max(seen[at + V], Math.min(MOST_VARIANCE, change * change));
            }
            if (seen[at + SEEN] < seen[now + SEEN]) {
                seen[at + V] = Math.min(MOST_VARIANCE, seen[at + V] + doubt);
            }
        }
    }

    /** A unit takes so many times what it was believed to take before anything was seen, as a logarithm. */
    void expectPerUnit(double by) {
        priorPerUnit = log(priorPerUnit + by);
        perUnit = log(perUnit + by);
    }

    /** All times become so many times as long, as a logarithm. */
    void shift(double by) {
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            seen[at + Y] = log(seen[at + Y] + by);
        }
        fixed = log(fixed + by);
        perUnit = log(perUnit + by);
    }

    private int add() {
        if (sizes < MOST) {
            if (seen.length == FIELDS * sizes) {
                seen = Arrays.copyOf(seen, Math.min(FIELDS * MOST, seen.length + 2 * FIELDS));
            }
            return FIELDS * sizes++;
        }
        int oldest = 0;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            oldest = seen[at + SEEN] < seen[oldest + SEEN] ? at : oldest;
        }
        return oldest;
    }

    // ---- the fit ----

    private void solve() {
        double objective = descend();
        if (sizes == 0 || objective < 3) {
            return;
        }
        double least = Double.POSITIVE_INFINITY;
        int largest = 0;
        for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
            least = Math.min(least, seen[at + Y]);
            largest = seen[at + X] > seen[largest + X] ? at : largest;
        }
        double most = seen[largest + Y] - seen[largest + X];
        objective = descendFrom(least, Math.min(priorPerUnit, most - 1), objective); // all is fixed
        descendFrom(Math.min(priorFixed, least - 1), most, objective); // all goes by the unit
    }

    /** Stays where it is if that leads to nothing more probable. */
    private double descendFrom(double newFixed, double newPerUnit, double objective) {
        double oldFixed = fixed;
        double oldPerUnit = perUnit;
        fixed = log(newFixed);
        perUnit = log(newPerUnit);
        double other = descend();
        if (other >= objective) {
            fixed = oldFixed;
            perUnit = oldPerUnit;
            descend();
        }
        return Math.min(objective, other);
    }

    /** Goes to the nearest most probable fit; returns half its negative logarithm, twice. */
    private double descend() {
        double objective = 0;
        for (int step = 0; step <= STEPS; step++) {
            double f = Math.exp(fixed);
            double aa = 1 / priorFixedVariance;
            double bb = 1 / priorPerUnitVariance;
            double ab = 0;
            double ga = (priorFixed - fixed) * aa;
            double gb = (priorPerUnit - perUnit) * bb;
            objective = (priorFixed - fixed) * ga + (priorPerUnit - perUnit) * gb;
            for (int at = 0; at < FIELDS * sizes; at += FIELDS) {
                double u = Math.exp(perUnit + seen[at + X]);
                double rest = seen[at + Y] - Math.log(f + u);
                double weight = 1 / (seen[at + V] + (sizes > 1 ? OFF_LINE : 0));
                double a = f / (f + u);
                double b = u / (f + u);
                aa += weight * a * a;
                ab += weight * a * b;
                bb += weight * b * b;
                ga += weight * rest * a;
                gb += weight * rest * b;
                objective += weight * rest * rest;
            }
            double det = aa * bb - ab * ab;
            fixedVariance = bb / det;
            perUnitVariance = aa / det;
            covariance = -ab / det;
            double stepFixed = (bb * ga - ab * gb) / det;
            double stepPerUnit = (aa * gb - ab * ga) / det;
            double most = Math.max(Math.abs(stepFixed), Math.abs(stepPerUnit));
            if (most < 1e-3 || step == STEPS) {
                break;
            }
            double part = Math.min(1, 2 / most);
            fixed = log(fixed + part * stepFixed);
            perUnit = log(perUnit + part * stepPerUnit);
        }
        return objective;
    }
}
