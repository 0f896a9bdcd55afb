package dev.evener.workloads.view;

import dev.evener.event.RunEvent;
import dev.evener.event.RunEvent.Chunk;
import dev.evener.event.RunEvent.Ended;
import dev.evener.event.RunEvent.Fault;
import dev.evener.event.RunEvent.Moved;
import dev.evener.event.RunEvent.PhaseEnded;
import dev.evener.event.RunEvent.Planned;
import dev.evener.event.RunEvent.Stolen;
import dev.evener.event.RunEvent.Submitted;
import dev.evener.event.RunEvent.Waited;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * All events of one job, sorted out: what traces, charts and tables are made from. Devices are numbers, as in the events; one
 * that the run does not know has no place here. Immutable once made.
 */
final class JobEvents {
    final Submitted submitted;
    private final int devices;
    final List<Chunk> chunks = new ArrayList<>();
    final List<Stolen> steals = new ArrayList<>();
    final List<PhaseEnded> phases = new ArrayList<>();
    final List<Moved> moves = new ArrayList<>();
    final List<Fault> faults = new ArrayList<>();

    /** The last: a job that began again was planned again. */
    @Nullable
    Planned planned;

    /** Null if it waited for no earlier one. */
    @Nullable
    Waited waited;

    private long begin;
    private @Nullable Ended ended;

    private JobEvents(Submitted submitted, int devices) {
        this.submitted = submitted;
        this.devices = devices;
        this.begin = submitted.at();
    }

    /** The jobs of a run in order of submission, without those that were submitted before it began. */
    static List<JobEvents> of(RunEvents run) {
        Map<Long, JobEvents> jobs = new LinkedHashMap<>();
        for (RunEvent event : run.events()) {
            if (event instanceof Submitted submitted) {
                jobs.putIfAbsent(
                        event.job(), new JobEvents(submitted, run.devices().size()));
            }
        }
        for (RunEvent event : run.events()) {
            JobEvents job = jobs.get(event.job());
            if (job != null) {
                job.add(event);
            }
        }
        return List.copyOf(jobs.values());
    }

    private void add(RunEvent event) {
        if (event instanceof Chunk chunk && known(chunk.device())) {
            chunks.add(chunk);
        } else if (event instanceof Stolen stolen && known(stolen.thief()) && known(stolen.victim())) {
            steals.add(stolen);
        } else if (event instanceof PhaseEnded phase) {
            phases.add(phase);
        } else if (event instanceof Moved moved && known(moved.device())) {
            moves.add(moved);
        } else if (event instanceof Fault fault && known(fault.device())) {
            faults.add(fault);
        } else if (event instanceof Waited wait) {
            waited = wait;
        } else if (event instanceof Planned plan) {
            begin = planned == null ? plan.at() : begin;
            planned = plan;
        } else if (event instanceof Ended end) {
            ended = end;
        }
    }

    private boolean known(int device) {
        return device >= 0 && device < devices;
    }

    long number() {
        return submitted.job();
    }

    /** Why it failed, or that it did not end while this was recorded; null if its result became complete. */
    @Nullable
    String failure() {
        return ended == null ? "did not end while this was recorded" : ended.failure();
    }

    /** Whether it failed, and was not merely still running. */
    boolean failed() {
        return ended != null && ended.failure() != null;
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
        return begin;
    }

    /** When the last thing happened to it. */
    long end() {
        long end = ended == null ? begin : ended.at();
        return chunks.stream().mapToLong(Chunk::end).reduce(end, Math::max);
    }

    /** Time at work. */
    static long busy(Chunk chunk) {
        return Math.max(0, chunk.end() - chunk.start());
    }

    /** What a figure of a device's chunks amounts to. */
    double sum(int device, ToDoubleFunction<Chunk> figure) {
        return chunks.stream()
                .filter(c -> c.device() == device)
                .mapToDouble(figure)
                .sum();
    }

    /** Part of the units that each device did, 0 to 1, over all phases. */
    double[] shares() {
        double[] done = new double[devices];
        double all = chunks.stream().mapToDouble(Chunk::units).sum();
        chunks.forEach(c -> done[c.device()] += c.units() / all);
        return done;
    }

    /** Part of the units that the plan gave each device, 0 to 1; empty without a plan that says so. */
    double[] plannedShares() {
        List<Integer> lanes = submitted.devices();
        List<Long> units = planned == null ? List.of() : planned.shares();
        double all = units.stream().mapToDouble(Long::doubleValue).sum();
        if (units.size() != lanes.size() || all <= 0) {
            return new double[0];
        }
        double[] shares = new double[devices];
        for (int i = 0; i < lanes.size(); i++) {
            if (known(lanes.get(i))) {
                shares[lanes.get(i)] = units.get(i) / all;
            }
        }
        return shares;
    }

    /** From the first device that was done to the last, of those that worked at all; 0 if none did. */
    long finishGap() {
        Map<Integer, Long> last = new LinkedHashMap<>();
        chunks.forEach(c -> last.merge(c.device(), c.end(), Math::max));
        return last.isEmpty() ? 0 : Collections.max(last.values()) - Collections.min(last.values());
    }

    /** Busy time of all devices that it might use, as a part of what they had, 0 to 1; 0 if it has not ended. */
    double efficiency() {
        double wall = (double) wallNanos() * submitted.devices().size();
        LongStream busy = chunks.stream().mapToLong(JobEvents::busy);
        return wall <= 0 ? 0 : Math.min(1, busy.sum() / wall);
    }
}
