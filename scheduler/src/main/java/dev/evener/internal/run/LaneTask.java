package dev.evener.internal.run;

import dev.evener.DataLostException;
import dev.evener.DeviceInfo;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.LaneHealth;
import dev.evener.internal.recovery.Undo;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.model.ChunkLog;
import dev.evener.model.JobObservation;
import dev.evener.policy.LaneSet;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One lane's task in one job: takes chunks, has its device run them, and sees to what comes of them.
 *
 * <p>While its device runs a chunk, it has the next one enqueued, of this job or of another, if the lane {@linkplain
 * Lane#takesAnother takes} one more, so that the device goes straight on. OpenCL takes no command back, therefore that
 * is taken from the pool, where it can be stolen or cut anew, no sooner than the device needs it ({@link LookAhead}).
 * Both chunks end by their {@linkplain ChunkInFlight tickets}; a lane that finds a ticket gone drops what it computed
 * and leaves the job. When the first fails for good, the second goes back with it, whatever became of it, unless it is
 * of a job that needs nothing of this one.
 *
 * <p>A visit to the job is made of steps: {@link #arrive}; {@link #begin} and {@link #end}, again and again until
 * nothing is begun, with {@link #beginNext} in between where a device takes one more; {@link #depart}. In between
 * chunks a more urgent job may be visited. They do not throw. All of that belongs to the lane's thread; who the lane
 * is, whether it may work and is at work, which of its chunks can be taken away, and what {@link LaneStats} tell is
 * for any.
 *
 * <p><b>Behind the phase before.</b> A lane that has taken all that is its own of a phase goes on to the next one
 * ({@link PhaseRun#after}) before that has ended, in two cases. A job that one lane has alone does so where a phase
 * leaves nothing for the host and its last chunk moves nothing. In a chain, which {@code Job.then} made of several
 * jobs, ranges of units wait for each other: a lane takes a part of the next phase when the units around it are done
 * in the one before, as far as the job's reach ({@link PhaseRun#isDoneAround}), and first those parts that its
 * neighbours wait for. One that finds nothing ready departs, and whoever is done with a chunk calls it. Lanes keep to
 * their shares there. On a device with memory of its own each chunk is taken for done when it is enqueued, and what
 * the one behind lacks is sent behind it. A lane's part is one chunk, of which the device runs the ends first that
 * neighbours wait for, and brings what they wrote to the host while it does the rest; these count as done from then
 * on. Phases end in their order, whoever was done first. When a chunk fails, what was begun of the next phase on its
 * lane goes back to that; then phases end one by one, and all lanes may take over ({@link PhaseRun#degrade}). Where
 * lanes work in the host's memory nobody knows what a chunk of the next phase wrote over: if one was enqueued behind,
 * the job ends with the cause.
 */
public final class LaneTask {
    private static final long NOT = Long.MIN_VALUE;

    private static final AtomicIntegerFieldUpdater<LaneTask> CALLS =
            AtomicIntegerFieldUpdater.newUpdater(LaneTask.class, "calls");

    final JobRun run;
    final LaneWorker worker;
    final int index; // among the lanes of the job

    // Whether it has been called by the job and is still to answer. Each call is answered once, by itself when it
    // departs, or for it, when nobody waits for it any longer.
    private volatile int calls;
    private boolean late; // somebody waits for it to let go of the job's buffers; guarded by this
    private volatile long waitsSince = NOT; // for its lane to be done with another job

    volatile boolean takesPart; // as it was planned in or called in
    volatile boolean builds; // so that it is not ready, for this job or another
    boolean onTrial; // its chunks may be taken away as soon as others would do them sooner; before it is called
    volatile boolean overtaken; // one was
    private volatile boolean away; // and it is still at that: the job does not wait for it, nor does any other

    /** Of its chunks; null before it takes part. */
    LaneStats stats;

    LookAhead lookAhead; // the same

    private @Nullable JobSpec prepared;
    private @Nullable PhaseRun entered; // whose chunks it takes
    private boolean out; // of the one it has entered, in which there is nothing left for it
    boolean begun; // its first chunk, behind another job's
    /** The chunk that was begun, and the one after it. */
    public ChunkInFlight present;

    public @Nullable ChunkInFlight next;

    volatile boolean waitsInChain; // what it needs of others was not done when it looked
    long lookAt; // when its lane looks again for something to take over; the worker's
    boolean tookOver; // what it takes next was another lane's
    int mostGranules; // that it may take at once
    private boolean undoes; // whether what the phase updates in place is saved before
    private volatile boolean onHost; // while its thread ends a phase, or waits for what others hold
    private volatile int written; // chunks that may have written; changed by its own thread alone

    LaneTask(JobRun run, int index, LaneWorker worker) {
        this.run = run;
        this.index = index;
        this.worker = worker;
        this.present = worker.chunks[0];
        this.onTrial = run.plan.isOnTrial(index);
    }

    // ---- for any thread ----

    DeviceInfo device() {
        return worker.device();
    }

    /** Whether what its chunks write goes nowhere before they are kept. */
    boolean isFenced() {
        return run.fenced || onTrial;
    }

    /** How its device is driven. */
    Lane lane() {
        return worker.lane();
    }

    LaneHealth health() {
        return worker.health();
    }

    /** It builds no more; false if that was known. */
    synchronized boolean isReady() {
        boolean built = builds;
        builds = false;
        return built;
    }

    /** It is planned in or called in. Before it is called. */
    synchronized void takePart() {
        if (stats == null) {
            PhaseRun open = run.phase;
            stats = open == null ? new LaneStats(this) : open.stats(index);
            lookAhead = new LookAhead();
        }
        takesPart = true;
    }

    /** Whether it works for the job; false for good once it has failed, even if it was called in at the same moment. */
    boolean active() {
        return takesPart && run.usable().has(index);
    }

    /** Calls the lane once more, if it works for the job. */
    void call() {
        if (!active()) {
            return;
        }
        run.expect(1);
        if (waitsSince == NOT && !worker.serves(this) && worker.hasOthers(this)) {
            waitsSince = run.now();
        }
        CALLS.incrementAndGet(this);
        worker.called(this);
        worker.offer(this);
        String hangs = health().hangs() ? health().quarantined() : null;
        if (hangs != null) { // since the job was cut
            run.around.post().accept(() -> run.recovery.laneIsGone(this, hangs));
        }
    }

    /** Whether it was called and has neither departed nor been counted out. */
    boolean isCalled() {
        return calls > 0;
    }

    /** How long the job has been waiting for it, in nanoseconds; 0 if it was not at work for another when it was called. */
    long waits() {
        long since = waitsSince;
        return since == NOT ? 0 : Math.max(0, run.now() - since);
    }

    /** Takes back all calls, and says how many there were: the lane will not answer them, or need not. */
    int countOut() {
        int counted = CALLS.getAndSet(this, 0);
        worker.answered(this);
        return counted;
    }

    /** From now on, when it comes back late, somebody waits for it to let go of the job's buffers; false if somebody did already. */
    synchronized boolean expectLate() {
        boolean expected = late;
        late = true;
        return !expected;
    }

    /** Whether somebody waited; true once for each {@link #expectLate}. */
    synchronized boolean cameLate() {
        boolean expected = late;
        late = false;
        return expected;
    }

    /** Whether its device has had a chunk since before a moment; what it waits for other devices is no time of its own. */
    boolean overdue(long startedBefore) {
        if (lane().waits()) {
            return false;
        }
        long waited = lane().waitedNanos();
        return worker.chunks[0].overdue(this, startedBefore, waited)
                || worker.chunks[1].overdue(this, startedBefore, waited);
    }

    /**
     * Takes away what it has of chunks that could run before a moment.
     *
     * @return a range taken away, or {@link ChunkPool#NONE}; the only one where chunks have deadlines, as a lane then has one chunk
     */
    long revoke(long startedBefore) {
        long one = worker.chunks[0].revoke(this, startedBefore);
        long other = worker.chunks[1].revoke(this, startedBefore);
        return one != ChunkPool.NONE ? one : other;
    }

    /** For how long its device has had a chunk that it holds, in nanoseconds; negative if it holds none. */
    long onDeviceNanos(long now) {
        long waited = lane().waitedNanos();
        return Math.max(
                worker.chunks[0].isHeld(this) ? worker.chunks[0].onDevice(now, waited) : -1,
                worker.chunks[1].isHeld(this) ? worker.chunks[1].onDevice(now, waited) : -1);
    }

    /** Whether its thread is at something else than its device's work: it ends a phase, or waits for what others hold. */
    boolean isOnHost() {
        return onHost || lane().waits();
    }

    /** Does that on its thread. */
    void onHost(Runnable work) {
        onHost = true;
        try {
            work.run();
        } finally {
            onHost = false;
        }
    }

    /** The job as its lanes run it at present. */
    public JobSpec job() {
        return run.plan.form.job;
    }

    /** Whether any of its chunks may have written something to the job's buffers, also one that it has not come back from. */
    boolean mayHaveWritten() {
        return written > 0;
    }

    // ---- a visit ----

    /** It comes to work for the job, once more perhaps. */
    void arrive() {
        entered = null;
        out = false;
        long waited = came();
        if (run.phase != null) {
            stats.arrives(waited);
        }
    }

    /** It comes: how long it could not because its lane was at work for another job, in nanoseconds. */
    private long came() {
        long waited = waits();
        waitsSince = NOT;
        return waited;
    }

    /** Its lane goes to a more urgent job, and will come back. */
    void interrupted(LaneTask by) {
        stats.settle();
        run.shared = true;
        by.run.shared = true;
        waitsSince = run.now();
    }

    /** Begins a chunk, of the present phase or of one that was opened since; false if it has to depart. */
    public boolean begin() {
        try {
            if (begun) {
                begun = false;
                return true;
            } else if (next != null) { // goes on with the chunk that was begun after the last one
                present = next;
                next = null;
                stats.settle(); // of the chunk before: the device is at work meanwhile
                return true;
            }
            return beginOne(null);
        } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
            run.recovery.fatal(this, e);
            return false;
        }
    }

    /** @param behind whose last chunk is under way; null if none is */
    private boolean beginOne(@Nullable LaneTask behind) {
        for (PhaseRun open = open();
                open != null && !(out && entered == open) && active() && !run.isStopped();
                open = open()) {
            if (begin(open, behind)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The phase whose chunks it takes: of those that may be begun, the first one of which it has not taken all that
     * is its own.
     */
    private @Nullable PhaseRun open() {
        PhaseRun open = run.phase;
        PhaseRun after = open == null ? null : open.after();
        while (after != null && open.isTaken(this)) {
            open = after;
            after = open.after();
        }
        return open;
    }

    private boolean begin(PhaseRun phase, @Nullable LaneTask behind) {
        if (phase != entered) {
            entered = phase;
            out = true;
            JobSpec job = job();
            if (!job.equals(prepared) && !run.start.prepare(this, phase)) {
                return false;
            }
            prepared = job;
            enter(phase);
        }
        long range = phase.take(this);
        out = range == ChunkPool.NONE;
        if (out) {
            return false;
        }
        long now = run.timeIfHeard();
        stats.settle();
        if (behind != null && run.follows == behind.run) {
            behind.leaveOnHost();
        }
        begin(present, range, now, behind != null);
        return true;
    }

    /** From now on it takes chunks of this phase. */
    void enter(PhaseRun phase) {
        entered = phase;
        undoes = updates(phase)
                && run.declared.options().protectsUpdates()
                && !(lane().holdsData() && JobBuffers.updatesOnDevices(phase.phase));
        tookOver = false;
        lookAhead.restart(phase.number);
        if (stats.rates != phase.rates) {
            stats.expect(run.plan.prior(index, phase.number), phase.rates);
        }
        long units = lane().maxChunkUnits(phase.phase);
        units = undoes ? Math.min(units, Undo.mostUnits(phase.phase)) : units;
        mostGranules = (int) Math.max(1, Math.min(Integer.MAX_VALUE, units / phase.unitsPerGranule));
    }

    /** Whether chunks update anything in place while they run: a fenced one touches nothing until it is kept. */
    boolean updates(PhaseRun phase) {
        return !isFenced() && Undo.updates(phase.phase);
    }

    /** Takes the chunk that is to follow the one that was begun, and begins it; false if there is none at present. */
    public boolean beginNext() {
        try {
            if (!active() || run.isStopped()) {
                return false;
            }
            PhaseRun own = phase();
            PhaseRun after = own.after();
            if (after != null && own.isTaken(this)) {
                if (!mayGoOnTo(after)) {
                    return false;
                }
                enter(after);
            }
            long range = phase().take(this);
            if (range == ChunkPool.NONE) {
                return false; // it may be otherwise when the lane comes for more
            }
            ChunkInFlight chunk = worker.chunks[present == worker.chunks[0] ? 1 : 0];
            if (present.of != phase()) {
                leaveOnHost();
            }
            begin(chunk, range, run.timeIfHeard(), true);
            next = chunk;
            return true;
        } catch (Throwable e) { // an Error too: as above
            run.recovery.fatal(this, e);
            return false;
        }
    }

    /**
     * What is enqueued behind the chunk under way, on a device that works in the host's memory, finds there what that
     * writes, though the host did not hold it before.
     */
    private void leaveOnHost() {
        if (!lane().holdsData() && !isFenced()) {
            JobBuffers.wroteOnHost(present.declaredPhase(), present.firstUnit, present.units);
        }
    }

    /** Whether a chunk of the phase after the present one's would see what that writes, and there is one. */
    private boolean mayGoOnTo(PhaseRun after) {
        return run.isChained()
                ? (present.committed || !lane().holdsData()) && after.nextInChain(this) != ChunkPool.NONE
                : present.committed;
    }

    /**
     * Whether all that is its own of the job's last phase is taken, in a chain, and what is begun behind sees what
     * the present chunk writes.
     */
    boolean isThrough() {
        PhaseRun phase = phase();
        return run.isChained()
                && phase.number == job().phases().size() - 1
                && phase.isTaken(this)
                && (present.committed || !lane().holdsData());
    }

    /** Whether the next chunk is begun as soon as may be: nobody could take it over, and others wait for it. */
    boolean goesAhead() {
        return run.isChained();
    }

    // ---- behind another job, whose last chunk is under way ----

    /**
     * Takes the chunk that was begun for done, if that is all that is left of its phase, so that the next one may be begun behind it. Not
     * before it is enqueued. True if it is all that is left of the job, and its results are there for what is
     * enqueued behind.
     */
    boolean commitAhead() {
        PhaseRun phase = phase();
        boolean last = phase.number == job().phases().size() - 1;
        boolean leavesAll = run.isChained()
                || (phase.isLast(present.range)
                        && (last ? JobBuffers.stayOnDevices(run.declared) : phase.after() != null));
        present.committed = leavesAll && !isFenced() && !run.isStopped() && lane().commitAhead();
        if (!present.committed || !last || run.isChained()) {
            return false;
        }
        try {
            run.plan.form.requireResults(); // now, as the next job may change them before this one has ended
        } catch (DataLostException e) {
            return false; // as it will find out
        }
        return true;
    }

    /** Lets other lanes have what they wait for of the chunk that was begun, as soon as that is done and the rest is not. */
    void bringEdges() {
        ChunkInFlight chunk = present;
        if (run.isChained() && chunk.committed && lane().awaitEdges()) {
            chunk.range = phase().edgesDone(this, chunk.range); // all that is to be done again if it fails
        }
    }

    /** Whether it will have nothing to do here, for a while at least, when the chunk that was begun has ended, if that does not fail. */
    boolean leavesRoom() {
        boolean ends = phase().number == job().phases().size() - 1;
        boolean waits = run.plan.form.endsOnHost(phase()) && !device().kind().isHostProcessor();
        return (ends || waits) && !run.holdsLanes;
    }

    /** Whether there is something to do all the same, as its chunk has gone back or the next phase is open. */
    boolean goesOn() {
        PhaseRun open = run.phase;
        return open != null && active() && (open != entered || (!out && present.problem != null));
    }

    /** Begins a chunk behind that of another job; false if there is nothing to do. */
    boolean beginBehind(LaneTask before) {
        present = worker.chunks[before.present == worker.chunks[0] ? 1 : 0]; // the times of the other are that job's
        entered = null;
        out = false;
        try {
            begun = beginOne(before);
        } catch (Throwable e) { // an Error too: as above
            run.recovery.fatal(this, e);
        }
        return begun;
    }

    /** The chunk before it has ended, on the device at a time. */
    void comesFirst(long lastEnd) {
        stats.arrives(came());
        present.executeStart = run.now();
        present.comesFirst(present.executeStart);
        stats.lastEnd = lastEnd;
    }

    private void begin(ChunkInFlight chunk, long range, long now, boolean behind) {
        PhaseRun phase = phase();
        chunk.take(range, phase.units(range), phase.work(range), now);
        chunk.of = phase;
        chunk.firstUnit = phase.firstUnit(range);
        chunk.stolen = tookOver;
        chunk.times.reset();
        chunk.times.exact = run.events != null || !stats.isShort(chunk.work);
        countWritten(isFenced() ? 0 : 1);
        try {
            if (!lane().holdsData()) {
                onHost = true;
                chunk.times.bytesIn +=
                        JobBuffers.bringToHost(phase.phase, chunk.firstUnit, chunk.units, chunk.times.traffic);
                if (!isFenced()) { // else it writes elsewhere, until it is kept
                    JobBuffers.hostWrites(phase.phase, chunk.firstUnit, chunk.units);
                }
                onHost = false;
            }
            if (undoes) {
                long before = run.now();
                chunk.undo.save(phase.phase, chunk.firstUnit, chunk.units);
                chunk.saved(run.now() - before);
            }
            chunk.begin(this, run.now(), behind, lane().waitedNanos());
            stats.begins(chunk.since);
        } catch (Throwable e) { // an Error too: the chunk has failed
            onHost = false;
            chunk.problem = e;
            chunk.times.untouched = true;
        }
    }

    /** A fenced chunk is about to be kept. */
    void commits() {
        countWritten(isFenced() ? 1 : 0);
    }

    /** Of a chunk that was begun nothing was. */
    void didNotWrite(PhaseRun phase) {
        boolean overwrites = !lane().holdsData() && JobBuffers.overwrites(phase.phase); // what only other places held
        countWritten(isFenced() || overwrites ? 0 : -1);
    }

    private void countWritten(int more) {
        int before = written;
        written = before + more;
    }

    /** Ends the chunk that was begun: it counts, or goes back, or is somebody else's by now. */
    public void end() {
        try {
            out = !ChunkEnd.of(this, present);
        } catch (Throwable e) { // an Error too: as above
            run.recovery.fatal(this, e);
        }
    }

    /**
     * A chunk was taken from it, which it may be done with by now. With its lock, which it takes itself before it
     * looks.
     */
    void isOvertaken() {
        overtaken = true;
        away = true;
        run.use(index, false);
    }

    /** Whether it is still at a chunk that was taken from it. Any thread. */
    boolean isAway() {
        return away;
    }

    /** It is not, for who goes on from there: itself as it is back, or who takes it for hung. True for one of them. */
    synchronized boolean isGivenUp() {
        Watchdog.cancel(stats.untilItHangs);
        boolean was = away;
        away = false;
        return was;
    }

    /** It is back, and goes on with the job. */
    private void comeBackLate() {
        if (isGivenUp() && !run.finished.get()) {
            run.use(index, true);
            call();
        }
    }

    /** A chunk that was taken from it has ended: it shows what such a chunk takes. */
    void cameLate(PhaseRun phase, ChunkInFlight chunk, @Nullable Throwable failure) {
        synchronized (this) { // whoever took it has done with that
            if (!overtaken || failure != null) {
                return;
            }
        }
        try {
            lane().settle(chunk.times);
        } catch (RuntimeException e) {
            return; // it cannot tell, which is no failure of the job's
        }
        ChunkLog[] chunks = new ChunkLog[run.workers.size()];
        Arrays.fill(chunks, ChunkLog.NONE);
        chunks[index] = stats.late(phase.number, chunk);
        LaneSet set = run.plan.deviceSet.with(index);
        run.history.learn(new JobObservation(
                set, set, job().units(), JobObservation.ASIDE, false, false, 0, 0, new long[chunks.length], chunks));
    }

    /** It has nothing more to do at present. */
    void depart() {
        stats.settle(); // whatever happened: the report waits for it
        PhaseRun open = run.phase;
        long next = open != null && open == entered && active() ? open.lookAgain(index) : LaneWorker.NEVER;
        if (next != LaneWorker.NEVER) {
            worker.looksAgain(this, next);
        }
        boolean counted = CALLS.getAndUpdate(this, c -> Math.max(0, c - 1)) > 0;
        worker.answered(this);
        if (counted) { // else the watchdog has counted it out
            run.leave(1);
        }
        health().returned();
        run.around.laneIsFree().run();
        if (overtaken) {
            comeBackLate();
        }
        if (cameLate()) {
            run.release();
        }
    }

    /** It found nothing worth taking over and looks again, if the same phase is still open. */
    void comeBack() {
        if (run.phase == entered) {
            call();
        }
    }

    /** The phase whose chunk was begun. */
    PhaseRun phase() {
        PhaseRun phase = entered;
        if (phase == null) {
            throw new IllegalStateException("lane " + index + " was given no chunk");
        }
        return phase;
    }

    // ---- what its worker says and asks ----

    /** The chunk that was begun has failed. */
    public void failWith(Throwable cause) {
        if (present.problem == null) {
            present.problem = cause;
        }
    }

    /**
     * Whether the chunk that was begun may be followed up by another before it ends. Not where chunks have deadlines: one behind another
     * has none of its own, and would be lost with a lane that hangs. Nor, while times are unknown, where others stand by to take it over.
     */
    public boolean looksAhead() {
        return !isFenced() && (stats.estimate.known() || !run.plan.hasStandBy) && lookAhead.pays();
    }

    /** When the chunk that was begun is to be followed up by another, which may be over. */
    public long followUpAt() {
        return lookAhead.due(present, stats.estimate, stats.lastEnd);
    }

    /** The next chunk, due at one time, was enqueued behind the one under way at another. */
    public void followedUp(long due, long enqueued) {
        ChunkInFlight chunk = next;
        if (chunk != null) {
            chunk.enqueued = true;
            chunk.followed = true;
            lookAhead.prepared(due, enqueued);
        }
    }
}
