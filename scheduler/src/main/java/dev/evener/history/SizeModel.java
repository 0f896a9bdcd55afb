package dev.evener.history;

import java.util.Map;
import java.util.TreeMap;

/**
 * What is known of one kind of job at one size, in octaves: what devices take, what sets of them take beyond that, and what looks
 * have cost.
 *
 * <p>The logarithm of what a device takes for a unit is a sum of terms: the job's {@code scale}, the {@code class} of the device
 * (equal devices share it), the {@code device} itself, and, in company, {@code sharing} once for each e-fold of lanes and what is
 * particular to this device in this set. Not thread-safe: guarded by its {@link KernelHistory}.
 */
final class SizeModel {
    /** Variance of a class for one more job: how fast evidence fades. 2 % for one job, 20 % for a hundred. */
    static final double FADE = 0.0005;
    /** Devices fade by this part of it, and what sets have in common or of their own by a third of that. */
    private static final double OF_DEVICE = 0.3;

    private static final double OF_SET = 0.1;

    /** Before anything is known: a factor of seven between classes... */
    static final double CLASS_VARIANCE = 4;
    /** ...and of a tenth between equal devices. */
    static final double DEVICE_VARIANCE = 0.1 * 0.1;
    /**
     * Lanes take between 1 and |S| times as long together as alone: evenly between these bounds on the logarithm's scale
     * would be a mean of half of it and a deviation of 0.29; devices are made to work side by side, so rather less.
     */
    static final double SHARING = 0.35;

    static final double SHARING_VARIANCE = 0.3 * 0.3;
    /** What a set does to one of its lanes beyond that: a tenth. */
    static final double SET_VARIANCE = 0.1 * 0.1;
    /** Greatest logarithm of a time or ratio: no sum or exponential of a few such numbers overflows. */
    static final double MOST_LOG = 100;

    /** What a chunk takes on a device whatever its size, launch apart, before that was seen: 5 µs, within a factor of 4.5. */
    static final double START_NANOS = 5_000;

    static final double START_VARIANCE = 1.5 * 1.5;

    Belief belief = new Belief();
    /** By set of devices: what jobs take beyond the time after which lanes would be done together. */
    final Map<String, Tail> tails = new TreeMap<>();

    boolean known;
    long jobs;
    long lastLook = Long.MIN_VALUE / 2;
    double totalNanos;
    double spentNanos;

    /**
     * What jobs on a set take beyond the time after which its lanes would be done together: ends of jobs, host steps, what
     * stealing did not mend.
     *
     * @param log logarithm of the ratio
     * @param variance of it
     * @param nanos the same as a difference, for sets not seen
     * @param logPerUnit logarithm of the wall time over the units
     * @param jobs how many were seen
     */
    record Tail(double log, double variance, double nanos, double logPerUnit, long jobs) {
        static final double VARIANCE = 0.1 * 0.1;

        /**
         * One job more.
         *
         * @param seen logarithm of the ratio
         * @param seenNanos the difference
         * @param seenPerUnit logarithm of its wall time over its units
         * @param noise variance of these
         */
        Tail observe(double seen, double seenNanos, double seenPerUnit, double noise) {
            double before = Math.min(VARIANCE, variance + OF_SET * FADE);
            double gain = before / (before + noise);
            double error = Math.max(-0.3, Math.min(0.3, seen - log));
            double perUnit = jobs == 0 ? seenPerUnit : logPerUnit + Math.max(0.1, gain) * (seenPerUnit - logPerUnit);
            return new Tail(
                    log + gain * error, before * (1 - gain), nanos + gain * (seenNanos - nanos), perUnit, jobs + 1);
        }
    }

    /** One that begins with what is known at another size, so many octaves away. */
    SizeModel from(int octaves) {
        SizeModel next = new SizeModel();
        next.belief = belief.copy();
        next.known = known;
        next.tails.putAll(tails);
        next.tails.replaceAll((set, tail) -> new Tail(tail.log, Tail.VARIANCE, tail.nanos, tail.logPerUnit, 0));
        for (int i = 0; i < belief.size(); i++) {
            next.belief.doubt(i, octaves * (belief.terms().get(i).startsWith("class") ? 0.04 : 0.01));
        }
        return next;
    }

    /** What is expected of a set that was never seen: what jobs on others took more, as far as that is known. */
    Tail expectedTail(double nanos) {
        long most = -1;
        double more = 0;
        for (Tail tail : tails.values()) {
            if (tail.jobs() > most) {
                most = tail.jobs();
                more = tail.nanos();
            }
        }
        return new Tail(nanos > 0 ? Math.log1p(Math.max(0, more) / nanos) : 0, Tail.VARIANCE, more, 0, 0);
    }

    /** One job more, by which all evidence has become older. */
    void fade(Belief of) {
        for (int i = 0; i < of.size(); i++) {
            double prior = priorVariance(of.terms().get(i));
            double by = FADE * fading(of.terms().get(i));
            if (of.covariance(i, i) + by < prior) {
                of.doubt(i, by);
            }
        }
    }

    private static double fading(String term) {
        return switch (term.charAt(0)) {
            case 'c' -> 1;
            case 'd' -> OF_DEVICE;
            case 'l' -> 0; // the scale, which the classes stand for
            default -> OF_SET;
        };
    }

    private static double priorVariance(String term) {
        return switch (term.charAt(0)) {
            case 'c' -> CLASS_VARIANCE;
            case 'd' -> DEVICE_VARIANCE;
            case 's' -> SHARING_VARIANCE;
            case 'o' -> START_VARIANCE;
            default -> SET_VARIANCE;
        };
    }
}
