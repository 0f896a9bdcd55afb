package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.history.ChunkLog;
import dev.evener.history.LaneEstimate;
import dev.evener.internal.JobSpec;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One lane's part in one job: it says how fast it is, can have chunks taken away from it, and knows whether it still takes part.
 * What its thread does with chunks is for its {@link ChunkRunner}.
 *
 * <p>{@link #prepare} belongs to the lane's thread; everything else may be called by any thread.
 */
final class Participant {
    private static final long NEVER = Long.MIN_VALUE;

    private final JobRun run;
    private final int index;
    private final LaneWorker worker;
    private final LaneStats[] stats;
    private final ChunkInFlight[] chunks;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicBoolean late = new AtomicBoolean();
    private final LaneEstimate estimate = new LaneEstimate();
    private ChunkLog log = new ChunkLog();
    private long firstBegun = NEVER;

    /** Whether it was planned in or called in. */
    private volatile boolean active;
    /** Whether it may: its device is neither quarantined nor failed in this job. */
    private volatile boolean usable;

    private volatile double guess;
    private boolean building; // asked to; set before the lane is called

    private final ChunkRunner runner;
    private @Nullable JobSpec prepared; // the lane's thread alone

    Participant(JobRun run, int index, LaneWorker worker, int phases) {
        this.run = run;
        this.index = index;
        this.worker = worker;
        this.chunks = new ChunkInFlight[] {worker.chunk(0), worker.chunk(1)};
        this.runner = new ChunkRunner(run, this, chunks, estimate);
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

    /** What its thread does with chunks; for that thread. */
    ChunkRunner runner() {
        return runner;
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
        log = new ChunkLog();
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

    /** What a unit takes, given what is expected of it: a chunk that is overdue shows that the lane is slower. */
    double nanosPerUnit(double expected, long now) {
        for (ChunkInFlight chunk : chunks) {
            if (chunk.runs()) {
                return estimate.overdue(expected, chunk.heldWork(), (double) chunk.elapsed(now));
            }
        }
        return expected;
    }

    /** What its chunks took; for the lane's thread, and when the run is over. */
    ChunkLog log() {
        return log;
    }

    /** It begins with a chunk; on the lane's thread. */
    void begins(long at) {
        firstBegun = firstBegun == NEVER ? at : firstBegun;
    }

    /** When it began with its first chunk, if it had one. When the run is over. */
    long firstBegun() {
        return firstBegun;
    }

    /** Estimated time to the end of the chunks in its hands, given what a unit is expected to take. */
    double busyNanos(double expected, long now) {
        double busy = 0;
        for (ChunkInFlight chunk : chunks) {
            busy += chunk.isHeld() ? estimate.busyNanos(expected, chunk.heldWork(), (double) chunk.elapsed(now)) : 0;
        }
        return busy;
    }

    /** Part of another lane's range is this one's from now on. */
    void stole(int phase, int victim, long units) {
        Announcer.OfJob events = run.events();
        if (events != null) {
            events.stolen(phase, index, victim, units);
        }
    }

    /** Whether it has a chunk that could run before a moment, as {@link #revoke} wants it; any thread. */
    boolean overdue(long startedBefore) {
        return chunks[0].overdue(startedBefore) || chunks[1].overdue(startedBefore);
    }

    /** Whether it was called and has neither left nor been counted out; any thread. */
    boolean present() {
        return calls.get() > 0;
    }

    /**
     * Takes away what it has of chunks that could run before a moment; any thread.
     *
     * @return a range taken away, or {@link ChunkPool#NONE}; the only one where chunks have deadlines, as a lane then has one chunk
     */
    long revoke(long startedBefore) {
        long one = chunks[0].revoke(startedBefore);
        long other = chunks[1].revoke(startedBefore);
        return one != ChunkPool.NONE ? one : other;
    }

    /** Has the lane build what phases need, all at once: a build in mid-job would hold up the other lanes. False if it failed. */
    boolean prepare(PhaseRun phase, Lane lane) {
        JobSpec job = run.job();
        if (job.equals(prepared)) {
            return true;
        }
        for (JobSpec.Phase each : job.phases()) {
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
}
