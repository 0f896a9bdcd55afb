package dev.evener.internal.run;

import dev.evener.internal.recovery.ChunkTicket;
import dev.evener.internal.recovery.Undo;
import org.jspecify.annotations.Nullable;

/**
 * A chunk in a lane's hands, from when it was taken until its times have been read; reused for later ones. What others see of it
 * is its {@linkplain ChunkTicket ticket}; all else belongs to the lane's thread.
 */
public final class ChunkInFlight extends ChunkTicket {
    /** Where its times go. */
    public final ChunkTimes times;

    final Undo undo;
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

    /** What it has failed with. */
    @Nullable
    public Throwable problem;

    /** When it was taken; 0 where nobody listens. */
    long taken;

    /** When it begins, after what it overwrites has been saved. */
    public long executeStart;

    long executeEnd;
    /** How long it was expected to take, in nanoseconds; 0 if nothing was. */
    double expected;

    // What is told of it, once it counts.
    int phase;
    int owner;
    long firstUnit;
    long unitsAsSubmitted;

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
        begin(range, work, now, waits);
    }
}
