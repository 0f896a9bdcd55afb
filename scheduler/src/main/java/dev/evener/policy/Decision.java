package dev.evener.policy;

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
