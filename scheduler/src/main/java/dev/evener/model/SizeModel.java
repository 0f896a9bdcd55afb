package dev.evener.model;

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
     * @param nanos what they took more; may be negative
     * @param variance of the logarithm of their time, as far as it comes from that
     * @param logPerUnit logarithm of the wall time over the units
     * @param seenAt number of the latest job
     */
    record OfSet(long jobs, double nanos, double variance, double logPerUnit, long seenAt) {
        static final int NUMBERS = 3;
        /** A job that took longer by more than that was disturbed. */
        private static final double MOST_MORE = 2;

        static OfSet of(long jobs, double[] state) {
            return new OfSet(jobs, state[0], Math.max(0, Math.min(ALIKE, state[1])), Belief.log(state[2]), 0);
        }

        double[] state() {
            return new double[] {nanos, variance, logPerUnit};
        }

        /** Logarithm of what a job takes over the time after which its lanes would be done together. */
        double more(double together) {
            return Math.log1p(Math.max(-0.5, nanos / together));
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
            double perUnit = Math.log(wall / units);
            return new OfSet(
                    jobs + 1,
                    nanos + gain * (Math.min(MOST_MORE * together, wall - together) - nanos),
                    before * (1 - gain),
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
        sets.forEach((set, own) -> next.sets.put(set, new OfSet(0, own.nanos, ALIKE, own.logPerUnit, 0)));
        for (int i = 0; i < belief.size(); i++) {
            next.belief.doubt(i, octaves * ALIKE);
        }
        return next;
    }

    /** What is expected of a set that was never seen: what jobs on the one that is used most took more. */
    OfSet unseen() {
        OfSet most = null;
        for (OfSet own : sets.values()) {
            most = most == null || own.jobs > most.jobs ? own : most;
        }
        double nanos = most == null ? 0 : Math.max(0, most.nanos);
        return new OfSet(0, nanos, ALIKE, 0, 0);
    }
}
