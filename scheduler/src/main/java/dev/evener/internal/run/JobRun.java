package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.JobFuture;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.history.JobHistory;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.fold.Partials;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.Limits;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.policy.Decision;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One job under way: the state machine from its admission to its report.
 *
 * <p>Each phase is a {@link PhaseRun} whose chunks the lanes take until a counter of unfinished granules is zero. The lane
 * that brings it to zero ends the phase: it merges the partial results in lane order, runs the host step, opens the next
 * phase, wakes the others and goes on with its own part without having slept. No lane ever holds a lock that another wants.
 *
 * <p>The parts of its work have places of their own: how it is cut {@link JobCut}, lanes that fail {@link Recovery} and
 * {@link LaneFaults}, limits of time {@link JobDeadlines}, what the history learns {@link HistoryRecorder}. A lane that fails gives
 * back what it held and leaves; the others are called to take over. Only when no lane is left, or when a failure says that the
 * job itself is wrong, does the job fail.
 *
 * <p>Three counters decide when it is over. {@code present}: lanes that were called and have not left; the last to leave a
 * failed run ends it. {@code holders}: the run itself and the lanes that were given up while
 * they ran a chunk, which may still touch the job's buffers; the last lets these go. {@code owed}:
 * the run itself and every chunk whose times are still to be read; the last one has the report made.
 *
 * <p>Before it is cut its lanes build what they have not built yet ({@link JobBuild}), and only then does its clock start.
 *
 * <p>{@link #start} is called by the dispatcher, {@link #visit} and what {@link Participant} calls by lanes, {@link #openPhase}
 * by one of them, as there is one who opens a phase, the rest by any thread.
 */
final class JobRun {
    /** What a run needs of the runtime around it. */
    record Surroundings(
            LongSupplier clock,
            Executor completions, // where futures are completed, so that no user code runs on a lane
            Watchdog watchdog,
            History history,
            ScratchPool scratch, // where results lie until their phase ends
            BiConsumer<JobRun, List<LaneWorker>> release, // of lanes that the run holds no longer
            BooleanSupplier onOwnThread, // whether the calling thread is one that has to complete the run
            @Nullable Announcer announcer) { // null where nobody listens

        /** Where nobody listens, nor waits on a thread of the runtime's own. */
        Surroundings(
                LongSupplier clock,
                Executor completions,
                Watchdog watchdog,
                History history,
                ScratchPool scratch,
                BiConsumer<JobRun, List<LaneWorker>> release) {
            this(clock, completions, watchdog, history, scratch, release, () -> false, null);
        }
    }

    private final JobSpec declared; // as it was submitted
    private final Policy policy;
    private final List<LaneWorker> workers;
    private final Surroundings around;
    private final JobHistory history;
    private final LaneFaults faults;
    private final JobCut cut;
    private final Recovery recovery;
    private final JobDeadlines deadlines;
    private final JobBuild build;
    private final boolean fenced;
    private final Participant[] lanes;
    private final Partials partials;
    private final long submitted;

    private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
    private final JobFuture future;
    private final CompletableFuture<@Nullable Void> lanesFree = new CompletableFuture<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicInteger owed = new AtomicInteger(1);
    private final AtomicBoolean finished = new AtomicBoolean();
    private final ProgressTeller progress;
    private final Announcer.@Nullable OfJob events; // null where nobody listens

    private volatile @Nullable PhaseRun phase;
    private volatile boolean waiting = true;
    private volatile boolean started;
    private long admittedAt;
    private long startedAt; // when its programs were built
    private long endedAt;

    /** @param workers the lanes it may use, in lane order */
    JobRun(JobSpec job, Policy policy, List<LaneWorker> workers, Limits limits, Surroundings around) {
        this(job, policy, workers, limits, around, false);
    }

    /**
     * @param workers the lanes it may use, in lane order
     * @param runsNothing whether its programs are built, and that is all
     */
    JobRun(
            JobSpec job,
            Policy policy,
            List<LaneWorker> workers,
            Limits limits,
            Surroundings around,
            boolean runsNothing) {
        this.declared = job;
        this.policy = policy;
        this.workers = workers;
        this.fenced = limits.chunkDeadline() != null
                || workers.stream().anyMatch(worker -> worker.lane().checks());
        this.around = around;
        this.submitted = now();
        this.future = new JobFuture(job.name(), released, around.onOwnThread());
        this.partials = new Partials(workers.size());
        this.progress = new ProgressTeller(job, around.completions());
        this.lanes = new Participant[workers.size()];
        List<DeviceInfo> devices = new ArrayList<>(lanes.length);
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Participant(this, i, workers.get(i), mostPhases(job));
            devices.add(workers.get(i).device());
        }
        // Here and not in start(), because the submitting thread has the time and a lane between two jobs has not.
        long granule = Granules.poolGranule(job, Granules.unitsPerGranule(job, devices));
        Form ordinary = Form.ordinary(job, granule, around.scratch());
        this.history = around.history().of(job, devices);
        Announcer announcer = around.announcer();
        this.events = announcer == null ? null : announcer.job(job, policy.name(), granule, workers, around.clock());
        this.faults = new LaneFaults(job.name(), events);
        this.cut = new JobCut(job, ordinary, policy, lanes, history, around.scratch(), faults, events, fenced);
        this.recovery = new Recovery(this, job, lanes, cut, faults);
        this.deadlines = new JobDeadlines(this, limits, around.watchdog(), lanes, recovery);
        this.build = new JobBuild(this, job, lanes, fenced, runsNothing);
    }

    private static int mostPhases(JobSpec job) {
        JobSpec alone = job.alone();
        return Math.max(job.phases().size(), alone == null ? 0 : alone.phases().size());
    }

    // ---- what others ask ----

    String name() {
        return declared.name();
    }

    /** The job as lanes run it at present. */
    JobSpec job() {
        return cut.form().job();
    }

    /** Units of a chunk, in those of the job as it was submitted: the form for one lane has one chunk, and units of its own. */
    long unitsAsDeclared(long units) {
        return cut.form().isAlone() ? declared.units() : units;
    }

    JobFuture future() {
        return future;
    }

    /** Completed when no lane works for the run any more, which for a cancelled job is after its future. */
    CompletableFuture<@Nullable Void> lanesFree() {
        return lanesFree;
    }

    /** Completed when its future is too. */
    CompletableFuture<@Nullable Void> ended() {
        return CompletableFuture.allOf(future.handle((report, cause) -> null), lanesFree);
    }

    List<LaneWorker> workers() {
        return workers;
    }

    /**
     * Whether it has to wait for the end of a run that was submitted before and holds none of its lanes any more: they wanted the
     * same lanes, so that it would have waited for all of them, and one writes what the other uses.
     */
    boolean mustFollow(JobRun earlier) {
        return workers.stream().anyMatch(earlier.workers::contains)
                && (uses(earlier.declared, true).stream().anyMatch(uses(declared, false)::contains)
                        || uses(declared, true).stream().anyMatch(uses(earlier.declared, false)::contains));
    }

    /** The buffers that a job uses; those that it writes alone, if so asked. Host steps may write all of them. */
    private static Set<ManagedBuffer> uses(JobSpec job, boolean written) {
        Set<ManagedBuffer> buffers = Collections.newSetFromMap(new IdentityHashMap<>());
        boolean all = !written || job.phases().stream().anyMatch(phase -> phase.combine() != null);
        for (JobSpec.Phase phase : job.phases()) {
            for (JobSpec.Argument argument : phase.arguments()) {
                if (argument instanceof JobSpec.Argument.Buffer b && (all || b.written())) {
                    buffers.add(b.buffer());
                }
            }
        }
        return buffers;
    }

    /** The part of the lane with this index. */
    Participant lane(int index) {
        return lanes[index];
    }

    /** What is done about lanes that fail. */
    Recovery recovery() {
        return recovery;
    }

    /** The phase whose chunks are taken at present; null before the first and after the last. */
    @Nullable
    PhaseRun phase() {
        return phase;
    }

    /** How long it has waited for its lanes, in nanoseconds; negative if it waits no more. Any thread. */
    long waitedNanos() {
        long waited = Math.max(0, now() - submitted);
        return waiting ? waited : -1;
    }

    /** Whether lanes may have been called. */
    boolean isStarted() {
        return started;
    }

    /** Whether its lanes are free. */
    boolean isFinished() {
        return finished.get();
    }

    Partials partials() {
        return partials;
    }

    long now() {
        return around.clock().getAsLong();
    }

    /** Who is told what happens; null if nobody is. */
    Announcer.@Nullable OfJob events() {
        return events;
    }

    boolean protectsUpdates() {
        return declared.options().protectsUpdates();
    }

    boolean recovers() {
        return declared.options().recovers();
    }

    /**
     * Whether nothing is written before a chunk is claimed: chunks may be taken from lanes that run them, or lanes check what
     * kernels write.
     */
    boolean fenced() {
        return fenced;
    }

    // ---- from submission to the first phase ----

    /** Begins to watch the job's deadline. Called once, before the run is queued. */
    void watch() {
        deadlines.watchJob();
    }

    /** Sets its lanes to build, if they have to, and then to work. Called once, by the dispatcher, when all its lanes are free. */
    void start() {
        waiting = false;
        admittedAt = now();
        startedAt = admittedAt;
        try {
            int builders = stopped() ? 0 : build.begin();
            if (builders == 0) {
                open(null);
                return;
            }
            present.addAndGet(builders); // all of them before the first may leave
            started = true;
            for (Participant lane : lanes) {
                if (lane.mustBuild()) {
                    lane.called();
                    lane.worker().offer(this, lane.index());
                }
            }
        } catch (Throwable e) { // an Error too: it must not stop the dispatcher for all jobs
            started = true;
            fail(new EvenerException("job '" + declared.name() + "': starting it failed: " + e, e));
        }
    }

    /** What the lane was called for before the job was cut, if it was. The last one to have built goes on. */
    private void build(Participant me) {
        if (me.mustBuild()) {
            me.beginsToBuild();
            build.build(me);
            if (build.done() && !isFinished()) { // else it hung, and the job ended without it
                startedAt = now();
                open(me);
            }
        }
    }

    /** All is built: cuts the job and sets its lanes to work. By the dispatcher, or by the last lane to have built. */
    private void open(@Nullable Participant self) {
        try {
            if (build.runsNothing()) {
                concludeBuild();
                return;
            }
            if (!stopped()) {
                cut.begin();
                releaseOthers();
            }
        } catch (Throwable e) { // policies may be user code: an Error must not stop the dispatcher for all jobs
            fail(new EvenerException(
                    "job '" + declared.name() + "': "
                            + (e instanceof EvenerException || e instanceof IllegalArgumentException
                                    ? e.getMessage()
                                    : "cutting it failed: " + e),
                    e));
        }
        started = true;
        try {
            if (failure.get() == null) {
                deadlines.watchChunks();
            }
            openPhase(0, self);
        } catch (Throwable e) { // nor must this
            fail(new EvenerException("job '" + declared.name() + "': opening its first phase failed: " + e, e));
        }
    }

    /** Lanes that were given nothing may work for others. If one is called in because another fails, it comes when it is done there. */
    private void releaseOthers() {
        List<LaneWorker> others = new ArrayList<>();
        for (Participant lane : lanes) {
            if (!lane.active()) {
                others.add(lane.worker());
            }
        }
        if (!others.isEmpty() && others.size() < lanes.length) {
            around.release().accept(this, others);
        }
    }

    /** Nothing is run: fails as the run would have, or ends. */
    private void concludeBuild() {
        if (!stopped()) {
            cut.findLanes();
            for (JobBuild.Refusal each : build.refusals()) {
                if (each.lane().usable()) {
                    recovery.doesNotBuild(each.lane(), each.phase(), each.cause());
                }
            }
        }
        started = true;
        finish();
    }

    // ---- phases ----

    /** Opens a phase, or ends the run; by the dispatcher or by the lane that ended the phase before. */
    void openPhase(int number, @Nullable Participant self) {
        int next = number;
        while (failure.get() == null && next < job().phases().size()) {
            PhaseRun opened = new PhaseRun(
                    next,
                    job(),
                    policy,
                    cut.plan(),
                    lanes,
                    cut.bounds(),
                    cut.form().granule(),
                    cut.profile(),
                    around.clock());
            for (Participant lane : lanes) {
                cut.expect(lane, next);
            }
            if (opened.over()) { // a job without units has nothing but host steps
                endPhase(opened);
                next++;
                continue;
            }
            if (cut.mustDegrade()) {
                opened.degrade();
                draftAll();
            }
            phase = opened;
            callAll(self);
            return;
        }
        finish();
    }

    /** From now on every lane that is left takes part, those that the plan had left out too. */
    void draftAll() {
        for (Participant lane : lanes) {
            if (lane.usable()) {
                lane.activate();
            }
        }
    }

    /** Calls every active lane but the one that is calling, which will see for itself. */
    void callAll(@Nullable Participant but) {
        for (Participant lane : lanes) {
            if (lane != but && lane.active()) {
                present.incrementAndGet();
                lane.called();
                lane.worker().offer(this, lane.index());
            }
        }
    }

    /** A lane's part in the present phase and in those it opens. On the lane's thread. */
    void visit(int lane) {
        Participant me = lanes[lane];
        build(me);
        arrive(lane);
        while (begin(lane)) {
            me.runner().execute();
            end(lane);
        }
        depart(lane);
    }

    // The steps of a visit, for whoever has no thread that could wait for a device: arrive; begin and end, again and
    // again until nothing is begun, with beginNext in between where a device takes one more; depart. All on the lane's
    // thread. They do not throw.

    /** The lane comes to work for the run. */
    void arrive(int lane) {
        lanes[lane].runner().arrive();
    }

    /** Gives the lane a chunk, of the present phase or of one that was opened since; false if it has to depart. */
    boolean begin(int lane) {
        Participant me = lanes[lane];
        try {
            if (me.runner().goOnWithNext()) {
                return true;
            }
            for (PhaseRun open = phase;
                    open != null && !me.runner().isDoneWith(open) && me.active() && !stopped();
                    open = phase) {
                if (me.runner().begin(open)) {
                    return true;
                }
            }
        } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
            fail(faults.onDevice(me.device(), e));
        }
        return false;
    }

    /** Gives the lane a chunk to run after the one that was begun, of the same phase; false if there is none for it now. */
    boolean beginNext(int lane) {
        Participant me = lanes[lane];
        try {
            return me.active() && !stopped() && me.runner().beginNext();
        } catch (Throwable e) { // an Error too: as above
            fail(faults.onDevice(me.device(), e));
            return false;
        }
    }

    /** The chunk that was begun is done, or has failed. */
    void end(int lane) {
        Participant me = lanes[lane];
        try {
            me.runner().end();
        } catch (Throwable e) { // an Error too: as above
            fail(faults.onDevice(me.device(), e));
        }
    }

    /** The lane has nothing more to do at present. */
    void depart(int lane) {
        Participant me = lanes[lane];
        me.runner().settle(); // whatever happened: the report waits for it
        if (me.left()) { // else the watchdog has counted it out
            leave(1);
        }
        me.worker().returned();
        if (me.cameLate()) {
            letGo();
        }
    }

    /** A lane has done a chunk. */
    void chunkDone(Participant lane, PhaseRun of, long range) {
        progress.done(cut.form(), of, range);
        if (of.done(range)) {
            endPhase(of);
            openPhase(of.number() + 1, lane);
        }
    }

    /** All that was done counts for nothing: the job begins again. */
    void progressRestarts() {
        progress.restart();
    }

    /** Merges and combines. */
    private void endPhase(PhaseRun ended) {
        if (stopped()) {
            return;
        }
        long began = events == null ? 0 : now();
        try {
            cut.form().fold(ended.number());
        } catch (Throwable e) { // an Error too: nobody else ends this run
            fail(e);
            return;
        }
        try {
            partials.merge(ended.phase());
            Runnable combine = ended.phase().combine();
            if (combine != null) {
                combine.run();
            }
        } catch (Throwable e) { // user code: whatever it throws ends this job and nothing else
            fail(new EvenerException(
                    "job '" + declared.name() + "': the host step after kernel "
                            + ended.phase().kernel() + " failed: " + e,
                    e));
        } finally {
            cut.form().phaseEnded(ended.number());
        }
        if (events != null && failure.get() == null) {
            events.phaseEnded(ended.number(), now() - began);
        }
    }

    // ---- failures ----

    /** Whether lanes should take no more chunks. */
    boolean stopped() {
        noticeCancelling();
        return failure.get() != null;
    }

    /** If the caller has ended the job's future, that is how the job fails. */
    void noticeCancelling() {
        // By nobody but the caller while lanes work: cancel(), orTimeout(), complete().
        if (future.isDone() && failure.get() == null) {
            fail(new CancellationException("job '" + declared.name() + "' was cancelled"));
        }
    }

    /** Ends the run with this cause as soon as the chunks under way are done. The first cause counts. */
    void fail(Throwable cause) {
        if (!failure.compareAndSet(null, cause)) {
            Throwable first = failure.get();
            if (first != null && first != cause) {
                first.addSuppressed(cause);
            }
        }
        if (started && present.get() == 0) {
            finish();
        }
    }

    /** Ends the future of a failed run without waiting for its lanes any longer. */
    void abandon() {
        complete(() -> {
            Throwable cause = failure.get();
            if (cause != null) {
                future.completeExceptionally(cause);
            }
        });
    }

    // ---- the end ----

    /** One more who may touch the job's buffers, until {@link #letGo}. */
    void hold() {
        holders.incrementAndGet();
    }

    /** The last one who may still touch the job's buffers releases them. */
    void letGo() {
        if (failure.get() != null) {
            cut.failed();
        }
        if (holders.decrementAndGet() == 0) {
            try {
                cut.close();
            } finally {
                complete(() -> released.complete(null));
            }
        }
    }

    /** Completes a future, after which callers' code runs: not on a lane. */
    private void complete(Runnable completing) {
        try {
            around.completions().execute(completing);
        } catch (RejectedExecutionException e) { // the runtime was closed without waiting for this lane any longer
            completing.run();
        }
    }

    /** So many calls of lanes have been answered; of a failed run the last one ends it. */
    void leave(int calls) {
        if (present.addAndGet(-calls) == 0 && stopped()) {
            finish();
        }
    }

    /** One more chunk whose times the report has to wait for. */
    void owe() {
        owed.incrementAndGet();
    }

    /** One of them is settled. */
    void settled() {
        if (owed.decrementAndGet() == 0) {
            complete(this::conclude);
        }
    }

    private void finish() {
        if (!finished.compareAndSet(false, true)) {
            return;
        }
        endedAt = now();
        phase = null;
        deadlines.cancel();
        try {
            letGo();
        } catch (Throwable e) { // the lanes and the caller must not wait for a buffer that cannot be let go
            fail(e);
        }
        around.release().accept(this, workers); // first, so that the next job starts while this one's report is written
        settled();
        lanesFree.complete(null);
    }

    private void conclude() {
        try {
            Throwable cause = failure.get();
            if (events != null) { // before the future: who waited for it has all of the job
                events.ended(endedAt, startedAt - admittedAt, Math.max(0, endedAt - startedAt), cause);
            }
            if (cause != null) {
                future.completeExceptionally(cause);
                return;
            }
            if (build.runsNothing()) {
                future.complete(ReportBuilder.ofBuild(
                        declared, policy, faults.all(), admittedAt - submitted, startedAt - admittedAt));
                return;
            }
            for (Participant lane : lanes) {
                if (lane.usable()) {
                    lane.worker().succeeded();
                }
            }
            Decision decision = cut.plan().decision();
            Report report = ReportBuilder.build(
                    declared,
                    cut.form(),
                    policy,
                    lanes,
                    history.model(declared.units()),
                    decision,
                    faults.all(),
                    admittedAt - submitted,
                    startedAt - admittedAt,
                    endedAt - startedAt);
            // Learnt after the report was made, so that its predictions are those the decision rested on.
            if (faults.none()) {
                HistoryRecorder.record(history, declared, cut, lanes, startedAt, endedAt - startedAt);
            }
            progress.end();
            future.complete(report);
            if (faults.none()) {
                cut.planAhead();
            }
        } catch (Throwable e) { // a report that cannot be made must not leave the caller waiting
            future.completeExceptionally(e);
        }
    }
}
