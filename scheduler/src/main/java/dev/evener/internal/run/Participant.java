package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.policy.Snapshot.Cost;
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
 * <p>{@link #work} and {@link #settle} belong to the lane's thread; everything else may be called by any thread.
 */
final class Participant {
    /** Say of the latest chunk in the running estimate of a lane's speed. */
    private static final double NEWEST = 0.5;
    /**
     * A chunk so many times slower than estimated replaces the estimate: the device, or the work, has changed. One that was
     * faster does not, since a job may begin with cheap units, and chunks would be made too large for the dear ones.
     */
    private static final double CHANGED = 1.5;

    private final JobRun run;
    private final int index;
    private final LaneWorker worker;
    private final LaneStats[] stats;
    private final AtomicLong ticket = new AtomicLong();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicBoolean late = new AtomicBoolean();

    /** Whether it was planned in or called in. */
    private volatile boolean active;
    /** Whether it may: its device is neither quarantined nor failed in this job. */
    private volatile boolean usable;

    private volatile long chunk = ChunkPool.NONE;
    private volatile long chunkStart;
    private volatile int chunkUnits;
    private volatile double nanosPerUnit;
    private volatile double launchNanos;
    private volatile double weight;

    // The lane's thread alone.
    private @Nullable Job prepared;
    private boolean tookOver;
    private int mostGranules;
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

    Participant(JobRun run, int index, LaneWorker worker, int phases, int lanes) {
        this.run = run;
        this.index = index;
        this.worker = worker;
        this.stats = new LaneStats[phases];
        for (int p = 0; p < phases; p++) {
            stats[p] = new LaneStats(lanes);
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
            stats[p] = new LaneStats(stats[p].unitsOf.length);
        }
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

    /** It takes no more part in the job. */
    void retire() {
        usable = false;
    }

    /** What is expected of it in a phase, before its first chunk. */
    void expect(Cost cost, double launch) {
        weight = device().roughSpeed();
        nanosPerUnit = cost.known() ? cost.nanosPerUnit() : 0;
        launchNanos = launch;
    }

    double weight() {
        return weight;
    }

    double launchNanos() {
        return launchNanos;
    }

    /** Estimated, 0 if unknown; a chunk that is overdue shows that the lane is slower than it was. */
    double nanosPerUnit(long now) {
        double known = nanosPerUnit;
        if ((ticket.get() & 1) == 0) {
            return known;
        }
        double soFar = (now - chunkStart) / (double) Math.max(1, chunkUnits);
        return known > 0 ? Math.max(known, soFar) : 0;
    }

    /** Estimated time to the end of the chunk under way. */
    double busyNanos(long now) {
        if ((ticket.get() & 1) == 0) {
            return 0;
        }
        double elapsed = Math.max(0, now - chunkStart);
        double left = chunkUnits * nanosPerUnit + launchNanos - elapsed;
        // Overdue by how much, nobody knows: as long again as it is overdue, the usual guess.
        return left >= 0 ? left : -left;
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

    /** Runs chunks of a phase until there are none for this lane. */
    void work(PhaseRun phase) {
        Lane lane = worker.lane();
        if (!prepare(phase, lane)) {
            return;
        }
        tookOver = false;
        mostGranules = mostGranules(phase, lane);
        while (!run.stopped()) {
            long range = phase.take(this);
            if (range == ChunkPool.NONE || !runChunk(phase, lane, range)) {
                return;
            }
        }
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
                run.laneFailed(this, phase, each, ChunkPool.NONE, e);
                return false;
            }
        }
        prepared = job;
        return true;
    }

    private int mostGranules(PhaseRun phase, Lane lane) {
        long units = Math.min(Integer.MAX_VALUE, lane.maxChunkUnits(phase.phase()));
        if (needsUndo(phase)) {
            units = Math.min(units, Undo.mostUnits(phase.phase()));
        }
        return (int) Math.max(1, units / phase.unitsPerGranule());
    }

    /** False if the lane is out of the job. */
    private boolean runChunk(PhaseRun phase, Lane lane, long range) {
        long mine = 0;
        boolean begun = false;
        long now = run.events() == null ? 0 : run.now();
        try {
            settle();
            taken = now;
            long first = phase.firstUnit(range);
            int units = phase.units(range);
            if (needsUndo(phase)) {
                worker.undo().save(phase.phase(), first, units);
            }
            ChunkTimes times = worker.times();
            times.reset();
            mine = begin(range, units);
            begun = true;
            lane.execute(run.job(), phase.phase(), first, units, run.fenced(), times);
            executeEnd = run.now();
            if (!claim(mine)) {
                return false; // somebody else runs it
            }
            begun = false;
            if (!keep(phase, lane, range, units)) {
                return false;
            }
        } catch (Throwable e) {
            if (begun && !claim(mine)) {
                return false;
            }
            return failed(phase, range, e);
        } finally {
            worker.undo().forget();
        }
        finishChunk(phase, range);
        return true;
    }

    /** What the chunk computed becomes part of the result; a failure here is one of the host, and nothing could be run again. */
    private boolean keep(PhaseRun phase, Lane lane, long range, int units) {
        try {
            lane.commit();
            run.partials().collect(index, lane, phase.phase());
        } catch (Throwable e) {
            run.fail(run.onDevice(device(), e));
            return false;
        }
        LaneStats mine = stats[phase.number()];
        chunkPhase = phase.number();
        chunkOwner = phase.owner(this, range);
        chunkFirst = phase.firstUnit(range);
        chunkDeclared = run.unitsAsDeclared(units);
        mine.add(units, chunkOwner, tookOver);
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
            run.halfUpdated(this, phase, e);
            return false;
        }
        int size = ChunkPool.size(range);
        if (LaneFailure.kindOf(e) == LaneFailure.Kind.MEMORY && size > 1 && run.recovers()) {
            mostGranules = Math.max(1, size / 2);
            run.noteShrunk(this, phase, size, mostGranules, e);
            phase.giveBack(range);
            return true;
        }
        run.laneFailed(this, phase, phase.phase(), range, e);
        return false;
    }

    private long begin(long range, int units) {
        executeStart = run.now();
        chunk = range;
        chunkUnits = units;
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
            if (!deferred) { // else the estimates are the next phase's by now
                learn(times, open);
            }
        } catch (Throwable e) { // the result is there; that the device cannot tell its times changes nothing
            run.note(this, e);
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

    private void learn(ChunkTimes times, LaneStats into) {
        double seen = times.busyNanos() / (double) Math.max(1, chunkUnits);
        double known = nanosPerUnit;
        boolean changed = known <= 0 || seen > known * CHANGED;
        nanosPerUnit = Math.max(1e-6, changed ? seen : known + NEWEST * (seen - known));
        double launch = Math.max(0, executeEnd - executeStart - times.busyNanos());
        into.launchNanos += launch;
        into.launches++;
        launchNanos = launchNanos <= 0 ? launch : launchNanos + NEWEST * (launch - launchNanos);
    }
}
