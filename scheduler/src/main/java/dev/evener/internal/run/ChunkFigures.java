package dev.evener.internal.run;

import dev.evener.history.ChunkCost;
import org.jspecify.annotations.Nullable;

/**
 * What is learnt of a lane's chunks when they have been done: added up for the report, told to listeners, and expected of the
 * chunks to come. Belongs to the lane's thread.
 */
final class ChunkFigures {
    private final JobRun run;
    private final Participant self;
    private final ChunkCost cost;
    private final LookAhead lookAhead;
    private @Nullable ChunkInFlight unsettled;
    private boolean deferred;
    private long lastEnd;

    ChunkFigures(JobRun run, Participant self, ChunkCost cost, LookAhead lookAhead) {
        this.run = run;
        this.self = self;
        this.cost = cost;
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
        mine.add(chunk.units, chunk.owner, chunk.stolen);
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
            if (!deferred) { // else the estimates are the next phase's by now
                learn(chunk, open);
            }
            lastEnd = chunk.times.end;
            lookAhead.compare(chunk.phase, chunk.expected, (double) chunk.times.busyNanos());
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

    private void learn(ChunkInFlight chunk, LaneStats into) {
        double busy = (double) chunk.times.busyNanos();
        // What the device stood still for: of a chunk that was enqueued in time, nothing.
        double taken = chunk.followed && lastEnd != 0
                ? (double) (chunk.times.end - lastEnd)
                : (double) (chunk.executeEnd - chunk.executeStart);
        double launch = Math.max(0, taken - busy);
        cost.observe(Math.max(1, chunk.units), busy, launch);
        into.launchNanos += launch;
        into.launches++;
        into.startNanos = cost.startNanos();
        into.startTested = cost.tested();
    }
}
