package dev.evener.internal.recovery;

import static dev.evener.internal.recovery.LaneFaults.named;
import static dev.evener.internal.recovery.LaneFaults.reason;

import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;

/**
 * What becomes of a job when one of its lanes fails: the others take over, or the lane goes on with less, or the job fails.
 *
 * <p>Called by the lane that failed, on its own thread, and by the watchdog for a lane that it has taken a chunk from; several
 * lanes may fail at once. Holds no state and no lock: who is left is counted by {@link LaneFaults}, what was not done goes
 * back to the {@link OpenPhase}.
 */
public final class Recovery {
    private final RecoverableJob job;
    private final RecoverableLane[] lanes;
    private final LaneFaults faults;

    /** @param faults of the job */
    public Recovery(RecoverableJob job, RecoverableLane[] lanes, LaneFaults faults) {
        this.job = job;
        this.lanes = lanes;
        this.faults = faults;
    }

    /**
     * A lane is out of the job.
     *
     * @param with what it was to run or to build
     * @param range what it held and did not do, or {@link ChunkTicket#NONE}
     */
    public void laneFailed(RecoverableLane lane, OpenPhase in, JobSpec.Phase with, long range, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        Throwable described = faults.onDevice(lane.device(), cause);
        if (endsTheJob(kind, described)) {
            return;
        }
        long inOnePiece = job.form().unitsInOnePiece();
        if (kind == LaneFailure.Kind.BUILD) {
            lane.health().declareUnfit(with, 0);
        } else if (kind == LaneFailure.Kind.MEMORY && inOnePiece > 0) { // others may have less memory still
            lane.health().declareUnfit(with, inOnePiece);
        } else {
            lane.health().quarantine(reason(cause));
        }
        if (!job.form().canBeginAgain(in.number())) {
            goOnWithout(lane, in, range, described, reason(cause));
        } else if (kind == LaneFailure.Kind.BUILD || kind == LaneFailure.Kind.MEMORY) { // the form was too much for it
            faults.note(
                    lane,
                    named(lane.device()) + " could not run the job's form for one device and goes on without: "
                            + reason(cause));
            job.beginAgain(lane);
        } else {
            faults.lose(lane, described, reason(cause));
            if (!leavesNone(described)) {
                job.beginAgain(lane);
            }
        }
    }

    /** A lane could not build a job that was to be built and not run. */
    public void doesNotBuild(RecoverableLane lane, JobSpec.Phase phase, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        Throwable described = faults.onDevice(lane.device(), cause);
        if (endsTheJob(kind, described)) {
            return;
        }
        if (kind == LaneFailure.Kind.BUILD) {
            lane.health().declareUnfit(phase, 0);
        } else {
            lane.health().quarantine(reason(cause));
        }
        faults.lose(lane, described, reason(cause));
        leavesNone(described);
    }

    /** Whether a failure is the job's own, or nobody may go on without the lane; the job has failed then. */
    private boolean endsTheJob(LaneFailure.Kind kind, Throwable described) {
        boolean ends = kind == LaneFailure.Kind.DECLARATION || !job.recovers();
        if (ends) {
            job.fail(described);
        }
        return ends;
    }

    /** A chunk was taken from a lane that did not answer, and the lane is out of the job. On the watchdog. */
    void laneHangs(RecoverableLane lane, OpenPhase in, long range, String reason) {
        lane.health().hangs(reason);
        Throwable described = faults.onDevice(lane.device(), new LaneFailure(LaneFailure.Kind.DEVICE, reason));
        if (job.recovers()) {
            goOnWithout(lane, in, range, described, reason);
        } else {
            lane.setUsable(false);
            job.fail(described);
        }
    }

    private void goOnWithout(RecoverableLane lane, OpenPhase in, long range, Throwable described, String reason) {
        faults.lose(lane, described, reason);
        in.degrade();
        if (range != ChunkTicket.NONE) {
            in.giveBack(range);
        }
        if (!leavesNone(described) && leaveToThoseThatCan(described)) {
            job.callOthers(lane);
        }
    }

    /** Counts a lane out; true if it was the last one, and the job has failed. */
    private boolean leavesNone(Throwable described) {
        Throwable end = faults.countOut(described);
        if (end != null) {
            job.fail(end);
        }
        return end != null;
    }

    /** What is half done in one piece goes to lanes alone that can run it so. False if there is none. */
    private boolean leaveToThoseThatCan(Throwable described) {
        for (RecoverableLane lane : lanes) {
            if (lane.usable() && !job.form().fits(lane)) {
                faults.note(lane, named(lane.device()) + " was left out: it cannot run the job's form for one device");
                lane.setUsable(false);
                if (leavesNone(described)) {
                    return false;
                }
            }
        }
        return true;
    }

    // ---- what no lane is lost by, or all of the job ----

    /** A lane had too little memory for a chunk and goes on with smaller ones, in units. */
    public void noteShrunk(RecoverableLane lane, long from, long to, Throwable cause) {
        faults.note(
                lane,
                named(lane.device()) + " could not hold a chunk of " + from + " units and goes on with at most " + to
                        + ": " + reason(cause));
    }

    /** Something went wrong on a lane that costs nothing but figures. */
    public void note(RecoverableLane lane, Throwable cause) {
        faults.note(lane, named(lane.device()) + ": " + reason(cause));
    }

    /** A chunk failed after it may have overwritten part of what it began with. */
    public void halfUpdated(RecoverableLane lane, OpenPhase in, Throwable cause) {
        lane.health().quarantine(reason(cause));
        job.fail(new EvenerException(
                "job '" + job.name() + "' failed on " + named(lane.device()) + " while kernel "
                        + in.phase().kernel()
                        + " updated a buffer in place, which may be half updated now: refill it before you submit again,"
                        + " or leave out unprotected(): " + reason(cause),
                cause));
    }

    /** A failure of the host, after which nothing is run again: a result was lost, or the lane's thread met an error. */
    public void fatal(RecoverableLane lane, Throwable cause) {
        job.fail(faults.onDevice(lane.device(), cause));
    }
}
