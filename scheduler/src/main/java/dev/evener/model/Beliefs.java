package dev.evener.model;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What is believed of each lane for jobs of one size, as logarithms and their variances: what was learnt, or, of a lane that was never
 * seen, what its class takes, or else what the device promises by clock and units, to the scale of those that were seen.
 */
final class Beliefs {
    final double[] fixed;
    final double[] varianceOfFixed;
    final double[] perUnit;
    final double[] varianceOfPerUnit;
    /** What each lane takes for a unit relative to the others, by what its device promises, or shows in other kinds of jobs. */
    private final double[] guess;
    /** What a launch costs, and until a lane takes its first chunk, in nanoseconds. */
    final double[] launch;

    final double[] delay;
    /** Logarithm of the size of the sets in which lanes take that, on average, for a lane that was never seen. */
    final double[] home;
    /** Size of the largest chunks whose time is known; infinite if none is. */
    final double[] largest;
    /** What is fixed in nanoseconds, most probably, and by which part more in the mean of what may be. */
    final double[] fixedNanos;

    final double[] fixedLonger;

    /** What equal devices take, of lanes that were seen themselves. */
    final Like[] like;

    /**
     * What equal devices take, infinite if there are none.
     *
     * @param fixed logarithm of what is fixed
     * @param perUnit logarithm of what a unit takes
     * @param launch nanoseconds of a launch
     * @param delay nanoseconds until a lane takes its first chunk
     */
    record Like(double fixed, double perUnit, double launch, double delay) {
        private static final double NONE = Double.POSITIVE_INFINITY;
        static final Like NOBODY = new Like(NONE, NONE, NONE, NONE);
    }

    /**
     * Made while the kernel is locked.
     *
     * @param models of the lanes
     * @param logUnits logarithm of the job's size
     * @param isKnown whether what was seen of a lane counts
     * @param seen logarithm of what each lane takes for a unit, or NaN, where the kind was never seen; null for nothing
     */
    Beliefs(
            JobHistory of,
            KernelHistory kernel,
            LaneModel[] models,
            double logUnits,
            double @Nullable [] seen,
            IntPredicate isKnown) {
        int lanes = models.length;
        this.fixed = new double[lanes];
        this.varianceOfFixed = new double[lanes];
        this.perUnit = new double[lanes];
        this.varianceOfPerUnit = new double[lanes];
        this.guess = guess(of);
        this.launch = new double[lanes];
        this.delay = new double[lanes];
        this.home = new double[lanes];
        this.largest = new double[lanes];
        Arrays.fill(largest, Double.POSITIVE_INFINITY);
        this.like = new Like[lanes];
        Arrays.fill(like, Like.NOBODY);
        double now = kernel.jobs;
        double offset = 0; // of what lanes take from what they promise
        int known = 0;
        // Of a class, at the place of its first lane: sums of the figures by their weights, and of the weights.
        double[][] sums = new double[9][lanes];
        double homes = 0;
        double speed = speed(models, isKnown);
        for (int i = 0; i < lanes; i++) {
            LaneModel lane = models[i];
            launch[i] = lane.launch;
            delay[i] = lane.delay;
            KernelHistory.Trait trait = of.trait(i);
            if (!isKnown.test(i)) {
                launch[i] = trait == null ? launch[i] : trait.launch();
                delay[i] = trait == null ? delay[i] : trait.delay();
                continue;
            }
            double x = logUnits + Math.max(lane.part, -lane.fit.logPerUnit() - Math.log(speed)); // of its share
            largest[i] = Math.exp(lane.fit.logLargest());
            double off = lane.fit.offLine(x, now);
            fixed[i] = lane.fit.logFixed() + off;
            perUnit[i] = lane.fit.logPerUnit() + off;
            double age = lane.fit.age(now);
            // Nothing is so old that it would say less than nothing.
            varianceOfFixed[i] = Math.min(LaneModel.START_VARIANCE, lane.fit.varianceOfFixed() + age);
            varianceOfPerUnit[i] = Math.min(
                    LaneModel.UNKNOWN, Math.min(lane.fit.varianceOfPerUnit() + age, lane.fit.variance(x, now)));
            if (lane.late.any()) { // which differs from its like
                continue;
            }
            offset += perUnit[i] - guess[i];
            known++;
            int its = of.classOf(i);
            sums[4][its]++;
            sums[5][its] += lane.launch;
            sums[6][its] += lane.delay;
            sums[7][its] += largest[i];
            sums[8][its] += -kernel.eFolds(lane, 1);
            homes += -kernel.eFolds(lane, 1);
            sums[0][its] += fixed[i] / (varianceOfFixed[i] + LaneModel.ALIKE);
            sums[1][its] += 1 / (varianceOfFixed[i] + LaneModel.ALIKE);
            sums[2][its] += perUnit[i] / (varianceOfPerUnit[i] + LaneModel.ALIKE);
            sums[3][its] += 1 / (varianceOfPerUnit[i] + LaneModel.ALIKE);
        }
        for (int i = 0; i < lanes && known == 0 && seen != null; i++) {
            offset += Double.isNaN(seen[i]) ? 0 : seen[i] - guess[i];
        }
        int counted = known > 0 || seen == null
                ? known
                : (int) Arrays.stream(seen).filter(each -> !Double.isNaN(each)).count();
        offset /= Math.max(1, counted);
        Arrays.fill(home, homes / Math.max(1, known));
        for (int i = 0; i < lanes; i++) {
            int its = of.classOf(i);
            boolean own = isKnown.test(i);
            if (own && models[i].late.any()) {
                continue;
            }
            // What equal devices show, without this one, is what is believed of it before it is seen.
            double f = sums[1][its] - (own ? 1 / (varianceOfFixed[i] + LaneModel.ALIKE) : 0);
            double u = sums[3][its] - (own ? 1 / (varianceOfPerUnit[i] + LaneModel.ALIKE) : 0);
            KernelHistory.Trait trait = of.trait(i);
            double before = trait == null ? Math.log(LaneModel.START_NANOS) : trait.fixed();
            double variance = trait == null ? LaneModel.START_VARIANCE : LaneModel.OTHER_KIND;
            double perUnitBefore = offset + guess[i];
            double perUnitVariance = isShown(trait) ? 2 * LaneModel.OTHER_KIND : LaneModel.UNKNOWN;
            if (f > 1e-9 && u > 1e-9) {
                before = (sums[0][its] - (own ? fixed[i] / (varianceOfFixed[i] + LaneModel.ALIKE) : 0)) / f;
                // What is not known of one is not known of its like for the same reason, mostly.
                double others = sums[4][its] - (own ? 1 : 0);
                variance = others / f + LaneModel.ALIKE;
                perUnitBefore = (sums[2][its] - (own ? perUnit[i] / (varianceOfPerUnit[i] + LaneModel.ALIKE) : 0)) / u;
                perUnitVariance = others / u + LaneModel.ALIKE;
            } else if (own) {
                continue;
            }
            if (!own) {
                if (sums[4][its] > 0) {
                    launch[i] = sums[5][its] / sums[4][its];
                    delay[i] = sums[6][its] / sums[4][its];
                    largest[i] = sums[7][its] / sums[4][its];
                    home[i] = sums[8][its] / sums[4][its];
                }
                fixed[i] = before;
                varianceOfFixed[i] = variance;
                perUnit[i] = perUnitBefore;
                varianceOfPerUnit[i] = perUnitVariance;
            } else {
                like[i] = new Like(
                        before,
                        perUnitBefore,
                        (sums[5][its] - launch[i]) / (sums[4][its] - 1),
                        (sums[6][its] - delay[i]) / (sums[4][its] - 1));
                believeLike(i, before, variance, perUnitBefore, perUnitVariance);
            }
        }
        this.fixedNanos = Arrays.stream(fixed).map(Math::exp).toArray();
        this.fixedLonger =
                Arrays.stream(varianceOfFixed).map(each -> Math.expm1(each / 2)).toArray();
    }

    /** Units a nanosecond of all that were seen. */
    private static double speed(LaneModel[] models, IntPredicate isKnown) {
        double speed = 0;
        for (int i = 0; i < models.length; i++) {
            speed += isKnown.test(i) ? Math.exp(-models[i].fit.logPerUnit()) : 0;
        }
        return speed;
    }

    /** Takes what a lane showed for as likely as what its like did, each by how sure it is. */
    private void believeLike(
            int i, double before, double itsVariance, double perUnitBefore, double itsPerUnitVariance) {
        // One that differs from its like, because it is slowed, has a class of its own.
        double off = before - fixed[i];
        double variance = Math.max(itsVariance, off * off - varianceOfFixed[i]);
        off = perUnitBefore - perUnit[i];
        double perUnitVariance = Math.max(itsPerUnitVariance, off * off - varianceOfPerUnit[i]);
        double gain = varianceOfFixed[i] / (varianceOfFixed[i] + variance);
        fixed[i] += gain * (before - fixed[i]);
        varianceOfFixed[i] = Math.min(varianceOfFixed[i], variance);
        gain = varianceOfPerUnit[i] / (varianceOfPerUnit[i] + perUnitVariance);
        perUnit[i] += gain * (perUnitBefore - perUnit[i]);
        varianceOfPerUnit[i] = Math.min(varianceOfPerUnit[i], perUnitVariance);
    }

    private static double[] guess(JobHistory of) {
        double[] guess = new double[of.lanes()];
        double off = 0;
        int known = 0;
        for (int i = 0; i < guess.length; i++) {
            guess[i] = -of.logSpeed(i);
            off += isShown(of.trait(i)) ? of.trait(i).perUnit() - guess[i] : 0;
            known += isShown(of.trait(i)) ? 1 : 0;
        }
        for (int i = 0; i < guess.length && known > 0; i++) {
            guess[i] = isShown(of.trait(i)) ? of.trait(i).perUnit() - off / known : guess[i];
        }
        return guess;
    }

    /** Whether another kind of job has shown what a unit takes a lane. */
    private static boolean isShown(KernelHistory.@Nullable Trait trait) {
        return trait != null && !Double.isNaN(trait.perUnit());
    }
}
