package dev.evener.internal.recovery;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.internal.JobSpec;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a job when one of its lanes fails: the others take over, or the lane goes on with less, or the job fails. Says so
 * in the words of the job's report and of its exception, and counts the lanes that are left.
 *
 * <p>Called by the dispatcher while it starts the job, then by the lane that failed, on its own thread, and by the watchdog for
 * a lane that it has taken a chunk from; several lanes may fail at once. No lock is held: each part is safe for itself, who counts
 * the last lane out is one thread, since the count reaches zero once, and what was not done goes back to the {@link RecoverableJob.OpenPhase}.
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final RecoverableJob job;
    private final RecoverableLane[] lanes;
    private final @Nullable FaultListener listener;
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> leftOut = new ConcurrentLinkedQueue<>(); // which devices from the beginning, and why
    private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
    private final AtomicInteger usable = new AtomicInteger();

    /** Hears of what goes into the report, at once. */
    public interface FaultListener {
        /** Something went wrong on a lane. */
        void fault(int lane, String what);
    }

    /** No lane is left but those that are {@linkplain #countIn counted in}. */
    public Recovery(RecoverableJob job, RecoverableLane[] lanes, @Nullable FaultListener listener) {
        this.job = job;
        this.lanes = lanes;
        this.listener = listener;
    }

    // ---- which lanes there are ----

    /**
     * Counts the lanes that may work for the job; the others are left out, each for a reason.
     *
     * @throws EvenerException if there is none
     */
    public void countIn(Function<RecoverableLane, @Nullable String> whyNot) {
        for (RecoverableLane lane : lanes) {
            if (lane.usable()) {
                usable.incrementAndGet();
            } else {
                String left = named(lane.device()) + " was left out: " + whyNot.apply(lane);
                leftOut.add(left);
                note(lane, left);
            }
        }
        if (usable.get() == 0) {
            throw new EvenerException("no device can take it: " + String.join("; ", failures));
        }
    }

    /** All that was noted so far, in that order. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    // ---- a lane fails ----

    /**
     * A lane is out of the job.
     *
     * @param with what it was to run or to build
     * @param range what it held and did not do, or {@link ChunkTicket#NONE}
     */
    public void laneFailed(
            RecoverableLane lane, RecoverableJob.OpenPhase in, JobSpec.Phase with, long range, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        Throwable described = onDevice(lane, cause);
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
            note(
                    lane,
                    named(lane.device()) + " could not run the job's form for one device and goes on without: "
                            + reason(cause));
            job.beginAgain(lane);
        } else {
            lose(lane, described, reason(cause));
            if (!leavesNone(described)) {
                job.beginAgain(lane);
            }
        }
    }

    /** A lane could not build a job that was to be built and not run. */
    public void doesNotBuild(RecoverableLane lane, JobSpec.Phase phase, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        Throwable described = onDevice(lane, cause);
        if (endsTheJob(kind, described)) {
            return;
        }
        if (kind == LaneFailure.Kind.BUILD) {
            lane.health().declareUnfit(phase, 0);
        } else {
            lane.health().quarantine(reason(cause));
        }
        lose(lane, described, reason(cause));
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
    void laneHangs(RecoverableLane lane, RecoverableJob.OpenPhase in, long range, String reason) {
        lane.health().hangs(reason);
        Throwable described = onDevice(lane, new LaneFailure(LaneFailure.Kind.DEVICE, reason));
        if (job.recovers()) {
            goOnWithout(lane, in, range, described, reason);
        } else {
            lane.setUsable(false);
            job.fail(described);
        }
    }

    private void goOnWithout(
            RecoverableLane lane, RecoverableJob.OpenPhase in, long range, Throwable described, String reason) {
        lose(lane, described, reason);
        in.degrade();
        if (range != ChunkTicket.NONE) {
            in.giveBack(range);
        }
        if (!leavesNone(described) && leaveToThoseThatCan(described)) {
            job.callOthers(lane);
        }
    }

    /** Takes a lane out of the job; before others are given its work, as they may end the job and have the report made. */
    private void lose(RecoverableLane lane, Throwable described, String reason) {
        if (!firstFailure.compareAndSet(null, described)) {
            Throwable first = firstFailure.get();
            if (first != null) {
                first.addSuppressed(described);
            }
        }
        note(lane, named(lane.device()) + " failed: " + reason);
        String next =
                usable.get() > 1 ? "the others take over" : "no other device is left"; // it is not counted out yet
        LOG.warn("job '{}': {} failed, {}: {}", job.name(), named(lane.device()), next, reason);
        lane.setUsable(false);
    }

    /** Counts a lane out; true if it was the last one, and the job has failed, saying also why there was no other device. */
    private boolean leavesNone(Throwable described) {
        if (usable.decrementAndGet() > 0) {
            return false;
        }
        Throwable noted = firstFailure.get();
        Throwable first = noted != null ? noted : described;
        if (leftOut.isEmpty()) {
            job.fail(first);
            return true;
        }
        EvenerException all =
                new EvenerException(first.getMessage() + "; " + String.join("; ", leftOut), first.getCause());
        for (Throwable suppressed : first.getSuppressed()) {
            all.addSuppressed(suppressed);
        }
        job.fail(all);
        return true;
    }

    /** What is half done in one piece goes to lanes alone that can run it so. False if there is none. */
    private boolean leaveToThoseThatCan(Throwable described) {
        for (RecoverableLane lane : lanes) {
            if (lane.usable() && !job.form().fits(lane)) {
                note(lane, named(lane.device()) + " was left out: it cannot run the job's form for one device");
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
        note(
                lane,
                named(lane.device()) + " could not hold a chunk of " + from + " units and goes on with at most " + to
                        + ": " + reason(cause));
    }

    /** Something went wrong on a lane that costs nothing but figures. */
    public void note(RecoverableLane lane, Throwable cause) {
        note(lane, named(lane.device()) + ": " + reason(cause));
    }

    /** A chunk failed after it may have overwritten part of what it began with. */
    public void halfUpdated(RecoverableLane lane, RecoverableJob.OpenPhase in, Throwable cause) {
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
        job.fail(onDevice(lane, cause));
    }

    // ---- in words ----

    /** Something goes into the report. */
    private void note(RecoverableLane lane, String what) {
        failures.add(what);
        if (listener != null) {
            listener.fault(lane.index(), what);
        }
    }

    /** A failure on a lane's device as the job's. */
    private EvenerException onDevice(RecoverableLane lane, Throwable e) {
        Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        return new EvenerException(
                "job '" + job.name() + "' failed on " + named(lane.device()) + ": " + reason(cause), cause);
    }

    private static String reason(Throwable cause) {
        return cause instanceof EvenerException ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    /** A device as messages name it. */
    public static String named(DeviceInfo device) {
        return "device " + device.id() + " (" + device.name() + ")";
    }
}
