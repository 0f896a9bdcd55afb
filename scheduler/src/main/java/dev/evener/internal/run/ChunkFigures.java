package dev.evener.internal.run;

import dev.evener.history.LaneEstimate;
import org.jspecify.annotations.Nullable;

/**
 * What is learnt of a lane's chunks when they have been done: added up for the report, told to listeners, and expected of the
 * chunks to come. Belongs to the lane's thread.
 */
final class ChunkFigures {
    private final JobRun run;
    private final Participant self;
    private final LaneEstimate estimate;
    private final LookAhead lookAhead;
    private @Nullable ChunkInFlight unsettled;
    private boolean deferred;
    private long lastEnd;
    private long endUnit; // after those of the chunk before

    ChunkFigures(JobRun run, Participant self, LaneEstimate estimate, LookAhead lookAhead) {
        this.run = run;
        this.self = self;
        this.estimate = estimate;
        this.lookAhead = lookAhead;
    }

    /** When the chunk that was settled last had ended on the device; 0 if that could not tell. */
    long lastEnd() {
        return lastEnd;
    }

    /** A chunk counts, and is to be settled. */
    void keep(PhaseRun phase, ChunkInFlight chunk) {
        chunk.phase = phase.number();
        chunk.owner = phase.owner(self, chunk.range);
        chunk.firstUnit = phase.firstUnit(chunk.range);
        chunk.declaredUnits = run.unitsAsDeclared(chunk.units);
        LaneStats mine = self.stats(chunk.phase);
        mine.add(chunk.units, chunk.stolen);
        chunk.stats = mine;
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
        LaneStats open = chunk == null ? null : chunk.stats;
        if (chunk == null || open == null) {
            return;
        }
        unsettled = null;
        try {
            self.worker().lane().settle(chunk.times);
            open.add(chunk.times);
            lookAhead.compare(chunk.phase, chunk.expected, (double) learn(chunk));
            lastEnd = chunk.times.end;
        } catch (Throwable e) { // the result is there; that the device cannot tell its times changes nothing
            run.recovery().note(self, e);
        } finally {
            announce(chunk);
            if (deferred) {
                deferred = false;
                run.settled();
            }
        }
    }

    private void announce(ChunkInFlight chunk) {
        Announcer.OfJob events = run.events();
        if (events != null) {
            events.chunk(
                    chunk.phase,
                    self.index(),
                    chunk.firstUnit,
                    chunk.declaredUnits,
                    chunk.owner,
                    chunk.taken,
                    chunk.executeStart,
                    chunk.executeEnd,
                    chunk.times);
        }
    }

    /** Learns what a chunk took, and returns it. */
    private long learn(ChunkInFlight chunk) {
        // What the device stood still for: of a chunk that was enqueued in time, nothing.
        long took = chunk.followed && lastEnd != 0
                ? Math.max(0, chunk.times.end - lastEnd)
                : chunk.executeEnd - chunk.executeStart;
        self.log().add(chunk.phase, chunk.firstUnit, chunk.units, took, chunk.times.busyNanos());
        if (!deferred) { // else the estimates are the next phase's by now
            boolean alike = chunk.firstUnit == endUnit
                    && chunk.work == chunk.units; // side by side, of units that cost the same
            estimate.observe(Math.max(1, chunk.work), (double) took, alike);
        }
        endUnit = chunk.firstUnit + chunk.units;
        return took;
    }
}
