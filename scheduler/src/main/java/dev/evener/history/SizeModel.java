package dev.evener.history;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is known of one kind of job at one size, in octaves: what devices take, what jobs on sets of them take beyond that, and
 * what looks have cost. Not thread-safe: guarded by its {@link KernelHistory}.
 */
final class SizeModel {
    /** Variance that one more job adds to every term: evidence fades by 2 % for one job, 20 % for a hundred. */
    static final double FADE = 0.0005;
    /** Variance of what differs a little: equal devices, what a set does to one of its lanes, sizes an octave apart. A tenth. */
    static final double ALIKE = 0.1 * 0.1;

    /** Sets of devices that are remembered: twice as many as there are candidates for eight devices. */
    private static final int MOST_SETS = 32;

    Belief belief = new Belief();
    /** By set of devices. */
    final Map<String, OfSet> sets = new TreeMap<>();

    boolean known;
    long jobs;
    long lastLook = Long.MIN_VALUE / 2;
    double totalNanos;
    double spentNanos;

    /**
     * What jobs on a set take beyond the time after which its lanes would be done together: ends of jobs, host steps, what
     * stealing did not mend.
     *
     * @param jobs how many were seen
     * @param log logarithm of the ratio
     * @param variance of it
     * @param nanos the same as a difference, for sets not seen
     * @param logPerUnit logarithm of the wall time over the units
     * @param seenAt number of the latest job
     */
    record OfSet(long jobs, double log, double variance, double nanos, double logPerUnit, long seenAt) {
        static final int NUMBERS = 4;

        static OfSet of(long jobs, double[] state) {
            return new OfSet(
                    jobs,
                    Belief.log(state[0]),
                    Math.max(0, Math.min(ALIKE, state[1])),
                    state[2],
                    Belief.log(state[3]),
                    0);
        }

        double[] state() {
            return new double[] {log, variance, nanos, logPerUnit};
        }

        /**
         * One job more.
         *
         * @param together nanoseconds after which the lanes would have been done together
         * @param wall what the job took
         * @param noise variance of that
         */
        OfSet observe(double together, double wall, double units, double noise, long job) {
            double before = Math.min(ALIKE, variance + FADE / 10);
            double gain = before / (before + noise);
            double error = Math.max(-1, Math.min(1, Math.log(wall / together) - log));
            double perUnit = Math.log(wall / units);
            return new OfSet(
                    jobs + 1,
                    log + gain * error,
                    before * (1 - gain),
                    nanos + gain * (wall - together - nanos),
                    jobs == 0 ? perUnit : logPerUnit + Math.max(0.1, gain) * (perUnit - logPerUnit),
                    job);
        }
    }

    /** Makes room for one more set, if it is a new one: of many the set that ran longest ago is forgotten. */
    void makeRoom(String set, Belief in) {
        if (sets.size() < MOST_SETS || sets.containsKey(set)) {
            return;
        }
        String oldest = sets.keySet().stream()
                .min(Comparator.comparingLong(each -> sets.get(each).seenAt))
                .orElseThrow();
        sets.remove(oldest);
        in.forget(JobHistory.company(oldest));
    }

    /** One that begins with what is known at another size, so many octaves away. */
    SizeModel from(int octaves) {
        SizeModel next = new SizeModel();
        next.belief = belief.copy();
        next.known = known;
        sets.forEach((set, own) -> next.sets.put(set, new OfSet(0, own.log, ALIKE, own.nanos, own.logPerUnit, 0)));
        for (int i = 0; i < belief.size(); i++) {
            next.belief.doubt(i, octaves * ALIKE);
        }
        return next;
    }

    /** What is expected of a set that was never seen: what jobs on the one that is used most took more. */
    OfSet unseen(double together) {
        OfSet most = null;
        for (OfSet own : sets.values()) {
            most = most == null || own.jobs > most.jobs ? own : most;
        }
        double nanos = most == null ? 0 : Math.max(0, most.nanos);
        return new OfSet(0, together > 0 ? Math.log1p(nanos / together) : 0, ALIKE, nanos, 0, 0);
    }
}
