package dev.evener.policy;

import java.util.List;
import java.util.Map;

/**
 * What a policy sees when a job starts.
 *
 * @param granules how many granules there are to share
 * @param unitsPerGranule units in each of them (the last may be short)
 * @param lanes the lanes in use, at least one
 * @param model what is known of such jobs on these lanes, and for how long these are at work for other jobs first
 * @param waiting other jobs that wait for lanes, and for nothing else
 * @param coming other jobs of the same stream, before this one or behind it, waiting or not: where there are any, what counts is how soon
 *     all of them are done ({@link dev.evener.Job#before})
 * @param job its number among those of its Evener, from 1 in the order of submission; 0 while nobody has submitted it
 * @param data where its data lie
 */
public record Snapshot(
        long granules,
        long unitsPerGranule,
        List<LaneView> lanes,
        CostModel model,
        int waiting,
        int coming,
        long job,
        Placement data) {
    public Snapshot {
        lanes = List.copyOf(lanes);
    }

    /** For a job without a number, whose data are wherever a lane needs them. */
    public Snapshot(long granules, long unitsPerGranule, List<LaneView> lanes, CostModel model, int waiting) {
        this(granules, unitsPerGranule, lanes, model, waiting, 0, 0, (lane, first, count) -> Move.NOTHING);
    }

    /**
     * One lane.
     *
     * @param id its device's id
     * @param available false for a lane whose device failed, or builds programs while the job begins: what it is given goes to the others
     * @param freeNanos how long it is expected to work for other jobs before it is free for this one; where nobody knows, as long again
     *     as it has been at work for them
     * @param jobs how many other jobs it has before it, at least 0: with any, it is busy, however little is known of them
     * @param power what its device draws, where somebody has told ({@link Power#telling})
     */
    public record LaneView(String id, boolean available, double freeNanos, int jobs, Power power) {
        /** One with nothing else to do. */
        public LaneView(String id, boolean available) {
            this(id, available, 0, 0);
        }

        /** One of whose power nothing is known. */
        public LaneView(String id, boolean available, double freeNanos, int jobs) {
            this(id, available, freeNanos, jobs, Power.UNKNOWN);
        }
    }

    /** Where the data of a job lie; asked now, as they may move meanwhile. */
    @FunctionalInterface
    public interface Placement {
        /**
         * What the job's first phase reads for some granules and would have to be brought to where a lane works: to
         * its device's memory, or the host's. Takes time by the number of buffers and of pieces in which they lie
         * about.
         *
         * @param lane the lane
         * @param first granule
         * @param count how many granules
         */
        Move move(int lane, long first, long count);

        /** How many bytes that are. */
        default long missingBytes(int lane, long first, long count) {
            return (long) move(lane, first, count).bytes();
        }
    }

    /**
     * Data that would be brought to where a lane works.
     *
     * @param bytes how many
     * @param onceBytes of these, what stays there for the jobs to come, in managed buffers. What an application may
     *     write at any time is sent for every job, and is a part of what the {@link CostModel} says of chunks.
     * @param perJobBytes the same, that of each buffer spread over the jobs to come on it: as many as there were, the
     *     usual guess
     */
    public record Move(double bytes, double onceBytes, double perJobBytes) {
        /** All is where it is needed. */
        public static final Move NOTHING = new Move(0, 0, 0);
    }

    /** The lanes whose devices work; all of them if none does. */
    public LaneSet available() {
        LaneSet set = LaneSet.where(lanes.size(), i -> lanes.get(i).available());
        return set.isEmpty() ? LaneSet.all(lanes.size()) : set;
    }

    /** The same, with what devices draw by their ids. */
    Snapshot drawing(Map<String, Power> devices) {
        List<LaneView> views = lanes.stream()
                .map(lane -> new LaneView(
                        lane.id, lane.available, lane.freeNanos, lane.jobs, devices.getOrDefault(lane.id, lane.power)))
                .toList();
        return new Snapshot(granules, unitsPerGranule, views, model, waiting, coming, job, data);
    }

    /** Units of the job, the last granule taken as full. */
    public double units() {
        return (double) granules * unitsPerGranule;
    }
}
