package dev.evener.policy;

import java.util.List;

/**
 * What a policy sees when a job starts.
 *
 * @param granules how many granules there are to share
 * @param unitsPerGranule units in each of them (the last may be short)
 * @param lanes the lanes in use, at least one
 * @param model what is known of such jobs on these lanes, and for how long these are at work for other jobs first
 * @param waiting other jobs that wait for lanes, and for nothing else
 */
public record Snapshot(long granules, long unitsPerGranule, List<LaneView> lanes, CostModel model, int waiting) {
    public Snapshot {
        lanes = List.copyOf(lanes);
    }

    /** For a job behind which none waits. */
    public Snapshot(long granules, long unitsPerGranule, List<LaneView> lanes, CostModel model) {
        this(granules, unitsPerGranule, lanes, model, 0);
    }

    /**
     * One lane.
     *
     * @param id its device's id
     * @param available false for a lane whose device failed, or builds programs while the job begins: what it is given goes to the others
     */
    public record LaneView(String id, boolean available) {}

    /** The lanes whose devices work; all of them if none does. */
    public LaneSet available() {
        LaneSet set = LaneSet.where(lanes.size(), i -> lanes.get(i).available());
        return set.isEmpty() ? LaneSet.all(lanes.size()) : set;
    }

    /** Units of the job, the last granule taken as full. */
    public double units() {
        return (double) granules * unitsPerGranule;
    }
}
