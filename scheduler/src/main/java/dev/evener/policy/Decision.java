package dev.evener.policy;

import java.util.ArrayList;
import java.util.List;

/**
 * Why a job was given to these lanes: the model in use, what was considered, and what it rested on.
 *
 * @param lanes what each lane is expected to take
 * @param considered the sets of lanes considered, the chosen one among them
 * @param chosen index into {@code considered}
 * @param reason one sentence for people, such as "least expected time"
 * @param exploredNanos what looks at other sets have cost so far
 * @param totalNanos what all jobs of the kind took so far
 */
public record Decision(
        List<Lane> lanes,
        List<Candidate> considered,
        int chosen,
        String reason,
        double exploredNanos,
        double totalNanos) {
    public Decision {
        lanes = List.copyOf(lanes);
        considered = List.copyOf(considered);
    }

    /** The same for a job that cannot be cut, and went to another lane, by the number of that. */
    Decision onto(int lane) {
        List<Lane> its = new ArrayList<>(lanes);
        its.replaceAll(each -> new Lane(
                each.device,
                each.fixedNanos,
                each.nanosPerUnit,
                each.doubt,
                each.chunks,
                "another one is done before it"));
        Lane on = lanes.get(lane);
        its.set(lane, new Lane(on.device, on.fixedNanos, on.nanosPerUnit, on.doubt, on.chunks, ""));
        List<Candidate> sets = new ArrayList<>(considered);
        List<String> alone = List.of(on.device);
        if (sets.stream().noneMatch(each -> each.devices.equals(alone))) {
            sets.add(new Candidate(alone, 0, 0, 1, 0));
        }
        int set = 0;
        while (!sets.get(set).devices.equals(alone)) {
            set++;
        }
        String why = "it cannot be cut: on the one that is done first, other jobs included";
        return new Decision(its, sets, set, why, exploredNanos, totalNanos);
    }

    /**
     * What one lane takes alone.
     *
     * @param device its id
     * @param fixedNanos for a chunk, whatever its size
     * @param nanosPerUnit for a unit; 0 while nothing is known
     * @param doubt of that, relative: a standard deviation
     * @param chunks how many were seen
     * @param leftOut why it has no share, or an empty text
     */
    public record Lane(
            String device, double fixedNanos, double nanosPerUnit, double doubt, long chunks, String leftOut) {}

    /**
     * One set of lanes.
     *
     * @param devices their ids, in lane order
     * @param predictedNanos predicted wall time of the job on exactly these; 0 if nothing is known
     * @param doubt relative standard deviation of that
     * @param contention how many times longer a unit takes there than on the lane alone
     * @param jobs how many ran on exactly these
     */
    public record Candidate(List<String> devices, long predictedNanos, double doubt, double contention, long jobs) {
        public Candidate {
            devices = List.copyOf(devices);
        }
    }
}
