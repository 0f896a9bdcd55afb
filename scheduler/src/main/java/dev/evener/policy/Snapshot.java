package dev.evener.policy;

import java.util.List;

/**
 * What a policy sees when a job starts.
 *
 * @param granules how many granules there are to share
 * @param unitsPerGranule units in each of them (the last may be short)
 * @param lanes the lanes in use, at least one and at most 62
 * @param experience what earlier runs say of this job on these lanes
 */
public record Snapshot(long granules, long unitsPerGranule, List<LaneView> lanes, Experience experience) {
    public Snapshot {
        lanes = List.copyOf(lanes);
    }

    /**
     * One lane.
     *
     * @param id its device's id
     * @param weight a rough relative speed known before anything ran, above 0
     * @param cost what the history says of this job on this lane, in whatever company
     * @param available false for a lane whose device failed: what it is given goes to the others
     * @param estimate what the job should take on this lane by what its device was measured to do, for as long as the
     *     history knows nothing better
     */
    public record LaneView(String id, double weight, Cost cost, boolean available, Estimate estimate) {

        /** A lane that is available, and whose device was never measured. */
        public LaneView(String id, double weight, Cost cost) {
            this(id, weight, cost, true);
        }

        /** A lane whose device was never measured. */
        public LaneView(String id, double weight, Cost cost, boolean available) {
            this(id, weight, cost, available, Estimate.UNKNOWN);
        }
    }

    /**
     * What a job that was never observed should take on a lane. As nothing is known of what its kernels compute, their part is
     * a lower bound: the time to touch memory.
     *
     * @param fixedNanos whatever the size: launches, and what every chunk needs as a whole
     * @param kernelNanosPerUnit to touch a unit's bytes in the device's memory
     * @param transferNanosPerUnit to move a unit's bytes between host and device; 0 where none are moved
     */
    public record Estimate(double fixedNanos, double kernelNanosPerUnit, double transferNanosPerUnit) {
        /** There is none. */
        public static final Estimate UNKNOWN = new Estimate(0, 0, 0);

        /**
         * As a cost.
         *
         * @param slowdown by which factor kernels are taken to be slower than their lower bound
         */
        public Cost cost(double slowdown) {
            return new Cost(fixedNanos, slowdown * kernelNanosPerUnit + transferNanosPerUnit, 1);
        }
    }

    /**
     * Predicted busy time: {@code fixedNanos + units * nanosPerUnit}.
     *
     * @param fixedNanos cost of a launch, whatever the size
     * @param nanosPerUnit cost of a unit; 0 when nothing is known
     * @param samples how many observations it rests on; 0 means nothing is known
     */
    public record Cost(double fixedNanos, double nanosPerUnit, long samples) {
        /** Nothing is known. */
        public static final Cost UNKNOWN = new Cost(0, 0, 0);

        /** Whether there is anything to predict from. */
        public boolean known() {
            return samples > 0;
        }

        /** Predicted nanoseconds for a number of units. */
        public double predict(double units) {
            return fixedNanos + units * nanosPerUnit;
        }
    }
}
