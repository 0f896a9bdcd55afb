package dev.evener.policy;

import java.util.List;

/**
 * Why a job was given to these lanes: what was considered, and what it rested on.
 *
 * @param considered the sets of lanes considered, the chosen one among them
 * @param chosen index into {@code considered}
 * @param reason one sentence for people, such as "measured fastest" or "first run: nothing is known yet"
 */
public record Decision(List<Candidate> considered, int chosen, String reason) {
    public Decision {
        considered = List.copyOf(considered);
    }

    /**
     * One set of lanes.
     *
     * @param devices their ids, in lane order
     * @param predictedNanos predicted wall time of the job on exactly these; 0 if nothing is known
     * @param spread relative spread of the observations behind it; 0 with fewer than two
     * @param samples how many jobs of about this size ran on exactly these; 0 for a prediction from each device's own costs
     * @param probed whether it rests, for some device, on no more than what that was {@linkplain dev.evener.DeviceProbe measured}
     *     to do apart from any job
     */
    public record Candidate(List<String> devices, long predictedNanos, double spread, long samples, boolean probed) {
        public Candidate {
            devices = List.copyOf(devices);
        }
    }
}
