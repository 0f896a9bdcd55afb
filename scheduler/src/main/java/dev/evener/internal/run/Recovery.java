package dev.evener.internal.run;

import static dev.evener.internal.recovery.LaneFailure.reason;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.EvenerException.ApplicationFailedException;
import dev.evener.EvenerException.BuildFailedException;
import dev.evener.EvenerException.DeadlineExceededException;
import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.Waits;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneHealth;
import dev.evener.internal.recovery.Looks;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.policy.LaneSet;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a job when one of its lanes fails or takes too long: the others take over, or the lane goes on with less, or
 * the job fails. Says so in the words of the job's report and of its exception, and counts the lanes that are left.
 *
 * <p>Called by the dispatcher while it starts the job, then by the lane that failed, on its own thread, and on the watchdog
 * when a limit has passed: that of the job, or of a chunk, which the watchdog takes from its lane by its {@linkplain
 * ChunkInFlight ticket}. Several lanes may fail at once; its lock is held for what is noted alone.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final JobRun run;
    private volatile List<String> failures = List.of();
    private volatile List<String> leftOut = List.of(); // which devices from the beginning, and why; while it starts
    /** On some device, of which the job's failure would tell. */
    private volatile List<String> unbuilt = List.of();

    private @Nullable Throwable firstFailure; // guarded by this, as is the next
    private int usable; // lanes
    private volatile @Nullable Future<?> deadlineTask;
    private volatile @Nullable Future<?> chunkTask;

    Recovery(JobRun run) {
        this.run = run;
    }

    /**
     * Counts the lanes that may work for the job; the others are left out, each for a reason.
     *
     * @throws EvenerException if there is none
     */
    void countIn(IntFunction<@Nullable String> whyNot) {
        LaneSet good = run.usable();
        synchronized (this) {
            usable = good.size();
        }
        for (int lane = 0; lane < run.workers.size(); lane++) {
            if (!good.has(lane)) {
                String left = named(run.workers.get(lane).device()) + " was left out: " + whyNot.apply(lane);
                leftOut = with(leftOut, left);
                note(lane, left);
            }
        }
        if (good.isEmpty()) {
            throw new DevicesFailedException("no device can take it: " + String.join("; ", failures), null);
        }
    }

    /** All that was noted so far, in that order. */
    public List<String> failures() {
        return failures;
    }

    /** Some and one more. */
    static List<String> with(List<String> some, String more) {
        return Stream.concat(some.stream(), Stream.of(more)).toList();
    }

    // ---- a lane fails ----

    /**
     * A lane is out of the job.
     *
     * @param with what it was to run or to build
     * @param range what it held and did not do, or {@link ChunkPool#NONE}
     */
    void laneFailed(LaneTask lane, PhaseRun in, JobSpec.Phase with, long range, Throwable thrown) {
        boolean refused = LaneFailure.kindOf(thrown) == LaneFailure.Kind.LAUNCH;
        Throwable cause = refused && !lane.worker.answers() // a device that is gone refuses everything
                ? new LaneFailure(LaneFailure.Kind.DEVICE, reason(thrown))
                : thrown;
        Throwable described = onDevice(lane, cause);
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        if (!blame(lane, with, kind, described, cause)) {
            return;
        } else if (!run.plan.form.canBeginAgain(in.number)) {
            goOnWithout(lane, in, range, described, reason(cause));
        } else if (kind == LaneFailure.Kind.BUILD || kind.isForWant()) { // the form was too much for it
            note(lane, " could not run the job's form for one device and goes on without", cause);
            run.beginAgain(lane);
        } else {
            lose(lane, described, reason(cause));
            if (!leavesNone(described)) {
                run.beginAgain(lane);
            }
        }
    }

    /** A lane could not build a job that was to be built and not run. */
    void doesNotBuild(LaneTask lane, JobSpec.Phase phase, Throwable cause) {
        Throwable described = onDevice(lane, cause);
        if (blame(lane, phase, LaneFailure.kindOf(cause), described, cause)) {
            lose(lane, described, reason(cause));
            leavesNone(described);
        }
    }

    /** Notes what the lane cannot do. False if the failure is the job's own, or nobody may go on without the lane: the job has failed. */
    private boolean blame(
            LaneTask lane, JobSpec.Phase with, LaneFailure.Kind kind, Throwable described, Throwable cause) {
        if (kind == LaneFailure.Kind.DECLARATION || !run.declared.options().recovers()) {
            run.fail(described);
            return false;
        }
        boolean tooLarge = kind.isForWant() && run.plan.form.inOnePiece; // others may have less memory still
        if (kind == LaneFailure.Kind.BUILD || (tooLarge && run.plan.form.job.units() > 0)) {
            lane.health().declareUnfit(with, tooLarge ? run.plan.form.job.units() : 0);
        } else if (!kind.isForWant() || !lane.worker.answers()) { // want of memory is no failure of the device
            lane.worker.quarantine(reason(cause));
        }
        return true;
    }

    /** A chunk was taken from a lane that did not answer, and the lane is out of the job. On the watchdog's thread. */
    private void laneHangs(LaneTask lane, PhaseRun in, long range, String reason) {
        lane.worker.quarantineHung(lane, reason);
        Throwable described = onDevice(lane, new LaneFailure(LaneFailure.Kind.DEVICE, reason));
        if (run.declared.options().recovers()) {
            goOnWithout(lane, in, range, described, reason);
        } else {
            run.use(lane.index, false);
            run.fail(described);
        }
    }

    /** A lane that hangs in another job has been called, and will not come: the others do its part. Any thread. */
    void laneIsGone(LaneTask lane, String reason) {
        if (!run.retain()) { // so that the job is not over before this is
            return;
        }
        boolean waits = expectLate(lane);
        int calls = lane.countOut();
        boolean has = false;
        if ((calls > 0 || run.start.wants(lane)) && !run.finished.get()) {
            String left = named(lane.device()) + " was left out: it is quarantined, because " + reason;
            note(lane.index, left);
            if (run.usable().has(lane.index)) { // else it was to build, and nobody has been counted in
                run.use(lane.index, false);
                has = lane.revoke(run.now()) != ChunkPool.NONE; // enqueued, and may yet be run
                PhaseRun open = run.phase; // one that is opened later sees that the lane is none
                String why = has ? "a part of it was enqueued there: " : "no device can take it: ";
                EvenerException lost = new DevicesFailedException("job '" + run.name() + "': " + why + left, null);
                if (has) {
                    run.fail(lost);
                } else if (!leavesNone(lost) && open != null) {
                    run.degrade(open);
                    run.callOthers(lane);
                }
            }
            run.leave(calls);
        }
        run.start.isReady(lane); // as far as it will be
        if (waits && !has && !lane.worker.serves(lane)) { // else it comes all the same, and will leave
            notLate(lane);
        }
        run.release();
    }

    private void goOnWithout(LaneTask lane, PhaseRun in, long range, Throwable described, String reason) {
        lose(lane, described, reason);
        run.degrade(in);
        if (range != ChunkPool.NONE) {
            in.giveBack(range);
        }
        if (!leavesNone(described) && leaveToThoseThatCan(described)) {
            run.callOthers(lane);
        }
    }

    /** Takes a lane out of the job; before others are given its work, as they may end the job and have the report made. */
    private synchronized void lose(LaneTask lane, Throwable described, String reason) {
        if (firstFailure == null) {
            firstFailure = described;
        } else if (!LaneFailure.beginAlike(firstFailure, described)) {
            firstFailure.addSuppressed(described); // else a source that builds nowhere, which is told once
        }
        LaneFailure.Kind kind =
                described.getCause() instanceof LaneFailure own ? own.kind() : LaneFailure.kindOf(described);
        boolean builds = kind != LaneFailure.Kind.BUILD;
        String what = switch (kind) {
            case BUILD -> " cannot build it";
            case LAUNCH -> " refused to launch it";
            case MEMORY -> " ran out of memory";
            default -> " failed";
        };
        String lost = named(lane.device()) + what;
        note(lane.index, lost + ": " + reason);
        String next = usable > 1 ? "the others take over" : "no other device is left"; // not counted out yet
        String said = "job '" + run.name() + "': " + lost + ", " + next + ": ";
        if (builds) {
            LOG.warn(said + reason);
        } else {
            unbuilt = with(unbuilt, said + LaneFailure.firstLine(reason));
        }
        run.use(lane.index, false);
    }

    /** Counts a lane out; true if it was the last one, and the job has failed, saying also why others were left out. */
    private boolean leavesNone(Throwable described) {
        Throwable first;
        synchronized (this) {
            usable--;
            if (usable > 0) {
                return false;
            }
            first = firstFailure != null ? firstFailure : described;
        }
        if (!leftOut.isEmpty()) {
            String all = first.getMessage() + "; " + String.join("; ", leftOut);
            first = LaneFailure.ofJob(all, first, DevicesFailedException::new);
        }
        run.fail(first);
        return true;
    }

    /** What is half done in one piece goes to lanes alone that can run it so. False if there is none. */
    private boolean leaveToThoseThatCan(Throwable described) {
        for (int lane = 0; lane < run.workers.size(); lane++) {
            LaneWorker worker = run.workers.get(lane);
            if (run.usable().has(lane) && !run.plan.form.fits(worker)) {
                note(lane, named(worker.device()) + " was left out: it cannot run the job's form for one device");
                run.use(lane, false);
                if (leavesNone(described)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * A lane would do another's chunk sooner than that, and takes it. The other is out of the job, which does not
     * wait for it, until it is back. If it is not for as long as a wait may be before that is told, it hangs.
     *
     * @param startedBefore when the chunk could run, or later
     * @return the chunk's range, or {@link ChunkPool#NONE} if it has ended meanwhile
     */
    long overtake(LaneTask lane, PhaseRun in, long startedBefore) {
        synchronized (lane) { // which may be back the moment after
            long range = run.usable().has(lane.index) ? takeFrom(lane, startedBefore) : ChunkPool.NONE;
            if (range == ChunkPool.NONE) {
                return range;
            }
            lane.isOvertaken();
            run.leave(lane.countOut());
            Duration told = run.around.waits().limit();
            Duration most = Looks.bounded(told.isZero() ? LaneHealth.LONGEST_PATIENCE : told);
            lane.stats.untilItHangs = run.around.watchdog().afterLooks(most, () -> staysAway(lane, in, most));
            return range;
        }
    }

    /** A lane is not back from a chunk that another did again. On the watchdog's thread. */
    private void staysAway(LaneTask lane, PhaseRun in, Duration limit) {
        if (!lane.isGivenUp()) {
            return;
        }
        String reason = "a chunk of kernel " + in.phase.kernel() + " that another device did again was not done after "
                + limit.toMillis() + " ms more";
        if (run.retain()) { // the job is not over
            laneHangs(lane, in, ChunkPool.NONE, reason);
            run.release();
        } else {
            lane.worker.quarantineHung(lane, reason);
        }
    }

    // ---- limits of time ----

    /** The job is submitted; without a limit if that is null. */
    void watchJob(@Nullable Duration limit) {
        if (limit != null) {
            Duration most = Looks.bounded(limit);
            deadlineTask = run.around.watchdog().afterLooks(most, () -> deadlinePassed(most));
        }
    }

    /** Its lanes are about to be called, and chunks have this limit, or none if it is null. */
    void watchChunks(@Nullable Duration limit) {
        if (limit != null) {
            Duration most = Looks.bounded(limit);
            Looks looks = new Looks(run.now());
            chunkTask = run.around.watchdog().every(Looks.period(most), () -> revokeOverdue(most, looks));
        }
    }

    /** It has ended: no limit holds any longer, and what did not build did so elsewhere. */
    void stopWatching() {
        if (!run.hasFailed()) {
            unbuilt.forEach(LOG::warn);
        }
        Watchdog.cancel(chunkTask);
        Watchdog.cancel(deadlineTask);
    }

    /** Takes chunks from lanes that have had them for too long. */
    private void revokeOverdue(Duration limit, Looks looks) {
        // Before the phase is read: a chunk that ran then, and still does when it is revoked, belongs to that phase.
        long now = run.now();
        long startedBefore = now - Math.max(limit.toNanos(), now - looks.take(now));
        PhaseRun open = run.phase;
        if (open == null || run.finished.get()) {
            return;
        }
        for (LaneTask lane : run.parts()) {
            if (lane.overdue(startedBefore)) { // hardly ever
                long range = takeFrom(lane, startedBefore);
                if (range != ChunkPool.NONE) {
                    String reason = "a chunk of kernel " + open.phase.kernel() + " was not done after "
                            + limit.toMillis() + " ms";
                    laneHangs(lane, open, range, reason);
                    run.leave(lane.countOut());
                }
            }
        }
    }

    /**
     * Has the buffers held until a lane comes back. Before its chunks are taken away: it may come back the moment after.
     *
     * @return false if they are held for it already, or the job is over
     */
    private boolean expectLate(LaneTask lane) {
        boolean held = run.retain();
        boolean waits = held && lane.expectLate();
        if (held && !waits) {
            run.release();
        }
        return waits;
    }

    /** Takes away what a lane has of chunks that could run before a moment, if anything; it comes back late then. */
    private long takeFrom(LaneTask lane, long startedBefore) {
        boolean waits = expectLate(lane);
        long range = lane.revoke(startedBefore);
        if (range == ChunkPool.NONE && waits) {
            notLate(lane);
        }
        return range;
    }

    /** Nothing was taken from the lane after all. For who expected it. */
    private void notLate(LaneTask lane) {
        if (lane.cameLate()) {
            run.release();
        }
    }

    /** The job as a whole took too long. */
    private void deadlinePassed(Duration limit) {
        if (run.finished.get()) {
            return;
        }
        run.noticeCancelling(); // a cancelled job has ended for its caller, but not for the lanes that it holds
        run.fail(new DeadlineExceededException("job '" + run.name() + "' was not done after its deadline of "
                + limit.toMillis() + " ms" + "; it " + Waits.doing(run)));
        if (!run.mayCall) {
            run.abandon(); // it ends without having run as soon as the dispatcher comes to it
        } else {
            Duration grace = limit.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : limit;
            Watchdog.cancel(deadlineTask);
            deadlineTask = run.around.watchdog().afterLooks(grace, () -> giveUpOnLanes(grace));
        }
    }

    /**
     * Lanes that did not come back from a job that has failed are taken for hung, in a chunk or the compiler. What counts is the time for
     * which their devices had the chunk: host steps, waits for what others hold and chunks of other jobs are not a device's. The job's
     * future ends in any case.
     */
    private void giveUpOnLanes(Duration grace) {
        long again = 0; // nanoseconds from now
        for (LaneTask lane : run.parts()) {
            boolean present = !run.finished.get() && lane.isCalled();
            long had = lane.onDeviceNanos(run.now());
            if (!run.start.begun && lane.worker.builds(lane)) { // the job waited for that
                lane.worker.quarantineHung(lane, lateReason());
            } else if (present && !lane.worker.serves(lane)) {
                leaveToOthers(lane);
            } else if (present && !lane.isOnHost()) { // else it leaves when that ends
                if (had >= 0 && had < grace.toNanos()) {
                    again = Math.max(again, grace.toNanos() - had);
                } else {
                    giveUp(lane);
                }
            }
        }
        if (!run.finished.get()) {
            run.abandon();
            if (again > 0) {
                Watchdog.cancel(deadlineTask);
                deadlineTask = run.around.watchdog().afterLooks(Duration.ofNanos(again), () -> giveUpOnLanes(grace));
            }
        }
    }

    private String lateReason() {
        return "it did not come back after the deadline of job '" + run.name() + "'";
    }

    /** It is at work for another job, and will find that there is nothing to do here, perhaps once a chunk in its queue has ended. */
    private void leaveToOthers(LaneTask lane) {
        takeFrom(lane, run.now());
        run.leave(lane.countOut());
    }

    /** The buffers that a job writes, by which messages go on; nothing if there are none. */
    private static String writes(JobSpec job) {
        String all = job.buffers().writes().stream().map(Range::text).sorted().collect(Collectors.joining(", the "));
        return all.isEmpty() ? "" : ", the " + all;
    }

    private void giveUp(LaneTask lane) {
        boolean waits = expectLate(lane);
        lane.revoke(run.now());
        int calls = lane.countOut();
        if (calls == 0) { // it left just now
            if (waits) {
                notLate(lane);
            }
            return;
        }
        lane.worker.quarantineHung(lane, lateReason());
        run.use(lane.index, false);
        String writes = lane.isFenced() ? "" : " and may still write to the job's buffers" + writes(run.declared);
        run.fail(new DevicesFailedException(named(lane.device()) + ": " + lateReason() + writes, null));
        run.leave(calls);
    }

    // ---- what no lane is lost by, or all of the job ----

    /** What a lane's device could not do, which the job gets over. */
    void note(LaneTask lane, String what, Throwable cause) {
        note(lane.index, named(lane.device()) + what + ": " + reason(cause));
    }

    /** A chunk failed after it may have overwritten part of what it began with. */
    void halfUpdated(LaneTask lane, PhaseRun in, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        if (kind == LaneFailure.Kind.DEVICE || (kind.isForWant() && !lane.worker.answers())) {
            lane.worker.quarantine(reason(cause));
        }
        boolean stays = lane.lane().holdsData() && JobBuffers.updatesOnDevices(in.phase);
        String keep = run.declared.options().protectsUpdates()
                ? "; of one with mirror() the host has a copy, on which others go on: "
                : ", or leave out unprotected()" + (stays ? " and mirror() it: " : ": ");
        run.fail(LaneFailure.ofJob(
                "job '" + run.name() + "' failed on " + named(lane.device()) + " while kernel "
                        + in.phase.kernel()
                        + " updated the " + JobBuffers.updated(in.phase)
                        + " in place, which may be half updated now: refill it before you submit again"
                        + keep + reason(cause),
                cause,
                DevicesFailedException::new));
    }

    /** A failure of the host, after which nothing is run again: a result was lost, the lane's thread met an error, or a policy threw. */
    void fatal(LaneTask lane, Throwable cause) {
        run.fail(cause instanceof ApplicationFailedException ? cause : onDevice(lane, cause));
    }

    /** Something goes into the report. */
    private synchronized void note(int lane, String what) {
        failures = with(failures, what);
        EventPublisher.OfJob events = run.events;
        if (events != null) {
            events.fault(lane, what);
        }
    }

    /** A failure on a lane's device as the job's. */
    private EvenerException onDevice(LaneTask lane, Throwable e) {
        Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        boolean ofSource = cause instanceof BuildFailedException b && b.line() > 0; // which is the same on all devices
        String said = "job '" + run.name() + "'" + (ofSource ? "" : " failed on " + named(lane.device()));
        return LaneFailure.ofJob(said + ": " + reason(cause), cause, DevicesFailedException::new);
    }

    /** As messages name it. */
    static String named(DeviceInfo device) {
        return "device " + device.id() + " (" + device.name() + ")";
    }
}
