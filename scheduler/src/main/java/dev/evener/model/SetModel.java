package dev.evener.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What jobs on a set of devices take beyond the time T after which its lanes would be done together: {@code nanos + ratio * T}, for ends of
 * jobs and host steps, and for what stealing did not mend. Both are estimated together, by a Kalman filter of two terms, so that what
 * was learnt of long jobs does not make short ones dear. Guarded by its {@link KernelHistory}.
 */
final class SetModel {
    static final int NUMBERS = 9;
    /** A job that took longer by more than that was disturbed. */
    private static final double MOST_MORE = 2;
    /** Standard deviation of what jobs take more whatever their size, before any was seen. */
    private static final double NANOS = 200_000;

    final long key;
    final List<String> devices;

    long jobs;
    private double nanos; // what they took more, whatever their size; may be negative
    private double ratio; // and in proportion
    private double varianceOfNanos = NANOS * NANOS;
    private double varianceOfRatio = LaneModel.ALIKE;
    private double covariance;
    double logPerUnit; // logarithm of the wall time over the units
    long units; // of the latest job
    long seenAt; // number of the latest job

    SetModel(long key, List<String> devices) {
        this.key = key;
        this.devices = List.copyOf(devices);
    }

    SetModel copy() {
        SetModel copy = new SetModel(key, devices);
        copy.restore(state());
        return copy;
    }

    /** It was never seen, and is expected to be like another one. */
    void learnFrom(@Nullable SetModel other) {
        nanos = other == null ? 0 : Math.max(0, other.nanos);
        ratio = other == null ? 0 : Math.max(0, other.ratio);
    }

    /** The same of one set or, if it was never seen, by another one that is like it. */
    static double more(@Nullable SetModel its, @Nullable SetModel like, double together) {
        return its != null ? its.more(together) : like == null ? 1 : Math.max(1, like.more(together));
    }

    /** What a job takes over the time after which its lanes would be done together, as a factor. */
    double more(double together) {
        return 1 + Math.max(-0.5, ratio + nanos / together);
    }

    /**
     * What jobs of about that size took on this set when it ran last, over what is expected, as far as the one is surer than the other: what its
     * lanes do alone or in other sets says less of it.
     *
     * @param variance of the logarithm of what is expected
     */
    double correction(double expected, double size, double variance, long now) {
        if (jobs == 0) {
            return 1;
        }
        double larger = Math.log(size / units);
        double its = 2 * LaneModel.ALIKE + LaneModel.FADE * Math.max(0, now - seenAt) + larger * larger;
        return Math.exp(variance / (variance + its) * (logPerUnit + Math.log(size / expected)));
    }

    /** Variance of the logarithm of a job's time, as far as it comes from that. */
    double variance(double together) {
        double part = 1 / together;
        return Math.max(
                0, Math.min(LaneModel.ALIKE, varianceOfRatio + part * part * varianceOfNanos + 2 * part * covariance));
    }

    /**
     * One job more.
     *
     * @param together nanoseconds after which the lanes would have been done together
     * @param wall what the job took
     * @param noise variance of that
     */
    void observe(double together, double wall, double size, double noise, long job) {
        double fade = LaneModel.FADE / 10;
        varianceOfRatio = Math.min(LaneModel.ALIKE, varianceOfRatio + fade);
        varianceOfNanos = Math.min(NANOS * NANOS, varianceOfNanos + fade / LaneModel.ALIKE * NANOS * NANOS);
        double part = 1 / together;
        double forNanos = part * varianceOfNanos + covariance;
        double forRatio = part * covariance + varianceOfRatio;
        double total = part * forNanos + forRatio + noise;
        double error = Math.min(MOST_MORE, wall / together - 1) - ratio - part * nanos;
        logPerUnit = jobs == 0 ? Math.log(together * more(together) / size) : logPerUnit;
        nanos += forNanos / total * error;
        ratio += forRatio / total * error;
        varianceOfNanos -= forNanos / total * forNanos;
        varianceOfRatio -= forRatio / total * forRatio;
        covariance -= forNanos / total * forRatio;
        double gain = 1 - noise / total;
        double perUnit = Math.log(wall / size);
        logPerUnit += Math.max(0.1, gain) * (perUnit - logPerUnit);
        units = (long) size;
        seenAt = job;
        jobs++;
    }

    double[] state() {
        return new double[] {jobs, nanos, ratio, varianceOfNanos, varianceOfRatio, covariance, logPerUnit, units, seenAt
        };
    }

    void restore(double[] state) {
        jobs = (long) Math.max(0, Math.min(1e15, state[0]));
        nanos = state[1];
        ratio = Math.max(-1, Math.min(MOST_MORE, state[2]));
        varianceOfNanos = Math.max(0, Math.min(NANOS * NANOS, state[3]));
        varianceOfRatio = Math.max(0, Math.min(LaneModel.ALIKE, state[4]));
        double most = Math.sqrt(varianceOfNanos * varianceOfRatio);
        covariance = Math.max(-most, Math.min(most, state[5]));
        logPerUnit = Math.max(-100, Math.min(100, state[6]));
        units = (long) Math.max(0, Math.min(1e18, state[7]));
        seenAt = (long) Math.max(0, Math.min(1e15, state[8]));
    }
}
