package dev.evener.internal.run;

import dev.evener.model.ChunkLog;
import dev.evener.model.LaneEstimate;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * What is measured of a lane's chunks in one job when they have been done: added up for the report, kept for the history, told to
 * listeners, and expected of the chunks to come. How fast the lane is in the phase that is open follows from what the model
 * knows, what its chunks took, and the chunks under way, of which one that is overdue shows that the lane is slower.
 *
 * <p>{@link #expect} is called by whoever opens a phase, before lanes are called; what the estimate and the chunks under way say
 * and how much was done are for any thread; all else belongs to the lane's thread, and is read by others when the run is over, which orders what was
 * written before.
 */
final class LaneStats {
    private static final long NEVER = Long.MIN_VALUE;

    /** Nanoseconds below which asking for a chunk's times is more than a twentieth of it: NVIDIA's driver takes 12 to 25 µs. */
    private static final double SHORT = 500_000;

    private final LaneTask lane;
    final LaneEstimate estimate = new LaneEstimate(); // of what chunks cost
    /** What a unit was expected to take; comparable with other lanes' whether or not nanoseconds are known. */
    volatile double guess;

    volatile @Nullable LaneRates rates; // of the lanes in that phase
    private double shown; // there, of this one

    Total total = new Total(); // of all chunks that counted
    ChunkLog log = new ChunkLog(); // what they took
    long firstBegun = NEVER; // when the lane began with its first chunk
    long waited; // nanoseconds until the lane was done with other jobs
    private @Nullable ChunkInFlight unsettled;
    private boolean deferred;
    volatile long doneUnits; // of chunks that were settled, for policies
    volatile long doneNanos; // what they took the device
    volatile long doneWallNanos; // and the lane
    volatile int doneChunks;
    volatile int redone; // chunks of others that it did again

    @Nullable
    Future<?> untilItHangs; // while it is still at a chunk that another did again; guarded by the lane

    long lastEnd; // on the device, of the chunk that was settled last; 0 if that could not tell

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

    LaneStats(LaneTask lane) {
        this.lane = lane;
    }

    // ---- how fast the lane is ----

    /**
     * What is expected of the lane in a phase, before its first chunk.
     *
     * @param phaseRates of all lanes in that; null if it has no part in it
     */
    void expect(LaneEstimate.Prior prior, @Nullable LaneRates phaseRates) {
        guess = Math.exp(prior.logPerUnit());
        estimate.expect(prior);
        rates = phaseRates;
        shown = Double.NaN;
        show();
    }

    private void show() {
        LaneRates all = rates;
        if (all != null && estimate.known()) {
            double now = Math.log(estimate.nanosPerUnit() / guess);
            now = Double.isFinite(now) ? now : 0;
            all.show(lane.index, lane.run.plan.classOf(lane.index), shown, now);
            shown = now;
        }
    }

    /** What a unit takes, given what is expected of it. */
    double nanosPerUnit(double expected, long now) {
        for (ChunkInFlight chunk : lane.worker.chunks) {
            if (chunk.runs(lane)) {
                return estimate.overdue(expected, chunk.heldWork, (double) chunk.elapsed(now));
            }
        }
        return expected;
    }

    /** Estimated time to the end of the chunks in the lane's hands, given what a unit is expected to take. */
    double busyNanos(double expected, long now) {
        double busy = 0;
        for (ChunkInFlight chunk : lane.worker.chunks) {
            busy += chunk.isHeld(lane) ? estimate.busyNanos(expected, chunk.heldWork, (double) chunk.elapsed(now)) : 0;
        }
        return busy;
    }

    /** The lane does a chunk of another again. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // the lane's thread alone writes
    void redoes() {
        redone++;
    }

    /** Work of the chunks in the lane's hands, in units of mean cost. */
    double heldWork() {
        double work = 0;
        for (ChunkInFlight chunk : lane.worker.chunks) {
            work += chunk.isHeld(lane) ? chunk.heldWork : 0;
        }
        return work;
    }

    /** For how long the chunk in the lane's hands could run by now. */
    double elapsedNanos(long now) {
        double elapsed = 0;
        for (ChunkInFlight chunk : lane.worker.chunks) {
            elapsed += chunk.isHeld(lane) ? (double) chunk.elapsed(now) : 0;
        }
        return elapsed;
    }

    // ---- what chunks took ----

    /** All that was done counts for nothing: the job begins again. */
    void restart() {
        settle();
        total = new Total();
        log = new ChunkLog();
    }

    /** The lane comes, and could not before, for so many nanoseconds, as it was at work for other jobs. */
    void arrives(long after) {
        if (!lane.run.isJoined) { // else it waits for the job before, and comes when it begins
            waited += after;
            lane.run.start.arrived(after);
        }
    }

    /** The lane begins with a chunk. */
    void begins(long at) {
        if (firstBegun == NEVER) {
            firstBegun = at;
            if (lane.run.isJoined) {
                waited = Math.max(0, at - lane.run.start.startedAt);
                lane.run.start.arrived(waited);
            }
        }
    }

    /** Whether work is expected to take so little that asking a device's clock would be much of it. */
    boolean isShort(double work) {
        return estimate.known() && work * estimate.nanosPerUnit() + estimate.fixedNanos() < SHORT;
    }

    /** A chunk counts, and is to be settled. */
    void keep(PhaseRun phase, ChunkInFlight chunk) {
        chunk.phase = phase.number;
        chunk.owner = phase.owner(lane, chunk.range);
        chunk.unitsAsSubmitted = lane.run.plan.form.unitsAsSubmitted(chunk.units);
        total.units += chunk.units;
        total.stolenChunks += chunk.stolen ? 1 : 0;
        chunk.isLast = phase.isLast(chunk.range);
        unsettled = chunk;
    }

    /** Has the report wait for the chunk that is to be settled later. */
    void defer() {
        lane.run.owe();
        deferred = true;
    }

    /** Reads the last chunk's times, if that is still to be done. */
    void settle() {
        ChunkInFlight chunk = unsettled;
        if (chunk == null) {
            return;
        }
        unsettled = null;
        try {
            lane.lane().settle(chunk.times);
            total.times.add(chunk.times);
            total.chunks++;
            lane.lookAhead.compare(chunk.phase, chunk.expected, (double) learn(chunk));
            lastEnd = chunk.times.end;
        } catch (Throwable e) { // the result is there; that the device cannot tell its times changes nothing
            lane.run.recovery.note(lane, "", e);
        } finally {
            EventPublisher.OfJob events = lane.run.events;
            if (events != null) {
                events.chunk(lane.index, chunk);
            }
            if (deferred) {
                deferred = false;
                lane.run.settled();
            }
        }
    }

    /** What a chunk took that was taken from the lane, which counts for nothing else in the job. */
    ChunkLog late(int phase, ChunkInFlight chunk) {
        long took = chunk.executeEnd - chunk.executeStart;
        ChunkLog alone = new ChunkLog();
        alone.add(phase, chunk.firstUnit, chunk.units, took, chunk.times.busyNanos());
        estimate.observe(Math.max(1, chunk.work), (double) took, (double) chunk.times.busyNanos());
        show();
        return alone;
    }

    /** Learns what a chunk took, and returns it. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // the lane's thread alone writes
    private long learn(ChunkInFlight chunk) {
        ChunkTimes times = chunk.times;
        // What the device stood still for: of a chunk that was enqueued in time, nothing. Saving grows with its units,
        // as computing does.
        boolean inTime = chunk.followed && lastEnd != 0;
        long saving = inTime ? 0 : chunk.savedNanos;
        long busy = saving + times.busyNanos();
        long took = inTime ? Math.max(0, times.end - lastEnd) : saving + chunk.executeEnd - chunk.executeStart;
        if (lane.run.isChained()) {
            took = busy; // the rest is the wait for neighbours, which is their set's and not the lane's
        }
        times.tellMove(log, estimate.fixedNanos());
        log.add(chunk.phase, chunk.firstUnit, chunk.units, took, busy);
        doneNanos += took; // nobody else writes these
        doneWallNanos += chunk.savedNanos + chunk.executeEnd - chunk.executeStart;
        doneChunks++;
        doneUnits += chunk.units;
        if (!deferred && !chunk.isLast) { // else the estimates are the next phase's by now, or nobody's
            estimate.observe(Math.max(1, chunk.work), (double) took, (double) busy);
            show();
        }
        return took;
    }
}
