package dev.evener.workloads.view;

import dev.evener.RunEvent;
import dev.evener.RunEvent.Chunk;
import dev.evener.RunEvent.Ended;
import dev.evener.RunEvent.Fault;
import dev.evener.RunEvent.PhaseEnded;
import dev.evener.RunEvent.Planned;
import dev.evener.RunEvent.Stolen;
import dev.evener.RunEvent.Submitted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All events of one job, sorted out. Not thread-safe. */
final class JobStory {
    private final Submitted submitted;
    private final List<Chunk> chunks = new ArrayList<>();
    private final List<Stolen> steals = new ArrayList<>();
    private final List<PhaseEnded> phases = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private @Nullable Planned planned; // the last: a job that began again was planned again
    private long begin;
    private @Nullable Ended ended;

    private JobStory(Submitted submitted) {
        this.submitted = submitted;
    }

    /** The jobs of a run in order of submission, without those that were submitted before it began. */
    static List<JobStory> all(RunEvents run) {
        Map<Long, JobStory> jobs = new LinkedHashMap<>();
        for (RunEvent event : run.events()) {
            if (event instanceof Submitted submitted) {
                jobs.putIfAbsent(event.job(), new JobStory(submitted));
            }
        }
        for (RunEvent event : run.events()) {
            JobStory job = jobs.get(event.job());
            if (job != null) {
                job.add(event, run.devices().size());
            }
        }
        return List.copyOf(jobs.values());
    }

    /** A device that the run does not know has no place in it. */
    private void add(RunEvent event, int devices) {
        if (event instanceof Chunk chunk && known(chunk.device(), devices)) {
            chunks.add(chunk);
        } else if (event instanceof Stolen stolen
                && known(stolen.thief(), devices)
                && known(stolen.victim(), devices)) {
            steals.add(stolen);
        } else if (event instanceof PhaseEnded phase) {
            phases.add(phase);
        } else if (event instanceof Fault fault && known(fault.device(), devices)) {
            faults.add(fault);
        } else if (event instanceof Planned plan) {
            begin = planned == null ? plan.at() : begin;
            planned = plan;
        } else if (event instanceof Ended end) {
            ended = end;
        }
    }

    private static boolean known(int device, int devices) {
        return device >= 0 && device < devices;
    }

    Submitted submitted() {
        return submitted;
    }

    List<Chunk> chunks() {
        return chunks;
    }

    List<Stolen> steals() {
        return steals;
    }

    List<PhaseEnded> phases() {
        return phases;
    }

    List<Fault> faults() {
        return faults;
    }

    @Nullable
    Planned planned() {
        return planned;
    }

    @Nullable
    Ended ended() {
        return ended;
    }

    /** Whether its result became complete. */
    boolean succeeded() {
        return ended != null && ended.failure() == null;
    }

    /** Wall time; 0 if it has not ended. */
    long wallNanos() {
        return ended == null ? 0 : ended.wallNanos();
    }

    /** Wall time predicted; 0 if nothing was. */
    long predictedNanos() {
        return planned == null ? 0 : planned.predicted();
    }

    /** Wall time over the prediction, less 1; NaN if nothing was predicted. */
    double predictionError() {
        return predictedNanos() > 0 && wallNanos() > 0 ? (double) wallNanos() / predictedNanos() - 1 : Double.NaN;
    }

    /** When it had its devices; when it was submitted, if it never got them. */
    long begin() {
        return planned == null ? submitted.at() : begin;
    }

    /** When the last thing happened to it. */
    long end() {
        long end = ended == null ? begin() : ended.at();
        for (Chunk chunk : chunks) {
            end = Math.max(end, chunk.end());
        }
        return end;
    }

    /** Time at work of each device. */
    long[] busy(int devices) {
        long[] busy = new long[devices];
        chunks.forEach(c -> busy[c.device()] += Math.max(0, c.end() - c.start()));
        return busy;
    }

    /** Part of the units that each device did, 0 to 1, over all phases. */
    double[] shares(int devices) {
        double[] done = new double[devices];
        double all = 0;
        for (Chunk chunk : chunks) {
            done[chunk.device()] += chunk.units();
            all += chunk.units();
        }
        for (int i = 0; i < devices && all > 0; i++) {
            done[i] /= all;
        }
        return done;
    }

    /** Part of the units that the plan gave each device, 0 to 1; null without a plan that says so. */
    double @Nullable [] plannedShares(int devices) {
        if (planned == null || planned.shares().size() != submitted.devices().size()) {
            return null;
        }
        double all = sum(planned.shares());
        if (all <= 0) {
            return null;
        }
        double[] shares = new double[devices];
        for (int i = 0; i < planned.shares().size(); i++) {
            int device = submitted.devices().get(i);
            if (known(device, devices)) {
                shares[device] = planned.shares().get(i) / all;
            }
        }
        return shares;
    }

    private static double sum(Collection<Long> values) {
        return values.stream().mapToDouble(Long::doubleValue).sum();
    }

    /**
     * From the first device that was done to the last, of those that worked at all, in nanoseconds; 0 if fewer than two did.
     */
    long finishGap(int devices) {
        long[] last = new long[devices];
        boolean[] worked = new boolean[devices];
        for (Chunk chunk : chunks) {
            int device = chunk.device();
            last[device] = worked[device] ? Math.max(last[device], chunk.end()) : chunk.end();
            worked[device] = true;
        }
        long first = Long.MAX_VALUE;
        long latest = Long.MIN_VALUE;
        int count = 0;
        for (int i = 0; i < devices; i++) {
            if (worked[i]) {
                first = Math.min(first, last[i]);
                latest = Math.max(latest, last[i]);
                count++;
            }
        }
        return count < 2 ? 0 : latest - first;
    }

    /** Busy time of all devices that it might use, as a part of what they had, 0 to 1; 0 if it has not ended. */
    double efficiency(int devices) {
        double wall = (double) wallNanos() * submitted.devices().size();
        double busy = 0;
        for (long each : busy(devices)) {
            busy += each;
        }
        return wall <= 0 ? 0 : Math.min(1, busy / wall);
    }
}
