package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.history.ChunkLog;
import dev.evener.history.LaneEstimate;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One lane's part in one job: it runs chunks, says how fast it is, and can have a chunk taken away from it.
 *
 * <p>A chunk under way has a ticket, a number that is odd while the chunk runs. Whoever moves the ticket on owns the chunk's
 * end: the lane when it is done or failed, or the watchdog when the chunk is overdue. A lane that finds its ticket gone
 * drops what it computed and leaves the job.
 *
 * <p>{@link #begin}, {@link #execute}, {@link #end} and {@link #settle} belong to the lane's thread; everything else may be called by any thread.
 */
final class Participant {
    private final JobRun run;
    private final int index;
    private final LaneWorker worker;
    private final LaneStats[] stats;
    private final AtomicLong ticket = new AtomicLong();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicBoolean late = new AtomicBoolean();
    private final LaneEstimate estimate = new LaneEstimate();
    private ChunkLog chunks = new ChunkLog();

    /** Whether it was planned in or called in. */
    private volatile boolean active;
    /** Whether it may: its device is neither quarantined nor failed in this job. */
    private volatile boolean usable;

    private volatile long chunk = ChunkPool.NONE;
    private volatile long chunkStart;
    private volatile double chunkWork;
    private volatile double guess;
    private long chunkUnits;
    private long firstBegun;

    private boolean building; // asked to; set before the lane is called

    // The lane's thread alone.
    private @Nullable Job prepared;
    private @Nullable PhaseRun entered; // whose chunks it takes
    private boolean out; // of that phase, in which there is nothing left for it
    private long held = ChunkPool.NONE; // the chunk that was begun
    private long heldTicket;
    private boolean begun; // and has a ticket
    private @Nullable Throwable problem; // with it
    private boolean tookOver;
    private int mostGranules;
    private boolean spansSegments;
    private long executeStart;
    private long executeEnd;
    private @Nullable LaneStats unsettled;
    private boolean deferred;

    // Of the chunk whose times are not read yet, for those who listen.
    private long taken;
    private int chunkPhase;
    private int chunkOwner;
    private long chunkFirst;
    private long chunkDeclared;

    Participant(JobRun run, int index, LaneWorker worker, int phases) {
        this.run = run;
        this.index = index;
        this.worker = worker;
        this.stats = new LaneStats[phases];
        for (int p = 0; p < phases; p++) {
            stats[p] = new LaneStats();
        }
    }

    int index() {
        return index;
    }

    LaneWorker worker() {
        return worker;
    }

    DeviceInfo device() {
        return worker.device();
    }

    LaneStats stats(int phase) {
        return stats[phase];
    }

    /** Whether it works for the job; false for good once it has failed, even if it was called in at the same moment. */
    boolean active() {
        return active && usable;
    }

    void activate() {
        active = true;
    }

    /** The job begins again; on the lane's thread. */
    void restart() {
        for (int p = 0; p < stats.length; p++) {
            stats[p] = new LaneStats();
        }
        chunks = new ChunkLog();
    }

    /** The plan that called it in holds no longer. */
    void deactivate() {
        active = false;
    }

    boolean usable() {
        return usable;
    }

    void setUsable(boolean value) {
        usable = value;
    }

    /** It was called once more, and counts as present until it has left or is {@link #countOut counted out}. */
    void called() {
        calls.incrementAndGet();
    }

    /** Takes back one call, when the lane leaves; false if it was counted out meanwhile. */
    boolean left() {
        return calls.getAndUpdate(c -> Math.max(0, c - 1)) > 0;
    }

    /** Takes back all its calls: it hangs, and will not answer them. */
    int countOut() {
        return calls.getAndSet(0);
    }

    /** From now on, when it comes back late, somebody waits for it to let go of the job's buffers. */
    void expectLate() {
        late.set(true);
    }

    /** Whether somebody waited; true once for each {@link #expectLate}. */
    boolean cameLate() {
        return late.compareAndSet(true, false);
    }

    /** It is to build what it may run of the job, before it is given anything; before it is called. */
    void askToBuild() {
        building = true;
    }

    /** Whether it was, and has not begun with it. By whoever calls the lane, and then on its thread. */
    boolean mustBuild() {
        return building;
    }

    /** On the lane's thread. */
    void beginsToBuild() {
        building = false;
    }

    /** It takes no more part in the job. */
    void retire() {
        usable = false;
    }

    /** What is expected of it in a phase, before its first chunk. */
    void expect(LaneEstimate.Prior prior) {
        guess = prior.nanosPerUnit();
        estimate.expect(prior);
    }

    /** What its chunks cost, as far as it is known. */
    LaneEstimate estimate() {
        return estimate;
    }

    /** What a unit was expected to take; comparable with other lanes' whether or not nanoseconds are known. */
    double guess() {
        return guess;
    }

    /** Estimated, 0 if unknown; a chunk that is overdue shows that the lane is slower than it was. */
    double nanosPerUnit(long now) {
        boolean idle = (ticket.get() & 1) == 0;
        return idle ? estimate.nanosPerUnit() : estimate.nanosPerUnit(chunkWork, (double) (now - chunkStart));
    }

    /** What it did; when the run is over. */
    ChunkLog chunks() {
        return chunks;
    }

    /** When it began with its first chunk; 0 if it had none. When the run is over. */
    long firstBegun() {
        return firstBegun;
    }

    /** Estimated time to the end of the chunk under way. */
    double busyNanos(long now) {
        boolean idle = (ticket.get() & 1) == 0;
        return idle ? 0 : estimate.busyNanos(chunkWork, (double) Math.max(0, now - chunkStart));
    }

    /** What it takes next was another lane's. */
    void tookOver() {
        tookOver = true;
    }

    /** Part of another lane's range is this one's from now on. */
    void stole(int phase, int victim, long units) {
        Announcer.OfJob events = run.events();
        if (events != null) {
            events.stolen(phase, index, victim, units);
        }
    }

    /** The most granules it may take at once. */
    int mostGranules() {
        return mostGranules;
    }

    /** Whether what it takes at once may reach over the end of a segment. */
    boolean spansSegments() {
        return spansSegments;
    }

    /** Whether it runs a chunk that began before a moment, as {@link #revoke} wants it; any thread. */
    boolean overdue(long startedBefore) {
        return (ticket.get() & 1) != 0 && chunkStart - startedBefore <= 0;
    }

    /** Whether it was called and has neither left nor been counted out; any thread. */
    boolean present() {
        return calls.get() > 0;
    }

    /**
     * Takes the chunk away if it began before a moment; any thread.
     *
     * @return the range taken away, or {@link ChunkPool#NONE}
     */
    long revoke(long startedBefore) {
        long held = ticket.get();
        if ((held & 1) == 0 || chunkStart - startedBefore > 0) {
            return ChunkPool.NONE;
        }
        long range = chunk;
        // If the ticket still stands, the fields read above were this chunk's.
        return ticket.compareAndSet(held, held + 1) ? range : ChunkPool.NONE;
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

    /** Takes the next chunk of a phase and begins it; false if there is none for this lane. */
    boolean begin(PhaseRun phase) {
        if (phase != entered) {
            entered = phase;
            out = true;
            if (!prepare(phase, worker.lane())) {
                return false;
            }
            tookOver = false;
            mostGranules = mostGranules(phase, worker.lane());
            spansSegments = worker.lane().spansSegments() && !run.fenced() && !needsUndo(phase);
        }
        held = phase.take(this);
        out = held == ChunkPool.NONE;
        if (out) {
            return false;
        }
        begun = false;
        problem = null;
        long now = run.events() == null ? 0 : run.now();
        try {
            settle();
            taken = now;
            long units = phase.units(held);
            if (needsUndo(phase)) {
                worker.undo().save(phase.phase(), phase.firstUnit(held), units);
            }
            worker.times().reset();
            heldTicket = begin(held, units, phase.work(held));
            begun = true;
        } catch (Throwable e) { // an Error too: the chunk has failed
            problem = e;
        }
        return true;
    }

    /** Runs the chunk that was begun; what comes of it is for {@link #end}. */
    void execute() {
        PhaseRun phase = phase();
        if (problem == null) {
            try {
                worker.lane()
                        .execute(
                                run.job(),
                                phase.phase(),
                                phase.firstUnit(held),
                                phase.units(held),
                                run.fenced(),
                                worker.times());
            } catch (Throwable e) { // an Error too: the chunk has failed
                problem = e;
            }
        }
    }

    /** In place of {@link #execute}: the chunk that was begun has failed. */
    void failWith(Throwable cause) {
        if (problem == null) {
            problem = cause;
        }
    }

    /** Whether the chunk that was begun has failed already. */
    boolean hasFailed() {
        return problem != null;
    }

    /** On a virtual clock, which stood still meanwhile: keeping a copy of what the chunk updates has taken so long. */
    void saved(long nanos) {
        executeStart += nanos;
    }

    /** The phase whose chunk was begun. */
    PhaseRun phase() {
        PhaseRun phase = entered;
        if (phase == null) {
            throw new IllegalStateException("lane " + index + " was given no chunk");
        }
        return phase;
    }

    /** The chunk that was begun. */
    long held() {
        return held;
    }

    /** All phases at once: a build in mid-job would hold up the other lanes. */
    private boolean prepare(PhaseRun phase, Lane lane) {
        Job job = run.job();
        if (prepared == job) {
            return true;
        }
        for (Job.Phase each : job.phases()) {
            try {
                lane.prepare(job, each);
            } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
                run.recovery().laneFailed(this, phase, each, ChunkPool.NONE, e);
                return false;
            }
        }
        prepared = job;
        return true;
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
        out = !finish(phase(), held);
    }

    /** False if the lane is out of the job. */
    private boolean finish(PhaseRun phase, long range) {
        try {
            Throwable failure = problem;
            if (failure == null) {
                executeEnd = run.now();
            }
            if (begun && !claim(heldTicket)) {
                return false; // somebody else runs it
            }
            if (failure != null) {
                return failed(phase, range, failure);
            }
            if (!keep(phase, worker.lane(), range, phase.units(range))) {
                return false;
            }
        } finally {
            worker.undo().forget();
        }
        finishChunk(phase, range);
        return true;
    }

    /** What the chunk computed becomes part of the result; a failure here is one of the host, and nothing could be run again. */
    private boolean keep(PhaseRun phase, Lane lane, long range, long units) {
        try {
            lane.commit();
            run.partials().collect(index, lane, phase.phase());
        } catch (Throwable e) {
            run.recovery().lostResult(this, e);
            return false;
        }
        LaneStats mine = stats[phase.number()];
        chunkPhase = phase.number();
        chunkOwner = phase.owner(this, range);
        chunkFirst = phase.firstUnit(range);
        chunkDeclared = run.unitsAsDeclared(units);
        mine.add(units, tookOver);
        unsettled = mine;
        return true;
    }

    /** A fenced chunk touches nothing until it is kept. */
    private boolean needsUndo(PhaseRun phase) {
        return run.protectsUpdates() && !run.fenced() && Undo.updates(phase.phase());
    }

    /** What can wait is done after the others have been told; but in the last phase the report needs it. */
    private void finishChunk(PhaseRun phase, long range) {
        boolean last = phase.number() == run.job().phases().size() - 1;
        if (last) {
            settle();
        } else {
            run.owe();
            deferred = true;
        }
        run.chunkDone(this, phase, range);
    }

    private boolean failed(PhaseRun phase, long range, Throwable e) {
        if (needsUndo(phase)) {
            worker.undo().restore();
        } else if (!run.fenced() && Undo.updates(phase.phase())) {
            run.recovery().halfUpdated(this, phase, e);
            return false;
        }
        int size = ChunkPool.size(range);
        if (LaneFailure.kindOf(e) == LaneFailure.Kind.MEMORY && size > 1 && run.recovers()) {
            mostGranules = Math.max(1, size / 2);
            run.recovery().noteShrunk(this, phase, size, mostGranules, e);
            phase.giveBack(range);
            return true;
        }
        run.recovery().laneFailed(this, phase, phase.phase(), range, e);
        return false;
    }

    private long begin(long range, long units, double work) {
        executeStart = run.now();
        firstBegun = firstBegun == 0 ? executeStart : firstBegun;
        chunk = range;
        chunkUnits = units;
        chunkWork = work;
        chunkStart = executeStart;
        return ticket.incrementAndGet();
    }

    private boolean claim(long mine) {
        return ticket.compareAndSet(mine, mine + 1);
    }

    /** Reads the last chunk's times, if that is still to be done. */
    void settle() {
        LaneStats open = unsettled;
        if (open == null) {
            return;
        }
        unsettled = null;
        ChunkTimes times = worker.times();
        try {
            worker.lane().settle(times);
            open.add(times);
            long took = executeEnd - executeStart;
            chunks.add(chunkPhase, chunkFirst, chunkUnits, took, times.busyNanos());
            if (!deferred) { // else the estimates are the next phase's by now
                estimate.observe(Math.max(1, chunkWork), (double) took);
            }
        } catch (Throwable e) { // the result is there; that the device cannot tell its times changes nothing
            run.recovery().note(this, e);
        } finally {
            announce(times);
            if (deferred) {
                deferred = false;
                run.settled();
            }
        }
    }

    private void announce(ChunkTimes times) {
        Announcer.OfJob events = run.events();
        if (events != null) {
            events.chunk(
                    chunkPhase, index, chunkFirst, chunkDeclared, chunkOwner, taken, executeStart, executeEnd, times);
        }
    }
}
