package dev.evener.internal.recovery;

import dev.evener.EvenerException;
import java.time.Duration;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one job: that of the job as a whole, from its submission, and that of each chunk, from when its lane began with it.
 *
 * <p>Begun by the thread that submits the job and by the dispatcher, then on the watchdog, and ended by whoever ends the job.
 * The watchdog takes a chunk from its lane by its {@link ChunkTicket}, which the lane claims before it counts the chunk: one of
 * them gets it. Before that it {@linkplain RecoverableJob#hold holds} the job's buffers for the lane, which may touch them until
 * it comes back.
 */
public final class JobDeadlines {
    /** {@code Duration.ofSeconds(Long.MAX_VALUE)} is a usual way to say "no limit", and a {@code long} of nanoseconds ends after 292 years. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private final RecoverableJob job;
    private final @Nullable Duration deadline;
    private final @Nullable Duration chunkDeadline;
    private final Watchdog watchdog;
    private final RecoverableLane[] lanes;
    private final Recovery recovery;
    private volatile @Nullable Future<?> deadlineTask;
    private volatile @Nullable Future<?> chunkTask;

    /**
     * @param deadline of the job; null for no limit
     * @param chunkDeadline of one chunk; null for no limit
     */
    public JobDeadlines(
            RecoverableJob job,
            @Nullable Duration deadline,
            @Nullable Duration chunkDeadline,
            Watchdog watchdog,
            RecoverableLane[] lanes,
            Recovery recovery) {
        this.job = job;
        this.deadline = atMost(deadline);
        this.chunkDeadline = atMost(chunkDeadline);
        this.watchdog = watchdog;
        this.lanes = lanes;
        this.recovery = recovery;
    }

    private static @Nullable Duration atMost(@Nullable Duration limit) {
        return limit != null && limit.compareTo(LONGEST) > 0 ? LONGEST : limit;
    }

    /** The job is submitted. */
    public void watchJob() {
        Duration limit = deadline;
        if (limit != null) {
            deadlineTask = watchdog.after(limit, () -> deadlinePassed(limit));
        }
    }

    /** Its lanes are about to be called. */
    public void watchChunks() {
        Duration limit = chunkDeadline;
        if (limit != null) {
            chunkTask = watchdog.every(limit.dividedBy(8), () -> revokeOverdue(limit));
        }
    }

    /** It has ended. */
    public void cancel() {
        Watchdog.cancel(chunkTask);
        Watchdog.cancel(deadlineTask);
    }

    /** Takes chunks from lanes that have had them for too long. */
    private void revokeOverdue(Duration limit) {
        // Before the phase is read: a chunk that ran then, and still does when it is revoked, belongs to that phase.
        long startedBefore = job.now() - limit.toNanos();
        RecoverableJob.OpenPhase open = job.openPhase();
        if (open == null || job.isFinished()) {
            return;
        }
        for (RecoverableLane lane : lanes) {
            long range = revoke(lane, startedBefore);
            if (range != ChunkTicket.NONE) {
                recovery.laneHangs(
                        lane,
                        open,
                        range,
                        "a chunk of kernel " + open.phase().kernel() + " was not done after " + limit.toMillis()
                                + " ms");
                job.leave(lane.countOut());
            }
        }
    }

    /** Takes a chunk from a lane; if that succeeds, the buffers are held until the lane comes back. */
    private long revoke(RecoverableLane lane, long startedBefore) {
        if (!lane.overdue(startedBefore)) {
            // Nearly always. If it is late already, this must not take away its claim to be waited for.
            return ChunkTicket.NONE;
        }
        job.hold();
        lane.expectLate(); // before the chunk is taken away: the lane may come back the moment after
        long range = lane.revoke(startedBefore);
        if (range == ChunkTicket.NONE && lane.cameLate()) {
            job.letGo();
        }
        return range;
    }

    /** The job as a whole took too long. */
    private void deadlinePassed(Duration limit) {
        if (job.isFinished()) {
            return;
        }
        job.noticeCancelling(); // a cancelled job has ended for its caller, but not for the lanes that it holds
        job.fail(new EvenerException("job '" + job.name() + "' was not done after its deadline of " + limit.toMillis()
                + " ms" + (job.isStarted() ? "" : "; it was still waiting for its devices")));
        if (!job.isStarted()) {
            job.abandon(); // it ends without having run as soon as the dispatcher comes to it
        } else {
            Duration grace = limit.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : limit;
            deadlineTask = watchdog.after(grace, this::giveUpOnLanes);
        }
    }

    /**
     * Lanes that did not come back from a job that has failed are taken for hung, be it in a chunk, in the compiler or in a
     * host step.
     */
    private void giveUpOnLanes() {
        for (RecoverableLane lane : lanes) {
            if (!job.isFinished() && lane.present()) {
                giveUpOn(lane);
            }
        }
    }

    private void giveUpOn(RecoverableLane lane) {
        job.hold();
        lane.expectLate();
        lane.revoke(job.now());
        int calls = lane.countOut();
        if (calls == 0) { // it left just now
            if (lane.cameLate()) {
                job.letGo();
            }
            return;
        }
        String reason = "it did not come back after the deadline of job '" + job.name() + "'";
        lane.health().hangs(reason);
        lane.setUsable(false);
        job.fail(new EvenerException(Recovery.named(lane.device()) + ": " + reason
                + (job.fenced() ? "" : " and may still write to the job's buffers")));
        job.leave(calls);
    }
}
