package dev.evener.history;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.policy.Experience;
import dev.evener.policy.Snapshot.Cost;
import java.util.List;

/** Placeholder. */
public final class JobHistory {
    private final History history;
    private final History.Key[][] keys;

    JobHistory(History history, Job job, List<DeviceInfo> devices) {
        this.history = history;
        keys = new History.Key[job.phases().size()][devices.size()];
        for (int p = 0; p < keys.length; p++) {
            for (int lane = 0; lane < keys[p].length; lane++) {
                keys[p][lane] = History.Key.of(job.phases().get(p), devices.get(lane));
            }
        }
    }

    /** What is known. */
    public Experience experience(long units) {
        return Experience.NONE;
    }

    /** Cost. */
    public Cost cost(int phase, int lane, long company, long units) {
        return history.cost(keys[phase][lane]);
    }

    /** Learns. */
    public void learn(long company, long units, long wallNanos, long[][] laneUnits, long[][] laneBusyNanos) {
        for (int p = 0; p < keys.length; p++) {
            for (int lane = 0; lane < keys[p].length; lane++) {
                if (laneUnits[p][lane] > 0) {
                    history.record(keys[p][lane], laneUnits[p][lane], laneBusyNanos[p][lane]);
                }
            }
        }
    }
}
