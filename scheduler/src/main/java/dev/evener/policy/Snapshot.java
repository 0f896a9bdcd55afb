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
     */
    public record LaneView(String id, double weight, Cost cost, boolean available) {

        /** A lane that is available. */
        public LaneView(String id, double weight, Cost cost) {
            this(id, weight, cost, true);
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
