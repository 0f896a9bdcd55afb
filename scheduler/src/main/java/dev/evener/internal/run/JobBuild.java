package dev.evener.internal.run;

import dev.evener.DeviceKind;
import dev.evener.internal.JobSpec;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What comes before a job is cut and its clock starts: every lane that may take part builds what it has not built yet, the job's
 * form for one lane included, all at the same time and each on its own thread. Where everything is built nobody is called.
 *
 * <p>What does not build is no matter here: a lane that is then given a share of the job says so itself when it begins with it
 * ({@link Participant#begin}). Only of a job that is built and not run are the {@linkplain #refusals failures kept}.
 *
 * <p>{@link #begin} is called by the dispatcher before any lane is called, {@link #build} and {@link #done} by lanes.
 */
final class JobBuild {
    private static final Logger LOG = LoggerFactory.getLogger(JobBuild.class);

    private final JobRun run;
    private final JobSpec declared;
    private final @Nullable JobSpec alone;
    private final boolean runsNothing;
    private final Participant[] lanes;
    private final AtomicInteger unfinished = new AtomicInteger();
    private final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();

    /** A lane cannot run the job as it was declared. */
    record Refusal(Participant lane, JobSpec.Phase phase, Throwable cause) {}

    /**
     * @param fenced whether chunks may be taken from lanes that run them, and so no lane takes the form for one
     * @param runsNothing whether the job is built and not run: all lanes are asked, so that those which have built it check it
     */
    JobBuild(JobRun run, JobSpec declared, Participant[] lanes, boolean fenced, boolean runsNothing) {
        this.run = run;
        this.declared = declared;
        this.alone = fenced ? null : declared.alone();
        this.lanes = lanes;
        this.runsNothing = runsNothing;
    }

    /** Whether the job is built and not run. */
    boolean runsNothing() {
        return runsNothing;
    }

    /** Finds the lanes that have something to build, and notes it with them. */
    int begin() {
        int count = 0;
        for (Participant lane : lanes) {
            LaneWorker worker = lane.worker();
            if (worker.quarantined() == null && !isUnfit(worker) && (runsNothing || !isBuilt(worker))) {
                lane.askToBuild();
                count++;
            }
        }
        if (count == 0 && runsNothing) { // as when it is run: better those than none
            for (Participant lane : lanes) {
                if (!lane.worker().hangs()) {
                    lane.askToBuild();
                    count++;
                }
            }
        }
        unfinished.set(count);
        return count;
    }

    private boolean isUnfit(LaneWorker worker) {
        for (JobSpec.Phase phase : declared.phases()) {
            if (worker.cannotRun(phase)) {
                return true;
            }
        }
        return false;
    }

    private boolean isBuilt(LaneWorker worker) {
        return isBuilt(worker, declared) && (alone == null || isBuilt(worker, alone));
    }

    private static boolean isBuilt(LaneWorker worker, JobSpec form) {
        for (JobSpec.Phase phase : form.phases()) {
            if (!worker.lane().isBuilt(phase)) {
                return false;
            }
        }
        return true;
    }

    /** Builds all that a lane may run of the job, on its thread. */
    void build(Participant lane) {
        build(lane, declared, runsNothing);
        if (alone != null && isWrittenFor(lane.device().kind(), alone)) {
            build(lane, alone, false); // the job can do without
        }
    }

    private void build(Participant lane, JobSpec form, boolean keepFailure) {
        for (JobSpec.Phase phase : form.phases()) {
            if (run.stopped()) {
                return;
            }
            try {
                lane.worker().lane().build(phase);
            } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
                LOG.debug("job '{}': {} could not build: {}", declared.name(), LaneFaults.named(lane.device()), e);
                if (keepFailure) {
                    refusals.add(new Refusal(lane, phase, e));
                }
                return;
            }
        }
    }

    private static boolean isWrittenFor(DeviceKind kind, JobSpec form) {
        return form.phases().stream().allMatch(p -> kind == DeviceKind.JVM ? p.jvm() != null : p.source() != null);
    }

    /** A lane has built what it could; true for the one that was the last. */
    boolean done() {
        return unfinished.decrementAndGet() == 0;
    }

    /** The lanes that could not, of a job that is not run. */
    Queue<Refusal> refusals() {
        return refusals;
    }
}
