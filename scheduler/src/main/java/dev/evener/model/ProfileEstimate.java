package dev.evener.model;

import dev.evener.policy.WorkProfile;
import java.util.Arrays;

/**
 * A coarse profile of what units cost over the index space, learnt from chunks. A chunk that took longer than the same lane's
 * chunks on average shows that its units are dear: only a lane's own chunks are compared, because a lane that is slower everywhere
 * shows nothing of the kind. Each part is the logarithm of a cost with its variance, moved by a Kalman gain. Not thread-safe.
 */
final class ProfileEstimate {
    static final int PARTS = 64;
    /** Standard deviation of the logarithm of a part's cost before anything was seen: kernels are even, mostly. */
    private static final double SPREAD = 0.5;
    /** Below this a profile is noise, and everything is simpler without: standard deviation of the parts' logarithms. */
    private static final double UNEVEN = 0.05;

    private static final double MOST = 10;

    private double[] log = {}; // empty, like the variances, until a job of several chunks was seen
    private double[] variance = {};
    private WorkProfile profile = WorkProfile.EVEN;
    private double spread; // variance of the parts' logarithms

    private void begin() {
        if (!learnt()) {
            log = new double[PARTS];
            variance = new double[PARTS];
            Arrays.fill(variance, SPREAD * SPREAD);
        }
    }

    /** Whether it is other than at the beginning. */
    boolean learnt() {
        return log.length > 0;
    }

    /** What it consists of, for the file: logarithms, then variances. */
    double[] state() {
        begin();
        double[] state = Arrays.copyOf(log, 2 * PARTS);
        System.arraycopy(variance, 0, state, PARTS, PARTS);
        return state;
    }

    /** Goes on from a state; numbers that no observation leads to become the nearest that one does. */
    void restore(double[] state) {
        begin();
        for (int i = 0; i < PARTS; i++) {
            log[i] = Math.max(-MOST, Math.min(MOST, state[i]));
            variance[i] = Math.max(1e-9, Math.min(SPREAD * SPREAD, state[PARTS + i]));
        }
        settle();
    }

    /**
     * Learns from one chunk.
     *
     * @param from where it begins, 0 to 1
     * @param to where it ends
     * @param error logarithm of what it took over what it should have taken
     * @param noise variance of that
     */
    void observe(double from, double to, double error, double noise) {
        begin();
        int first = (int) Math.min(PARTS - 1, from * PARTS);
        int last = (int) Math.min(PARTS - 1, Math.ceil(to * PARTS) - 1);
        double all = 0;
        for (int i = first; i <= last; i++) {
            all += overlap(i, from, to) * Math.exp(log[i]);
        }
        double belief = 0;
        for (int i = first; i <= last; i++) {
            double part = overlap(i, from, to) * Math.exp(log[i]) / all;
            belief += part * part * variance[i];
        }
        for (int i = first; i <= last; i++) {
            double part = overlap(i, from, to) * Math.exp(log[i]) / all;
            double gain = part * variance[i] / (belief + noise);
            log[i] = Math.max(-MOST, Math.min(MOST, log[i] + gain * error));
            variance[i] *= 1 - part * gain;
        }
    }

    private static double overlap(int part, double from, double to) {
        return Math.max(1e-9, Math.min(to, (part + 1.0) / PARTS) - Math.max(from, (double) part / PARTS));
    }

    /** Evidence fades, and the profile follows from what is left. */
    void settle() {
        if (!learnt()) {
            return;
        }
        double mean = 0;
        for (int i = 0; i < PARTS; i++) {
            variance[i] = Math.min(SPREAD * SPREAD, variance[i] + LaneModel.FADE);
            mean += log[i] / PARTS;
        }
        spread = 0;
        double[] density = new double[PARTS];
        for (int i = 0; i < PARTS; i++) {
            log[i] -= mean;
            spread += log[i] * log[i] / PARTS;
            density[i] = Math.exp(log[i]);
        }
        profile = spread < UNEVEN * UNEVEN ? WorkProfile.EVEN : WorkProfile.of(density);
    }

    WorkProfile profile() {
        return profile;
    }
}
