package dev.evener.internal.run;

import dev.evener.history.LaneEstimate;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.Undo;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a lane's thread does with the chunks of one job: takes them, has its device run them, and sees to what comes of them.
 *
 * <p>While its device runs a chunk, it has the next one enqueued, if the lane {@linkplain Lane#takesAnother takes} one more, so
 * that the device goes straight on. OpenCL takes no command back, therefore the next chunk is taken from the pool, where it can be
 * stolen, cut anew or given up, no sooner than the device needs it ({@link LookAhead}). Both chunks end by their {@linkplain
 * ChunkInFlight tickets}; a lane that finds a ticket gone drops what it computed and leaves the job. When the first fails for
 * good, the second goes back with it, whatever became of it.
 *
 * <p>All of it belongs to the lane's thread.
 */
final class ChunkRunner {
    /** How often a chunk under way is looked at before it is expected to end: the most of its time that may be slept away. */
    private static final int LOOKS = 8;

    /** And the longest that may be, in nanoseconds: a look takes some ten microseconds of a core. */
    private static final long LONGEST_SLEEP = 5_000_000;

    /** A lane that could not take the next chunk so often in a phase is not asked again. */
    private static final int MOST_REFUSALS = 2;

    private final JobRun run;
    private final Participant self;
    private final LaneWorker worker;
    private final ChunkInFlight[] chunks;
    private final LaneEstimate estimate;
    private final LookAhead lookAhead = new LookAhead();
    private @Nullable PhaseRun entered; // whose chunks it takes
    private boolean out; // of that phase, in which there is nothing left for it
    private ChunkInFlight present; // the chunk that was begun
    private @Nullable ChunkInFlight next; // and the one after it
    private int refusals;
    private boolean tookOver;
    private int mostGranules;
    private boolean spansSegments;
    private final ChunkFigures figures;
    private final IntFunction<ByteBuffer> partial; // of the lane's last chunk

    /**
     * @param chunks two that others see as in the lane's hands
     * @param estimate of what chunks take, which learns from them
     */
    ChunkRunner(JobRun run, Participant self, ChunkInFlight[] chunks, LaneEstimate estimate) {
        this.run = run;
        this.self = self;
        this.worker = self.worker();
        this.partial = worker.lane()::partial;
        this.chunks = chunks;
        this.estimate = estimate;
        this.present = chunks[0];
        this.figures = new ChunkFigures(run, self, estimate, lookAhead);
    }

    /** What it takes next was another lane's. */
    void tookOver() {
        tookOver = true;
    }

    /** The most granules it may take at once. */
    int mostGranules() {
        return mostGranules;
    }

    /** Whether what it takes at once may reach over the end of a segment. */
    boolean spansSegments() {
        return spansSegments;
    }

    /** It begins to work for the run, once more perhaps. */
    void arrive() {
        entered = null;
        out = false;
    }

    /** Whether it has found that there is nothing for it in a phase. */
    boolean isDoneWith(PhaseRun phase) {
        return out && entered == phase;
    }

    /** Goes on with the chunk that was begun after the last one; false if there is none. */
    boolean goOnWithNext() {
        ChunkInFlight chunk = next;
        if (chunk == null) {
            return false;
        }
        next = null;
        figures.settle(); // of the chunk before: the device is at work meanwhile
        present = chunk;
        return true;
    }

    /** Takes the next chunk of a phase and begins it; false if there is none for this lane. */
    boolean begin(PhaseRun phase) {
        if (phase != entered) {
            entered = phase;
            out = true;
            if (!self.prepare(phase, worker.lane())) {
                return false;
            }
            tookOver = false;
            refusals = 0;
            lookAhead.restart(phase.number());
            mostGranules = mostGranules(phase, worker.lane());
            spansSegments = worker.lane().spansSegments() && !run.fenced() && !needsUndo(phase);
        }
        long range = phase.take(self);
        out = range == ChunkPool.NONE;
        if (out) {
            return false;
        }
        long now = run.events() == null ? 0 : run.now();
        figures.settle();
        begin(present, range, now, false);
        return true;
    }

    /** Takes the chunk that is to follow the one that was begun, and begins it; false if there is none at present. */
    boolean beginNext() {
        PhaseRun phase = phase();
        long range = phase.take(self);
        if (range == ChunkPool.NONE) {
            return false; // it may be otherwise when the lane comes for more
        }
        ChunkInFlight chunk = chunks[present == chunks[0] ? 1 : 0];
        begin(chunk, range, run.events() == null ? 0 : run.now(), true);
        next = chunk;
        return true;
    }

    private void begin(ChunkInFlight chunk, long range, long now, boolean behind) {
        PhaseRun phase = phase();
        chunk.take(range, phase.units(range), phase.work(range), now);
        chunk.stolen = tookOver;
        try {
            if (needsUndo(phase)) {
                chunk.undo.save(phase.phase(), phase.firstUnit(range), chunk.units);
            }
            chunk.times.reset();
            chunk.begin(run.now(), behind);
            self.begins(chunk.since());
        } catch (Throwable e) { // an Error too: the chunk has failed
            chunk.problem = e;
        }
    }

    /** Runs the chunk that was begun, and has the next one enqueued before it ends; what comes of it is for {@link #end}. */
    void execute() {
        ChunkInFlight chunk = present;
        if (!chunk.enqueued && chunk.followed) { // it was refused, and begins now
            chunk.followed = false;
            chunk.executeStart = run.now();
        }
        boolean proceeds = chunk.enqueued;
        enqueue(chunk);
        if (chunk.problem != null) {
            return;
        }
        try {
            if (proceeds) {
                worker.lane().proceed();
            }
            lookAhead(chunk);
        } catch (Throwable e) { // an Error too: what is under way must be waited for
            chunk.problem = e;
        }
        try {
            worker.lane().await();
        } catch (Throwable e) { // an Error too: the chunk has failed
            failWith(e);
        }
    }

    private void enqueue(ChunkInFlight chunk) {
        if (chunk.problem == null && !chunk.enqueued) {
            PhaseRun phase = phase();
            try {
                chunk.enqueued = worker.lane()
                        .enqueue(
                                run.job(),
                                phase.phase(),
                                phase.firstUnit(chunk.range),
                                chunk.units,
                                run.fenced(),
                                chunk.times);
            } catch (Throwable e) { // an Error too: the chunk has failed
                chunk.problem = e;
            }
        }
    }

    /** Enqueues the next chunk when the one under way is about to end. */
    private void lookAhead(ChunkInFlight chunk) {
        Lane lane = worker.lane();
        if (!looksAhead() || !lane.takesAnother()) {
            return;
        }
        long due = followUpAt();
        long began = run.now();
        for (long now = began; due - now > 0; now = run.now()) {
            worker.pause(Math.min(due - now, Math.min(LONGEST_SLEEP, Math.max(1, (long) (chunk.expected / LOOKS)))));
            if (!lane.takesAnother()) {
                return; // it has ended before its time
            }
        }
        if (!run.beginNext(self.index()) || next == null) {
            return;
        }
        next.followed = true;
        enqueue(next);
        if (next.enqueued) {
            followedUp(Math.max(due, began), run.now());
        } else if (next.problem == null) {
            refusals++;
        }
    }

    /** When the chunk that was begun is to be followed up by another, which may be over. */
    long followUpAt() {
        ChunkInFlight chunk = present;
        double known = estimate.nanosPerUnit();
        chunk.expected = known > 0 ? chunk.work * known + estimate.fixedNanos() : 0;
        // On the device it begins when the one before ends, which the lane hears of later.
        long before = figures.lastEnd();
        long from = chunk.followed && before != 0 ? before : chunk.since();
        double wait = Math.max(0, chunk.expected - lookAhead.reserveNanos(chunk.expected));
        return from + (long) Math.min(wait, Long.MAX_VALUE / 4.0);
    }

    /** The next chunk, which was due to be taken at one time, was enqueued at another. */
    void followedUp(long due, long enqueued) {
        lookAhead.prepared((double) Math.max(0, enqueued - due));
    }

    /**
     * Whether the chunk that was begun may be followed up by another before it ends. Not where chunks have deadlines: one that
     * waits behind another has none of its own, and would be lost with a lane that hangs in the first.
     */
    boolean looksAhead() {
        return !run.fenced() && refusals < MOST_REFUSALS;
    }

    /** In place of {@link #execute}: the chunk that was begun has failed. */
    void failWith(Throwable cause) {
        if (present.problem == null) {
            present.problem = cause;
        }
    }

    /** Reads the last chunk's times, if that is still to be done. */
    void settle() {
        figures.settle();
    }

    /** Whether the chunk that was begun has failed already. */
    boolean hasFailed() {
        return present.problem != null;
    }

    /** The chunk that was begun. */
    ChunkInFlight chunk() {
        return present;
    }

    /** The chunk that was begun after it; null if there is none. */
    @Nullable
    ChunkInFlight next() {
        return next;
    }

    /** The phase whose chunk was begun. */
    PhaseRun phase() {
        PhaseRun phase = entered;
        if (phase == null) {
            throw new IllegalStateException("lane " + self.index() + " was given no chunk");
        }
        return phase;
    }

    private int mostGranules(PhaseRun phase, Lane lane) {
        long units = lane.maxChunkUnits(phase.phase());
        if (needsUndo(phase)) {
            units = Math.min(units, Undo.mostUnits(phase.phase()));
        }
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, units / phase.unitsPerGranule()));
    }

    /** Ends the chunk that was begun: it counts, or goes back, or is somebody else's by now. */
    void end() {
        out = !finish(phase(), present);
    }

    /** False if the lane is out of the job. */
    private boolean finish(PhaseRun phase, ChunkInFlight chunk) {
        try {
            long now = run.now();
            if (next != null) {
                next.comesFirst(now);
            }
            Throwable failure = chunk.problem;
            if (failure == null) {
                chunk.executeEnd = now;
            }
            if (!chunk.claim()) {
                return false; // somebody else runs it
            }
            if (failure != null) {
                return failed(phase, chunk, failure);
            }
            if (!keep(phase, worker.lane(), chunk)) {
                return false;
            }
        } finally {
            chunk.undo.forget();
        }
        finishChunk(phase, chunk);
        return true;
    }

    /** What the chunk computed becomes part of the result; a failure here is one of the host, and nothing could be run again. */
    private boolean keep(PhaseRun phase, Lane lane, ChunkInFlight chunk) {
        try {
            lane.commit();
            run.partials().collect(self.index(), partial, phase.phase());
        } catch (Throwable e) {
            run.recovery().lostResult(self, e);
            return false;
        }
        figures.keep(phase, chunk);
        return true;
    }

    /** A fenced chunk touches nothing until it is kept. */
    private boolean needsUndo(PhaseRun phase) {
        return run.protectsUpdates() && !run.fenced() && Undo.updates(phase.phase());
    }

    /** What can wait is done after the others have been told; but in the last phase the report needs it. */
    private void finishChunk(PhaseRun phase, ChunkInFlight chunk) {
        if (phase.number() == run.job().phases().size() - 1) {
            figures.settle();
        } else {
            figures.defer();
        }
        run.chunkDone(self, phase, chunk.range);
    }

    private boolean failed(PhaseRun phase, ChunkInFlight chunk, Throwable e) {
        if (needsUndo(phase)) {
            chunk.undo.restore();
        } else if (!run.fenced() && Undo.updates(phase.phase())) {
            giveNextBack(phase);
            run.recovery().halfUpdated(self, phase, e);
            return false;
        }
        int size = ChunkPool.size(chunk.range);
        if (LaneFailure.kindOf(e) == LaneFailure.Kind.MEMORY && size > 1 && run.recovers()) {
            mostGranules = Math.max(1, size / 2);
            run.recovery().noteShrunk(self, phase, size, mostGranules, e);
            phase.giveBack(chunk.range);
            return true;
        }
        giveNextBack(phase);
        run.recovery().laneFailed(self, phase, phase.phase(), chunk.range, e);
        return false;
    }

    /** The device failed, so that what it makes of the next chunk is in doubt: it goes back as if it had not been begun. */
    private void giveNextBack(PhaseRun phase) {
        ChunkInFlight chunk = next;
        if (chunk == null) {
            return;
        }
        next = null;
        try {
            if (chunk.enqueued) {
                worker.lane().await(); // or the device might still write to what others run again
            }
        } catch (Throwable e) { // an Error too; as its device has failed anyway
            chunk.problem = e;
        }
        if (chunk.claim()) {
            if (needsUndo(phase)) {
                chunk.undo.restore();
            }
            phase.giveBack(chunk.range);
        }
        chunk.undo.forget();
    }
}
