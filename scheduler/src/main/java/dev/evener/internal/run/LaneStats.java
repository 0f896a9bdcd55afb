package dev.evener.internal.run;

import dev.evener.model.ChunkLog;
import org.jspecify.annotations.Nullable;

/**
 * What is measured of a lane's chunks in one job when they have been done: added up for the report, kept for the history, told to
 * listeners, and expected of the chunks to come.
 *
 * <p>Belongs to the lane's thread; the total, the log and the first beginning are read when the run is over, which orders
 * what was written before.
 */
final class LaneStats {
    private static final long NEVER = Long.MIN_VALUE;

    private final JobRun run;
    private final LaneTask lane;
    private final LookAhead lookAhead;
    Total total = new Total(); // of all chunks that counted
    ChunkLog log = new ChunkLog(); // what they took
    long firstBegun = NEVER; // when the lane began with its first chunk
    private @Nullable ChunkInFlight unsettled;
    private boolean deferred;
    long lastEnd; // on the device, of the chunk that was settled last; 0 if that could not tell
    private long endUnit; // after those of the chunk before

    /** What some chunks add up to. */
    static final class Total {
        final ChunkTimes times = new ChunkTimes(); // from the first start to the last end
        long units;
        int chunks;
        int stolenChunks;

        Total() {
            times.start = Long.MAX_VALUE;
            times.end = Long.MIN_VALUE;
        }
    }

    LaneStats(JobRun run, LaneTask lane, LookAhead lookAhead) {
        this.run = run;
        this.lane = lane;
        this.lookAhead = lookAhead;
    }

    /** All that was done counts for nothing: the job begins again. */
    void restart() {
        total = new Total();
        log = new ChunkLog();
    }

    /** The lane begins with a chunk. */
    void begins(long at) {
        firstBegun = firstBegun == NEVER ? at : firstBegun;
    }

    /** A chunk counts, and is to be settled. */
    void keep(PhaseRun phase, ChunkInFlight chunk) {
        chunk.phase = phase.number();
        chunk.owner = phase.owner(lane, chunk.range);
        chunk.firstUnit = phase.firstUnit(chunk.range);
        chunk.unitsAsSubmitted = run.form().unitsAsSubmitted(chunk.units);
        total.units += chunk.units;
        total.stolenChunks += chunk.stolen ? 1 : 0;
        chunk.total = total;
        unsettled = chunk;
    }

    /** Has the report wait for the chunk that is to be settled later. */
    void defer() {
        run.owe();
        deferred = true;
    }

    /** Reads the last chunk's times, if that is still to be done. */
    void settle() {
        ChunkInFlight chunk = unsettled;
        Total open = chunk == null ? null : chunk.total;
        if (chunk == null || open == null) {
            return;
        }
        unsettled = null;
        try {
            lane.worker.lane().settle(chunk.times);
            open.times.add(chunk.times);
            open.chunks++;
            lookAhead.compare(chunk.phase, chunk.expected, (double) learn(chunk));
            lastEnd = chunk.times.end;
        } catch (Throwable e) { // the result is there; that the device cannot tell its times changes nothing
            run.recovery.note(lane, e);
        } finally {
            EventPublisher.OfJob events = run.events;
            if (events != null) {
                events.chunk(lane.index(), chunk);
            }
            if (deferred) {
                deferred = false;
                run.settled();
            }
        }
    }

    /** Learns what a chunk took, and returns it. */
    private long learn(ChunkInFlight chunk) {
        // What the device stood still for: of a chunk that was enqueued in time, nothing.
        long took = chunk.followed && lastEnd != 0
                ? Math.max(0, chunk.times.end - lastEnd)
                : chunk.executeEnd - chunk.executeStart;
        log.add(chunk.phase, chunk.firstUnit, chunk.units, took, chunk.times.busyNanos());
        if (!deferred) { // else the estimates are the next phase's by now
            boolean alike = chunk.firstUnit == endUnit
                    && chunk.work == chunk.units; // side by side, of units that cost the same
            lane.speed.estimate.observe(Math.max(1, chunk.work), (double) took, alike);
        }
        endUnit = chunk.firstUnit + chunk.units;
        return took;
    }
}
