package dev.evener.internal.run;

import static dev.evener.internal.run.LaneFaults.named;
import static dev.evener.internal.run.LaneFaults.reason;

import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import dev.evener.internal.recovery.LaneFailure;

/**
 * What becomes of a job when one of its lanes fails: the others take over, or the lane goes on with less, or the job fails.
 *
 * <p>Called by the lane that failed, on its own thread, and by the watchdog for a lane that it has taken a chunk from; several
 * lanes may fail at once. Holds no state and no lock: who is left is counted by {@link LaneFaults}, what was not done goes
 * back through the {@link ChunkPool}. Only {@link #fallBack} changes how the job is cut, and then no other lane works for it.
 */
final class Recovery {
    private final JobRun run;
    private final JobSpec declared; // as it was submitted
    private final Participant[] lanes;
    private final JobCut cut;
    private final LaneFaults faults;

    Recovery(JobRun run, JobSpec declared, Participant[] lanes, JobCut cut, LaneFaults faults) {
        this.run = run;
        this.declared = declared;
        this.lanes = lanes;
        this.cut = cut;
        this.faults = faults;
    }

    /**
     * A lane is out of the job.
     *
     * @param with what it was to run or to build
     * @param range what it held and did not do, or {@link ChunkPool#NONE}
     */
    void laneFailed(Participant lane, PhaseRun in, JobSpec.Phase with, long range, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        Throwable described = faults.onDevice(lane.device(), cause);
        if (endsTheJob(kind, described)) {
            return;
        }
        if (kind == LaneFailure.Kind.BUILD) {
            lane.worker().declareUnfit(with);
        } else if (kind == LaneFailure.Kind.MEMORY && cut.form().isAlone()) {
            // In one piece; others may have less memory still.
            lane.worker().declareUnfit(with, cut.form().job().units());
        } else {
            lane.worker().quarantine(reason(cause));
        }
        if (cut.form().isAlone() && (in.number() == 0 || cut.form().leavesInputsOf(declared))) {
            fallBack(lane, kind, described, reason(cause));
        } else {
            goOnWithout(lane, in, range, described, reason(cause));
        }
    }

    /** A lane could not build a job that was to be built and not run. */
    void doesNotBuild(Participant lane, JobSpec.Phase phase, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        Throwable described = faults.onDevice(lane.device(), cause);
        if (endsTheJob(kind, described)) {
            return;
        }
        if (kind == LaneFailure.Kind.BUILD) {
            lane.worker().declareUnfit(phase);
        } else {
            lane.worker().quarantine(reason(cause));
        }
        faults.lose(lane, described, reason(cause));
        leavesNone(described);
    }

    /** Whether a failure is the job's own, or nobody may go on without the lane; the job has failed then. */
    private boolean endsTheJob(LaneFailure.Kind kind, Throwable described) {
        boolean ends = kind == LaneFailure.Kind.DECLARATION || !run.recovers();
        if (ends) {
            run.fail(described);
        }
        return ends;
    }

    /** A chunk was taken from a lane that did not answer, and the lane is out of the job. On the watchdog. */
    void laneHangs(Participant lane, PhaseRun in, long range, String reason) {
        lane.worker().declareHanging();
        lane.worker().quarantine(reason);
        Throwable described = faults.onDevice(lane.device(), new LaneFailure(LaneFailure.Kind.DEVICE, reason));
        if (run.recovers()) {
            goOnWithout(lane, in, range, described, reason);
        } else {
            lane.retire();
            run.fail(described);
        }
    }

    /**
     * The form for one lane failed, and all that the job begins with is as it was. It begins again as it was declared; with
     * this lane, if only the form was too much for it. On that lane's thread, while no other works for the job.
     */
    private void fallBack(Participant lane, LaneFailure.Kind kind, Throwable described, String reason) {
        cut.leaveForm();
        lane.restart();
        run.progressRestarts();
        if (kind == LaneFailure.Kind.BUILD || kind == LaneFailure.Kind.MEMORY) {
            faults.note(
                    lane,
                    named(lane.device()) + " could not run the job's form for one device and goes on without: "
                            + reason);
        } else {
            faults.lose(lane, described, reason);
            if (leavesNone(described)) {
                return;
            }
        }
        for (Participant each : lanes) {
            each.deactivate();
        }
        try {
            cut.cut();
            run.openPhase(0, lane);
        } catch (Throwable e) { // policies may be user code
            run.fail(new EvenerException("job '" + declared.name() + "': cutting it failed: " + e, e));
        }
    }

    private void goOnWithout(Participant lane, PhaseRun in, long range, Throwable described, String reason) {
        faults.lose(lane, described, reason);
        in.degrade();
        if (range != ChunkPool.NONE) {
            in.giveBack(range);
        }
        if (leavesNone(described) || (cut.form().isAlone() && !leaveToThoseThatCan(described))) {
            return;
        }
        run.draftAll();
        run.callAll(lane);
    }

    /** Counts a lane out; true if it was the last one, and the job has failed. */
    private boolean leavesNone(Throwable described) {
        Throwable end = faults.countOut(described);
        if (end != null) {
            run.fail(end);
        }
        return end != null;
    }

    /** The form for one lane was half done: only lanes that can run it in one piece may go on. False if there is none. */
    private boolean leaveToThoseThatCan(Throwable described) {
        for (Participant lane : lanes) {
            if (lane.usable() && !cut.form().fits(lane.worker(), run.protectsUpdates())) {
                faults.note(lane, named(lane.device()) + " was left out: it cannot run the job's form for one device");
                lane.retire();
                if (leavesNone(described)) {
                    return false;
                }
            }
        }
        return true;
    }

    // ---- what no lane is lost by, or all of the job ----

    /** A lane had too little memory for a chunk and goes on with smaller ones. */
    void noteShrunk(Participant lane, PhaseRun in, int from, int to, Throwable cause) {
        faults.note(
                lane,
                named(lane.device()) + " could not hold a chunk of " + from * in.unitsPerGranule()
                        + " units and goes on with at most " + to * in.unitsPerGranule() + ": " + reason(cause));
    }

    /** Something went wrong on a lane that costs nothing but figures. */
    void note(Participant lane, Throwable cause) {
        faults.note(lane, named(lane.device()) + ": " + reason(cause));
    }

    /** A chunk failed after it may have overwritten part of what it began with. */
    void halfUpdated(Participant lane, PhaseRun in, Throwable cause) {
        lane.worker().quarantine(reason(cause));
        run.fail(new EvenerException(
                "job '" + declared.name() + "' failed on " + named(lane.device()) + " while kernel "
                        + in.phase().kernel()
                        + " updated a buffer in place, which may be half updated now: refill it before you submit again,"
                        + " or leave out unprotected(): " + reason(cause),
                cause));
    }

    /** What a lane's chunk computed could not become part of the result: a failure of the host, and nothing is run again. */
    void lostResult(Participant lane, Throwable cause) {
        run.fail(faults.onDevice(lane.device(), cause));
    }
}
