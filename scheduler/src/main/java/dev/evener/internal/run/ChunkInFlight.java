package dev.evener.internal.run;

import dev.evener.internal.recovery.Undo;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A chunk in a lane's hands, from when it was taken until its times have been read; reused for later ones.
 *
 * <p>While it may be taken away it has a ticket, a number that is odd. Whoever moves the ticket on owns the chunk's end: the
 * lane when the chunk is done or has failed, or the watchdog when it is overdue. {@link #isHeld}, {@link #runs}, {@link
 * #heldWork}, {@link #elapsed}, {@link #overdue} and {@link #revoke} are for any thread, all else for the lane's.
 */
final class ChunkInFlight {
    private final AtomicLong ticket = new AtomicLong();
    private volatile long heldRange = ChunkPool.NONE;
    private volatile double heldWork;
    /** Since when it could run: when it was begun, or when the chunk before it ended. */
    private volatile long since;
    /** Whether the device has another chunk to end first. */
    private volatile boolean behind;

    // The lane's thread alone.
    final ChunkTimes times;
    final Undo undo;
    long range = ChunkPool.NONE;
    long units;
    /** In units of mean cost. */
    double work;

    private long mine;
    private boolean begun;
    boolean enqueued;
    /** Whether it was another lane's before this one took it over. */
    boolean stolen;
    /** Whether it was enqueued behind another, so that its launch cost the device nothing. */
    boolean followed;

    @Nullable
    Throwable problem;

    /** When it was taken; 0 where nobody listens. */
    long taken;

    long executeStart;
    long executeEnd;
    /** How long it was expected to take, in nanoseconds; 0 if nothing was. */
    double expected;

    // What is told of it, once it counts.
    @Nullable
    LaneStats stats;

    int phase;
    int owner;
    long firstUnit;
    long declaredUnits;

    ChunkInFlight(ChunkTimes times, Undo undo) {
        this.times = times;
        this.undo = undo;
    }

    /** A chunk was taken from the pool; it has no ticket yet. */
    void take(long newRange, long newUnits, double newWork, long now) {
        range = newRange;
        units = newUnits;
        work = newWork;
        taken = now;
        begun = false;
        enqueued = false;
        followed = false;
        problem = null;
        expected = 0;
        executeStart = now;
    }

    /**
     * It is held from now on, and can be taken away.
     *
     * @param waits whether another chunk of the lane has to end first
     */
    void begin(long now, boolean waits) {
        executeStart = now;
        heldRange = range;
        heldWork = work;
        since = now;
        behind = waits;
        mine = ticket.incrementAndGet();
        begun = true;
    }

    /** The chunk before it has ended. */
    void comesFirst(long now) {
        since = now;
        behind = false;
    }

    /** Since when it could run. */
    long since() {
        return since;
    }

    /** Takes its end; false if somebody else did. One that was never begun is the lane's in any case. */
    boolean claim() {
        return !begun || ticket.compareAndSet(mine, mine + 1);
    }

    /** Whether it was begun and has not ended; any thread. */
    boolean isHeld() {
        return (ticket.get() & 1) != 0;
    }

    /** Whether the lane's device runs it, as far as is known, and not one before it; any thread. */
    boolean runs() {
        return isHeld() && !behind;
    }

    /** Work of the chunk that is held, in units of mean cost; any thread. */
    double heldWork() {
        return heldWork;
    }

    /** For how long it could run by now, in nanoseconds; any thread. */
    long elapsed(long now) {
        return behind ? 0 : Math.max(0, now - since);
    }

    /** Whether it could run before a moment, as {@link #revoke} wants it; any thread. */
    boolean overdue(long before) {
        return isHeld() && since - before <= 0;
    }

    /**
     * Takes it away from its lane if it could run before a moment; any thread.
     *
     * @return the range taken away, or {@link ChunkPool#NONE}
     */
    long revoke(long before) {
        long held = ticket.get();
        if ((held & 1) == 0 || since - before > 0) {
            return ChunkPool.NONE;
        }
        long taken = heldRange;
        // If the ticket still stands, the fields read above were this chunk's.
        return ticket.compareAndSet(held, held + 1) ? taken : ChunkPool.NONE;
    }
}
