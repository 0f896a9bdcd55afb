package dev.evener.internal.run;

import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.Undo;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A chunk in a lane's hands, from when it was taken until its times have been read; reused for later ones, whatever
 * their job.
 *
 * <p>It may be taken away from its lane: while the lane holds it, the ticket is a number that is odd, and whoever
 * moves that on owns the chunk's end, be it the lane when the chunk is done or has failed, the watchdog when it is
 * overdue, or a lane that would do it sooner. What the ticket tells is for any thread; all else belongs to the
 * lane's.
 */
public final class ChunkInFlight {
    /** Where its times go. */
    public final ChunkTimes times = new ChunkTimes();

    final Undo undo = new Undo();

    @Nullable
    PhaseRun of; // while it is in its lane's hands

    long range = ChunkPool.NONE;
    /** How many units it has. */
    public long units;
    /** In units of mean cost. */
    double work;

    boolean enqueued;
    /** Whether it was another lane's before this one took it over. */
    boolean stolen;
    /** Whether it was enqueued behind another, so that its launch cost the device nothing. */
    boolean followed;
    /** Whether its lane took it for done when it was enqueued. */
    boolean committed;

    /** What it has failed with. */
    @Nullable
    public Throwable problem;

    /** When it was taken; 0 where nobody listens. */
    long taken;

    long executeStart; // after what it overwrites has been saved

    long executeEnd;
    /** How long it took before to save that. */
    long savedNanos;
    /** How long it was expected to take, in nanoseconds; 0 if nothing was. */
    double expected;

    // What is told of it, once it counts.
    int phase;
    int owner;
    long firstUnit;
    long unitsAsSubmitted;
    boolean isLast; // of its phase to end

    // The ticket, and what others see of the chunk that it is for.
    private final AtomicLong ticket = new AtomicLong();
    private volatile @Nullable LaneTask holder; // whose chunk it is; for a job that is over, nobody's
    private volatile long heldRange = ChunkPool.NONE;
    volatile double heldWork; // in units of mean cost
    volatile long since; // it could run: it was begun, or the chunk before it ended
    private volatile long waited; // by its lane for other devices, in nanoseconds, when it was begun
    private volatile boolean behind;
    private long mine; // what the lane may move on; 0 before its chunk has begun. The lane's thread alone

    /** A chunk was taken from the pool; it has no ticket yet. */
    void take(long newRange, long newUnits, double newWork, long now) {
        range = newRange;
        units = newUnits;
        work = newWork;
        taken = now;
        enqueued = false;
        followed = false;
        committed = false;
        problem = null;
        expected = 0;
        savedNanos = 0;
        executeStart = now;
    }

    /**
     * It is held from now on, and can be taken away.
     *
     * @param by the lane's task in the chunk's job
     * @param waits whether another chunk of the lane has to end first
     * @param waitedNanos by its lane for what other devices hold, so far
     */
    void begin(@Nullable LaneTask by, long now, boolean waits, long waitedNanos) {
        holder = by;
        executeStart = now;
        heldRange = range;
        heldWork = work;
        since = now;
        waited = waitedNanos;
        behind = waits;
        mine = ticket.updateAndGet(last -> (last + 1) | 1); // odd, also if nobody ended the chunk before
    }

    /** The phase that it is of; once it was taken. */
    PhaseRun of() {
        return Objects.requireNonNull(of, "a chunk that was not taken");
    }

    /** The same as it was declared. */
    public JobSpec.Phase declaredPhase() {
        return of().phase;
    }

    /** Its first unit. */
    public long firstUnit() {
        return of().firstUnit(range);
    }

    /** What it overwrites was saved before it begins, which took so long. */
    public void saved(long nanos) {
        executeStart += nanos;
        savedNanos = nanos;
    }

    /** The chunk before it has ended. */
    void comesFirst(long now) {
        since = now;
        behind = false;
    }

    /** Takes the chunk's end; false if somebody else did. One that was never begun is the lane's in any case. Once a chunk. */
    boolean claim() {
        long held = mine;
        mine = 0;
        holder = null;
        of = null;
        return held == 0 || ticket.compareAndSet(held, held + 1);
    }

    // ---- for any thread ----

    /** Whether a chunk of that job was begun and has not ended. */
    boolean isHeld(@Nullable LaneTask by) {
        return holder == by && (ticket.get() & 1) != 0;
    }

    /** Whether the lane's device runs it, as far as is known, and not one before it. */
    boolean runs(LaneTask by) {
        return isHeld(by) && !behind;
    }

    /** For how long it could run by now, in nanoseconds. */
    long elapsed(long now) {
        return behind ? 0 : Math.max(0, now - since);
    }

    /** The same without what its lane waited meanwhile for other devices, which has waited so long by now. */
    long onDevice(long now, long waitedNanos) {
        return Math.max(0, elapsed(now) - (waitedNanos - waited));
    }

    /** Whether its device could run it before a moment, had its lane not waited for others meanwhile. */
    boolean overdue(@Nullable LaneTask by, long before, long waitedNanos) {
        return isHeld(by) && since + (waitedNanos - waited) - before <= 0;
    }

    /**
     * Takes it away from its lane if it is that job's and could run before a moment.
     *
     * @return the range taken away, or {@link ChunkPool#NONE}
     */
    long revoke(@Nullable LaneTask by, long before) {
        long held = ticket.get();
        if ((held & 1) == 0 || holder != by || since - before > 0) {
            return ChunkPool.NONE;
        }
        long revoked = heldRange;
        // If the ticket still stands, the fields read above were this chunk's.
        return ticket.compareAndSet(held, held + 1) ? revoked : ChunkPool.NONE;
    }
}
