package dev.evener.internal.recovery;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Who ends a chunk that may be taken away from its lane. While a lane holds a chunk the ticket is a number that is odd. Whoever
 * moves it on owns the chunk's end: the lane when the chunk is done or has failed, or the watchdog when it is overdue. Reused
 * for the lane's later chunks.
 *
 * <p>{@link #begin}, {@link #comesFirst} and {@link #claim} are for the lane's thread, all else for any.
 */
public class ChunkTicket {
    /** No range of granules. */
    public static final long NONE = -1L;

    private final AtomicLong ticket = new AtomicLong();
    private volatile long heldRange = NONE;
    private volatile double heldWork;
    private volatile long since;
    private volatile boolean behind;
    private long mine; // what the lane may move on; 0 before its chunk has begun. The lane's thread alone

    /**
     * The lane holds a chunk from now on, which can be taken away.
     *
     * @param work in units of mean cost
     * @param waits whether another chunk of the lane has to end first
     */
    protected final void begin(long range, double work, long now, boolean waits) {
        heldRange = range;
        heldWork = work;
        since = now;
        behind = waits;
        mine = ticket.incrementAndGet();
    }

    /** The chunk before it has ended. */
    public final void comesFirst(long now) {
        since = now;
        behind = false;
    }

    /** Takes the chunk's end; false if somebody else did. One that was never begun is the lane's in any case. Once a chunk. */
    public final boolean claim() {
        long held = mine;
        mine = 0;
        return held == 0 || ticket.compareAndSet(held, held + 1);
    }

    /** Whether a chunk was begun and has not ended. */
    public final boolean isHeld() {
        return (ticket.get() & 1) != 0;
    }

    /** Whether the lane's device runs it, as far as is known, and not one before it. */
    public final boolean runs() {
        return isHeld() && !behind;
    }

    /** Work of the chunk that is held, in units of mean cost. */
    public final double heldWork() {
        return heldWork;
    }

    /** Since when it could run: when it was begun, or when the chunk before it ended. */
    public final long since() {
        return since;
    }

    /** For how long it could run by now, in nanoseconds. */
    public final long elapsed(long now) {
        return behind ? 0 : Math.max(0, now - since);
    }

    /** Whether it could run before a moment, as {@link #revoke} wants it. */
    final boolean overdue(long before) {
        return isHeld() && since - before <= 0;
    }

    /**
     * Takes it away from its lane if it could run before a moment.
     *
     * @return the range taken away, or {@link #NONE}
     */
    public final long revoke(long before) {
        long held = ticket.get();
        if ((held & 1) == 0 || since - before > 0) {
            return NONE;
        }
        long taken = heldRange;
        // If the ticket still stands, the fields read above were this chunk's.
        return ticket.compareAndSet(held, held + 1) ? taken : NONE;
    }
}
