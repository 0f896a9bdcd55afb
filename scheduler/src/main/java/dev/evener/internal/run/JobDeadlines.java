package dev.evener.internal.run;

import dev.evener.EvenerException;
import dev.evener.internal.recovery.Limits;
import dev.evener.internal.recovery.Watchdog;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one job: that of the job as a whole, and that of each chunk.
 *
 * <p>Begun by the thread that submits the job and by the dispatcher, then on the watchdog, and ended by whoever ends the job.
 * The watchdog takes a chunk from its lane by the lane's ticket ({@link Participant#revoke}), which the lane claims before
 * it counts the chunk: one of them gets it. Before that it {@linkplain JobRun#hold holds} the job's buffers for the lane, which
 * may touch them until it comes back.
 */
final class JobDeadlines {
    private final JobRun run;
    private final Limits limits;
    private final Watchdog watchdog;
    private final Participant[] lanes;
    private final Recovery recovery;
    private volatile @Nullable Future<?> deadlineTask;
    private volatile @Nullable Future<?> chunkTask;

    JobDeadlines(JobRun run, Limits limits, Watchdog watchdog, Participant[] lanes, Recovery recovery) {
        this.run = run;
        this.limits = limits;
        this.watchdog = watchdog;
        this.lanes = lanes;
        this.recovery = recovery;
    }

    /** The job is submitted. */
    void watchJob() {
        Duration deadline = limits.deadline();
        if (deadline != null) {
            deadlineTask = watchdog.after(deadline, () -> deadlinePassed(deadline));
        }
    }

    /** Its lanes are about to be called. */
    void watchChunks() {
        Duration chunkDeadline = limits.chunkDeadline();
        if (chunkDeadline != null) {
            chunkTask = watchdog.every(chunkDeadline.dividedBy(8), () -> revokeOverdue(chunkDeadline));
        }
    }

    /** It has ended. */
    void cancel() {
        Watchdog.cancel(chunkTask);
        Watchdog.cancel(deadlineTask);
    }

    // ---- chunks ----

    /** Takes chunks from lanes that have had them for too long. */
    private void revokeOverdue(Duration chunkDeadline) {
        // Before the phase is read: a chunk that ran then, and still does when it is revoked, belongs to that phase.
        long startedBefore = run.now() - chunkDeadline.toNanos();
        PhaseRun open = run.phase();
        if (open == null || run.isFinished()) {
            return;
        }
        for (Participant lane : lanes) {
            long range = revoke(lane, startedBefore);
            if (range != ChunkPool.NONE) {
                String reason = "a chunk of kernel " + open.phase().kernel() + " was not done after "
                        + chunkDeadline.toMillis() + " ms";
                recovery.laneHangs(lane, open, range, reason);
                run.leave(lane.countOut());
            }
        }
    }

    /** Takes a chunk from a lane; if that succeeds, the buffers are held until the lane comes back. */
    private long revoke(Participant lane, long startedBefore) {
        if (!lane.overdue(startedBefore)) {
            // Nearly always. If it is late already, this must not take away its claim to be waited for.
            return ChunkPool.NONE;
        }
        run.hold();
        lane.expectLate(); // before the chunk is taken away: the lane may come back the moment after
        long range = lane.revoke(startedBefore);
        if (range == ChunkPool.NONE && lane.cameLate()) {
            run.letGo();
        }
        return range;
    }

    // ---- the job as a whole ----

    /** The job as a whole took too long. */
    private void deadlinePassed(Duration deadline) {
        if (run.isFinished()) {
            return;
        }
        run.noticeCancelling(); // a cancelled job has ended for its caller, but not for the lanes that it holds
        run.fail(new EvenerException("job '" + run.name() + "' was not done after its deadline of "
                + deadline.toMillis() + " ms" + (run.isStarted() ? "" : "; it was still waiting for its devices")));
        if (!run.isStarted()) {
            run.abandon(); // it ends without having run as soon as the dispatcher comes to it
        } else {
            Duration grace = deadline.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : deadline;
            deadlineTask = watchdog.after(grace, this::giveUpOnLanes);
        }
    }

    /**
     * Lanes that did not come back from a job that has failed are taken for hung, be it in a chunk, in the compiler or in a
     * host step.
     */
    private void giveUpOnLanes() {
        for (Participant lane : lanes) {
            if (!run.isFinished() && lane.present()) {
                giveUpOn(lane);
            }
        }
    }

    private void giveUpOn(Participant lane) {
        run.hold();
        lane.expectLate();
        lane.revoke(run.now());
        int calls = lane.countOut();
        if (calls == 0) { // it left just now
            if (lane.cameLate()) {
                run.letGo();
            }
            return;
        }
        String reason = "it did not come back after the deadline of job '" + run.name() + "'";
        lane.worker().declareHanging();
        lane.worker().quarantine(reason);
        lane.retire();
        run.fail(new EvenerException(LaneFaults.named(lane.device()) + ": " + reason
                + (run.fenced() ? "" : " and may still write to the job's buffers")));
        run.leave(calls);
    }
}
