package dev.evener.model;

import java.util.Arrays;
import java.util.List;

/**
 * What is known of one device in one kind of job: what its chunks take, in whichever set of lanes it worked last ({@link CostFit}), by
 * how much longer or shorter that is in other sets, and what a launch costs. Guarded by its {@link KernelHistory}.
 */
final class LaneModel {
    /** Variance that one more job adds to what is known: evidence fades by 2 % for one job, 20 % for a hundred. */
    static final double FADE = 0.0005;
    /** Variance of what differs a little: equal devices, a lane in two sets of one size. A tenth. */
    static final double ALIKE = 0.1 * 0.1;
    /** Variance of the logarithm of a device's speed before anything is known: a factor of seven. */
    static final double UNKNOWN = 4;
    /** Variance of the logarithm by which kinds of jobs differ in what a device's units take, relative to others, and in what is fixed. */
    static final double OTHER_KIND = 0.7 * 0.7;
    /** What a chunk takes on a device whatever its size, launch apart: 20 µs, within a factor of ten. */
    static final double START_NANOS = 20_000;

    static final double START_VARIANCE = 2.3 * 2.3;
    /** Variance of the logarithm of a chunk's time before any was seen: 14 %. */
    static final double NOISE = 0.02;
    /** Before any was seen: one chunk in a hundred takes twice as long. */
    static final double OVERRUN = 0.01;
    /** No model is better than to 2 %. */
    private static final double LEAST_NOISE = 4e-4;
    /** Before they were seen: what a launch costs, and after what time a lane that is called is at work. */
    static final double WAKE_NANOS = 50_000;
    /** Its {@link #home} when it was in a set that nobody remembers. */
    private static final int NOWHERE = Integer.MAX_VALUE;
    /** Say of the newest job in what is averaged over jobs. */
    static final double NEWEST = 0.1;

    double noise = NOISE;
    /** By which part of what was expected chunks take longer, on average over all, those included that do not. */
    double overrun = OVERRUN;
    /** What a chunk costs while its device is not at work. */
    double launch = WAKE_NANOS;
    /** From the beginning of a job until the lane takes its first chunk. */
    double delay = WAKE_NANOS;
    /** Which part of the time of a unit each phase takes. */
    final double[] phaseParts;
    /** What chunks take in {@link #home}. */
    final CostFit fit;
    /** The set that it was in last, by its place among the kernel's; -1 before there was any. */
    int home = -1;
    /** By how much longer a unit takes in another set than at home, as a logarithm, with its variance: by the set's place. */
    private double[] gaps = {};

    private double[] variances = {}; // 0 for a set that it was never in
    private double[] seen = {};

    long chunks;
    /** Whether it was far slower than equal ones when it was seen first. */
    Lateness late = new Lateness();
    /** Logarithm of the part of a job that its largest chunks are. */
    double part;

    LaneModel(int phases) {
        this(phases, new CostFit());
    }

    private LaneModel(int phases, CostFit fit) {
        this.phaseParts = new double[phases];
        this.fit = fit;
        Arrays.fill(phaseParts, 1.0 / phases);
    }

    /**
     * What it takes for jobs of several steps, each of which it has run as a job of its own, with others that are forgotten.
     *
     * @param steps of one phase each, in the order of the phases
     */
    static LaneModel ofSteps(List<LaneModel> steps) {
        LaneModel all = new LaneModel(steps.size());
        double fixed = 0;
        double perUnit = 0;
        double variance = 0;
        double varianceOfFixed = 0;
        for (int p = 0; p < steps.size(); p++) {
            LaneModel step = steps.get(p);
            all.phaseParts[p] = Math.exp(step.fit.logPerUnit());
            perUnit += all.phaseParts[p];
            fixed += step.fit.logFixed() / steps.size();
            variance = Math.max(variance, step.fit.varianceOfPerUnit());
            varianceOfFixed = Math.max(varianceOfFixed, step.fit.varianceOfFixed());
            all.noise = Math.max(all.noise, step.noise);
            all.overrun = Math.max(all.overrun, step.overrun);
            all.chunks += step.chunks;
        }
        for (int p = 0; p < steps.size(); p++) {
            all.phaseParts[p] /= perUnit;
        }
        all.launch = steps.get(0).launch;
        all.delay = steps.get(0).delay;
        all.part = steps.get(0).part;
        all.home = NOWHERE;
        all.fit.expect(fixed, varianceOfFixed, Math.log(perUnit), variance);
        return all;
    }

    /** Whether anything was seen of it. */
    boolean isKnown() {
        return home >= 0;
    }

    /** Whether what was seen of it is what it takes: it is not known by having been late. */
    boolean isOnTime() {
        return isKnown() && !late.any();
    }

    // ---- in other sets ----

    /** Whether it has been in that set. */
    boolean wasIn(int set) {
        return set == home || (set >= 0 && set < variances.length && variances[set] > 0);
    }

    /** By how much longer a unit takes in a set that it was in than at home, as a logarithm. */
    double gap(int set) {
        return set == home ? 0 : gaps[set];
    }

    /** Variance of that. */
    double doubtOfGap(int set, double now) {
        return set == home ? 0 : Math.min(UNKNOWN, variances[set] + FADE * Math.max(0, now - seen[set]));
    }

    /** The set at that place is another one from now on, which it was never in. */
    void forget(int set) {
        if (set < variances.length) {
            variances[set] = 0;
        }
        if (home == set) { // what is known of it is known of a set that nobody remembers
            home = NOWHERE;
        }
    }

    /**
     * It is in another set now: what was known is known of that one, as far as the two are known to differ.
     *
     * @param expected gap to that set
     * @param variance of that
     */
    void goesTo(int set, double expected, double variance, double now) {
        haveRoom(set);
        for (int i = 0; i < variances.length; i++) {
            if (variances[i] > 0) {
                gaps[i] -= expected;
                variances[i] += variance;
            }
        }
        if (home < 0 || home == NOWHERE) {
            home = set;
            return;
        }
        haveRoom(home);
        gaps[home] = -expected;
        variances[home] = Math.max(1e-6, variance);
        seen[home] = now;
        gaps[set] = 0;
        variances[set] = 0;
        home = set;
        fit.shift(expected);
    }

    private void haveRoom(int set) {
        if (set >= variances.length) {
            gaps = Arrays.copyOf(gaps, set + 1);
            variances = Arrays.copyOf(variances, set + 1);
            seen = Arrays.copyOf(seen, set + 1);
        }
    }

    // ---- beside its chunks' work ----

    /** A copy of what differs by sets and phases, and of how far chunks are off. */
    LaneModel copy() {
        LaneModel copy = new LaneModel(phaseParts.length, fit);
        copy.noise = noise;
        copy.overrun = overrun;
        System.arraycopy(phaseParts, 0, copy.phaseParts, 0, phaseParts.length);
        copy.home = home;
        copy.gaps = gaps.clone();
        copy.variances = variances.clone();
        copy.seen = seen.clone();
        copy.chunks = chunks;
        return copy;
    }

    /** @param seenError square of an error as far as the noise is to blame for it */
    void learnNoise(double seenError) {
        noise = Math.max(LEAST_NOISE, Math.min(0.15, noise + NEWEST / 3 * (seenError - noise)));
    }

    /** @param ratio of what a job's chunks took to what was expected, of which noise is no overrun */
    void learnOverrun(double ratio) {
        double over = Math.max(0, Math.min(10, ratio - 1 - 2 * Math.sqrt(noise)));
        overrun = Math.max(OVERRUN, overrun + NEWEST / 2 * (over - overrun));
    }

    private static double nanos(double value) {
        return Math.max(100, Math.min(1e12, value));
    }

    /** @param first of the lane's first job, which may have taken longer than others will, but no less */
    void learnHost(double seenDelay, double seenLaunch, boolean first) {
        delay = first ? Math.min(delay, nanos(seenDelay)) : follow(delay, seenDelay);
        launch = first ? nanos(seenLaunch) : follow(launch, seenLaunch);
    }

    /** Disturbances only ever lengthen: what is shorter is believed, what is longer is followed slowly. */
    private static double follow(double known, double seen) {
        double error = Math.log(nanos(seen) / known);
        return known * Math.exp(error < 0 ? error / 2 : 2 * NEWEST * Math.min(1, error));
    }

    /** @param nanosPerUnit of each phase; 0 for one that it did nothing in, so that nothing is learnt */
    void learnPhaseParts(double[] nanosPerUnit) {
        double sum = 0;
        boolean all = true;
        for (double each : nanosPerUnit) {
            sum += each;
            all &= each > 0;
        }
        if (all) {
            for (int p = 0; p < phaseParts.length; p++) {
                phaseParts[p] += (chunks == 0 ? 1 : NEWEST) * (nanosPerUnit[p] / sum - phaseParts[p]);
            }
        }
    }

    // ---- for the file ----

    /** What it consists of: figures, then the fit's, then the gaps to sets that it was in. */
    double[][] state() {
        double[] figures =
                Arrays.copyOf(new double[] {noise, launch, delay, home, part, overrun}, 6 + phaseParts.length);
        System.arraycopy(phaseParts, 0, figures, 6, phaseParts.length);
        return new double[][] {figures, fit.state(), gaps, variances, seen};
    }

    /** Goes on from a state; numbers that no observation leads to become the nearest that one does. */
    void restore(double[][] state) {
        double[] figures = state[0];
        noise = Math.max(LEAST_NOISE, Math.min(0.15, figures[0]));
        launch = nanos(figures[1]);
        delay = nanos(figures[2]);
        home = (int) Math.max(-1, Math.min(KernelHistory.MOST_SETS, figures[3]));
        part = Math.max(-50, Math.min(0, figures[4]));
        overrun = Math.max(OVERRUN, Math.min(10, figures[5]));
        for (int p = 0; p < phaseParts.length; p++) {
            phaseParts[p] = Math.max(1e-9, Math.min(1, figures[6 + p]));
        }
        fit.restore(state[1]);
        int sets = Math.min(
                KernelHistory.MOST_SETS, Math.min(state[2].length, Math.min(state[3].length, state[4].length)));
        gaps = Arrays.copyOf(state[2], sets);
        variances = Arrays.copyOf(state[3], sets);
        seen = Arrays.copyOf(state[4], sets);
        for (int i = 0; i < sets; i++) {
            gaps[i] = Math.max(-10, Math.min(10, gaps[i]));
            variances[i] = Math.max(0, Math.min(10, variances[i]));
        }
    }
}
