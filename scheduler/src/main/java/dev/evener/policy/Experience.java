package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;

/**
 * What earlier runs say of one job on the lanes of a {@link Snapshot}, at the job's size. A set of lanes is a bit mask, bit
 * {@code i} standing for lane {@code i}. Immutable while a policy looks at it.
 */
public interface Experience {

    /** Nothing is known. */
    Experience NONE = new Experience() {
        @Override
        public Cost cost(int lane, long company) {
            return Cost.UNKNOWN;
        }

        @Override
        public Outcome outcome(long lanes) {
            return Outcome.UNKNOWN;
        }
    };

    /**
     * Time from the start of the job until a lane is done with its part while exactly the lanes of {@code company}, itself
     * among them, work on the job: devices that share cores or memory slow each other down. {@link Cost#UNKNOWN} if it
     * never ran in that company.
     */
    Cost cost(int lane, long company);

    /** Wall time of the whole job on exactly these lanes. */
    Outcome outcome(long lanes);

    /**
     * What a job on exactly these lanes takes beside the time until its last lane is done; an optimistic guess from other
     * sets and sizes where none was observed.
     */
    default double overheadNanos(long lanes) {
        return 0;
    }

    /**
     * Which part of the time of jobs on these lanes would be left if all lanes had finished together; 1 if they did, or none
     * was observed. What a set could be with the right shares.
     */
    default double balanced(long lanes) {
        return 1;
    }

    /** Jobs of this kind and size so far, on any lanes. */
    default long jobs() {
        return 0;
    }

    /** The set of lanes that jobs of this kind and size ran on most of late; 0 if none did. */
    default long usual() {
        return 0;
    }

    /**
     * Wall time of a job on a set of lanes.
     *
     * @param nanos predicted; 0 when nothing is known
     * @param spread relative spread of what was observed, 0 with fewer than two observations; how far a prediction carried
     *     over from other sizes may be off
     * @param samples observations at about this size; 0 if {@code nanos} was carried over from other sizes, 1 too if
     *     something has changed since the last observation
     * @param age jobs of this kind and size, on any lanes, since the last observation, or since the first job if there was
     *     none on these lanes
     * @param trials how often in a row, since the set was last in steady use, it was observed again after a while and left again
     */
    record Outcome(double nanos, double spread, long samples, long age, int trials) {
        /** Nothing is known. */
        public static final Outcome UNKNOWN = new Outcome(0, 0, 0, Long.MAX_VALUE, 0);

        /** Whether there is a prediction. */
        public boolean known() {
            return nanos > 0;
        }
    }
}
