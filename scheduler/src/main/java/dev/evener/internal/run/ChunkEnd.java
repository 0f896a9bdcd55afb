package dev.evener.internal.run;

import dev.evener.EvenerException.DevicesFailedException;
import dev.evener.internal.job.Argument;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.recovery.LaneFailure;

/**
 * How a chunk ends that its lane has waited for: it counts, or goes back to be run again, or its job fails, or it is somebody else's by
 * now. For the lane's own thread.
 */
final class ChunkEnd {
    private ChunkEnd() {}

    /** Ends the chunk that a lane has waited for; false if the lane is out of the job. */
    static boolean of(LaneTask lane, ChunkInFlight chunk) {
        JobRun run = lane.run;
        PhaseRun phase = chunk.of();
        try {
            long now = run.now();
            if (lane.next != null) {
                lane.next.comesFirst(now);
            }
            Throwable failure = chunk.problem;
            if (failure == null) {
                chunk.executeEnd = now;
            }
            if (!chunk.claim()) {
                lane.cameLate(phase, chunk, failure);
                return false; // somebody else runs it
            }
            if (failure != null) {
                return failed(lane, phase, chunk, failure);
            }
            try { // a failure here is one of the host, and nothing could be run again
                lane.commits();
                if (!chunk.committed) {
                    Lane its = lane.lane();
                    if (lane.isFenced() && !its.holdsData()) {
                        JobBuffers.hostWrites(phase.phase, chunk.firstUnit, chunk.units);
                    }
                    its.commit();
                    if (!its.holdsData()) {
                        JobBuffers.wroteOnHost(phase.phase, chunk.firstUnit, chunk.units);
                    }
                }
                run.plan.form.results.collect(lane.index, lane.worker.partial, phase.phase);
            } catch (Throwable e) {
                run.recovery.fatal(lane, e);
                return false;
            }
            lane.stats.keep(phase, chunk);
        } finally {
            chunk.undo.forget();
        }
        // What can wait is done after the others have been told; but in the last phase the report needs it.
        if (phase.number == lane.job().phases().size() - 1) {
            lane.stats.settle();
        } else {
            lane.stats.defer();
        }
        run.chunkDone(lane, phase, chunk.range);
        return true;
    }

    private static boolean failed(LaneTask lane, PhaseRun phase, ChunkInFlight chunk, Throwable e) {
        JobRun run = lane.run;
        String why = ", which failed there: " + LaneFailure.reason(e);
        if (chunk.committed) {
            lane.lane().takeBack(); // while it is the chunk that was waited for last
        }
        // Before others begin with this one again.
        boolean spoils = lane.worker.takeFollowerBack("job '" + run.name() + "'" + why)
                && !lane.lane().holdsData();
        ChunkInFlight next = lane.next;
        if (next != null && next.of() != phase) {
            spoils |= next.enqueued && !lane.lane().holdsData();
            takeNextBack(lane, "kernel " + phase.phase.kernel() + why);
            lane.enter(phase);
        }
        if (spoils) { // nobody knows what was written over
            String all = "kernel " + phase.phase.kernel() + " of job '" + run.name() + "' failed on "
                    + Recovery.named(lane.device())
                    + ", and what was under way behind it may have written over what it reads: "
                    + LaneFailure.reason(e);
            run.fail(LaneFailure.ofJob(all, e, DevicesFailedException::new));
        }
        if (chunk.times.untouched) {
            lane.didNotWrite(phase);
        }
        LaneFailure.Kind kind = LaneFailure.kindOf(e);
        if (chunk.undo.holds()) {
            chunk.undo.restore();
        } else if (lane.updates(phase) && !chunk.times.untouched && kind != LaneFailure.Kind.DECLARATION) {
            giveNextBack(lane);
            run.recovery.halfUpdated(lane, phase, e);
            return false;
        }
        int size = ChunkPool.size(chunk.range);
        if (kind.isForWant() && size > 1 && run.declared.options().recovers()) {
            lane.mostGranules = Math.max(1, size / 2);
            String what =
                    " could not hold a chunk of " + size * phase.unitsPerGranule + " units and goes on with at most ";
            run.recovery.note(lane, what + lane.mostGranules * phase.unitsPerGranule, e);
            if (run.isChained()) { // others may do what it was to do first
                run.degrade(phase);
            }
            phase.giveBack(chunk.range);
            return true;
        }
        giveNextBack(lane);
        run.recovery.laneFailed(lane, phase, phase.phase, chunk.range, e);
        return false;
    }

    /**
     * A chunk that was begun behind another job's goes back as if it had not been begun: that job has not ended with its own. What it may
     * have written over is lost, unless others hold it.
     *
     * @param before what it was behind, and what became of that, in words
     */
    static void behindFailed(LaneTask lane, String before) {
        lane.begun = false;
        lane.next = lane.present;
        if (lane.run.isChained()) { // others may do what it was to do first
            lane.run.degrade(lane.present.of());
        }
        takeNextBack(lane, before);
    }

    /** The same of a chunk of a later phase that was begun behind one that has failed. */
    private static void takeNextBack(LaneTask lane, String before) {
        ChunkInFlight chunk = lane.next;
        if (chunk == null) {
            return;
        }
        PhaseRun phase = chunk.of();
        giveNextBack(lane);
        if (chunk.enqueued) {
            String why = "kernel " + phase.phase.kernel() + " of job '" + lane.run.name() + "' was under way on "
                    + Recovery.named(lane.device()) + " behind " + before;
            for (Argument.Buffer b : phase.phase.buffers()) {
                if (b.written()) {
                    long from = b.seenFrom(phase.firstUnit(chunk.range));
                    long bytes = b.seenBytes(phase.firstUnit(chunk.range), chunk.units);
                    b.buffer().directory().explainLoss(from, from + bytes, why);
                }
            }
            if (lane.updates(phase)) {
                lane.run.fail(new DevicesFailedException(
                        why + ", and updates in place the " + JobBuffers.updated(phase.phase), null));
            }
        }
    }

    /** The device failed, so that what it makes of the next chunk is in doubt: it goes back as if it had not been begun. */
    private static void giveNextBack(LaneTask lane) {
        ChunkInFlight chunk = lane.next;
        if (chunk == null) {
            return;
        }
        lane.next = null;
        PhaseRun phase = chunk.of();
        try {
            if (chunk.enqueued) {
                lane.lane().await(); // or the device might still write to what others run again
            } else {
                lane.didNotWrite(phase);
            }
        } catch (Throwable e) { // an Error too; as its device has failed anyway
            chunk.problem = e;
        }
        if (chunk.claim()) {
            chunk.undo.restore(); // if it holds anything
            phase.giveBack(chunk.range);
        }
        chunk.undo.forget();
    }
}
