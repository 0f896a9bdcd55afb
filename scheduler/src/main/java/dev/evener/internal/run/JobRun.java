package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.history.JobHistory;
import dev.evener.policy.Decision;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One job under way: the state machine from its admission to its report.
 *
 * <p>Each phase is a {@link PhaseRun} whose chunks the lanes take until a counter of unfinished granules is zero. The lane
 * that brings it to zero ends the phase: it merges the partial results in lane order, runs the host step, opens the next
 * phase, wakes the others and goes on with its own part without having slept. No lane ever holds a lock that another wants.
 *
 * <p>A lane that fails gives back what it held and leaves; the others are called to take over, those that the plan had left
 * out too. A chunk that is overdue is taken from its lane by the watchdog and treated the same way; since such jobs are
 * fenced, what the lane writes late goes nowhere. Only when no lane is left, or when a failure says that the job itself is
 * wrong, does the job fail.
 *
 * <p>Three counters decide when it is over. {@code present}: lanes that were called and have not left; the last to leave a
 * failed run ends it. {@code holders}: the run itself and the lanes that were given up while
 * they ran a chunk, which may still touch the job's buffers; the last lets these go. {@code owed}:
 * the run itself and every chunk whose times are still to be read; the last one has the report made.
 *
 * <p>{@link #start} is called by the dispatcher, {@link #visit} and what {@link Participant} calls by lanes, the rest by any
 * thread.
 */
final class JobRun {
    /** What a run needs of the runtime around it. */
    record Surroundings(
            LongSupplier clock,
            Executor completions, // where futures are completed, so that no user code runs on a lane
            Watchdog watchdog,
            History history,
            ScratchPool scratch, // where results lie until their phase ends
            Consumer<JobRun> whenLanesFree,
            @Nullable Announcer announcer) { // null where nobody listens

        /** Where nobody listens. */
        Surroundings(
                LongSupplier clock,
                Executor completions,
                Watchdog watchdog,
                History history,
                ScratchPool scratch,
                Consumer<JobRun> whenLanesFree) {
            this(clock, completions, watchdog, history, scratch, whenLanesFree, null);
        }
    }

    private final Job declared; // as it was submitted
    private final Policy policy;
    private final List<LaneWorker> workers;
    private final Surroundings around;
    private final JobHistory history;
    private final LaneFaults faults;
    private final JobCut cut;
    private final Limits limits;
    private final Participant[] lanes;
    private final Partials partials;
    private final long submitted;

    private final CompletableFuture<Report> future = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> lanesFree = new CompletableFuture<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicInteger owed = new AtomicInteger(1);
    private final AtomicBoolean finished = new AtomicBoolean();
    private final ProgressTeller progress;
    private final Announcer.@Nullable OfJob events; // null where nobody listens

    private volatile @Nullable PhaseRun phase;
    private volatile boolean started;
    private long startedAt;
    private long endedAt;
    private volatile @Nullable Future<?> deadlineTask;
    private volatile @Nullable Future<?> chunkTask;

    /** @param workers the lanes it may use, in lane order */
    JobRun(Job job, Policy policy, List<LaneWorker> workers, Limits limits, Surroundings around) {
        this.declared = job;
        this.policy = policy;
        this.workers = workers;
        this.limits = limits;
        this.around = around;
        this.submitted = now();
        this.partials = new Partials(workers.size());
        this.progress = new ProgressTeller(job, around.completions());
        this.lanes = new Participant[workers.size()];
        List<DeviceInfo> devices = new ArrayList<>(lanes.length);
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Participant(this, i, workers.get(i), mostPhases(job), lanes.length);
            devices.add(workers.get(i).device());
        }
        // Here and not in start(), because the submitting thread has the time and a lane between two jobs has not.
        long granule = Granules.poolGranule(job, Granules.unitsPerGranule(job, devices));
        Form ordinary = Form.ordinary(job, granule, around.scratch());
        this.history = around.history().of(job, devices);
        Announcer announcer = around.announcer();
        this.events = announcer == null ? null : announcer.job(job, policy.name(), granule, workers, around.clock());
        this.faults = new LaneFaults(job.name(), events);
        this.cut = new JobCut(job, ordinary, policy, lanes, history, around.scratch(), faults, events, fenced());
    }

    private static int mostPhases(Job job) {
        Job alone = job.alone();
        return Math.max(job.phases().size(), alone == null ? 0 : alone.phases().size());
    }

    // ---- what others ask ----

    String name() {
        return declared.name();
    }

    /** The job as lanes run it at present. */
    Job job() {
        return cut.form().job();
    }

    /** Units of a chunk, in those of the job as it was submitted: the form for one lane has one chunk, and units of its own. */
    long unitsAsDeclared(int units) {
        return cut.form().isAlone() ? declared.units() : units;
    }

    CompletableFuture<Report> future() {
        return future;
    }

    /** Completed when no lane works for the run any more, which for a cancelled job is after its future. */
    CompletableFuture<@Nullable Void> lanesFree() {
        return lanesFree;
    }

    List<LaneWorker> workers() {
        return workers;
    }

    /** The part of the lane with this index. */
    Participant lane(int index) {
        return lanes[index];
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

    /** Whether chunks may be taken from lanes that run them, so that nothing is written before a chunk is claimed. */
    boolean fenced() {
        return limits.chunkDeadline() != null;
    }

    // ---- from submission to the first phase ----

    /** Begins to watch the job's deadline. Called once, before the run is queued. */
    void watch() {
        Duration deadline = limits.deadline();
        if (deadline != null) {
            deadlineTask = around.watchdog().after(deadline, () -> deadlinePassed(deadline));
        }
    }

    /** Cuts the job and sets its lanes to work. Called once, by the dispatcher, when all its lanes are free. */
    void start() {
        startedAt = now();
        try {
            if (!stopped()) {
                cut.begin();
            }
        } catch (Throwable e) { // policies may be user code: an Error must not stop the dispatcher for all jobs
            fail(new EvenerException(
                    "job '" + declared.name() + "': "
                            + (e instanceof EvenerException || e instanceof IllegalArgumentException
                                    ? e.getMessage()
                                    : "cutting it failed: " + e),
                    e));
        }
        Duration chunkDeadline = limits.chunkDeadline();
        if (chunkDeadline != null && failure.get() == null) {
            chunkTask = around.watchdog().every(chunkDeadline.dividedBy(8), () -> revokeOverdue(chunkDeadline));
        }
        started = true;
        try {
            openPhase(0, null);
        } catch (Throwable e) { // nor must this
            fail(new EvenerException("job '" + declared.name() + "': opening its first phase failed: " + e, e));
        }
    }

    // ---- phases ----

    /** Opens a phase, or ends the run; by the dispatcher or by the lane that ended the phase before. */
    private void openPhase(int number, @Nullable Participant self) {
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

    private void draftAll() {
        for (Participant lane : lanes) {
            if (lane.usable()) {
                lane.activate();
            }
        }
    }

    /** Calls every active lane but the one that is calling, which will see for itself. */
    private void callAll(@Nullable Participant but) {
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
        arrive(lane);
        while (begin(lane)) {
            me.execute();
            end(lane);
        }
        depart(lane);
    }

    // The steps of a visit, for whoever has no thread that could wait for a device: arrive; begin and end, again and
    // again
    // until nothing is begun; depart. All on the lane's thread. They do not throw.

    /** The lane comes to work for the run. */
    void arrive(int lane) {
        lanes[lane].arrive();
    }

    /** Gives the lane a chunk, of the present phase or of one that was opened since; false if it has to depart. */
    boolean begin(int lane) {
        Participant me = lanes[lane];
        try {
            for (PhaseRun open = phase;
                    open != null && !me.isDoneWith(open) && me.active() && !stopped();
                    open = phase) {
                if (me.begin(open)) {
                    return true;
                }
            }
        } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
            fail(onDevice(me.device(), e));
        }
        return false;
    }

    /** The chunk that was begun is done, or has failed. */
    void end(int lane) {
        Participant me = lanes[lane];
        try {
            me.end();
        } catch (Throwable e) { // an Error too: as above
            fail(onDevice(me.device(), e));
        }
    }

    /** The lane has nothing more to do at present. */
    void depart(int lane) {
        Participant me = lanes[lane];
        me.settle(); // whatever happened: the report waits for it
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

    private void noticeCancelling() {
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
        around.completions().execute(() -> {
            Throwable cause = failure.get();
            if (cause != null) {
                future.completeExceptionally(cause);
            }
        });
    }

    /**
     * A lane is out of the job.
     *
     * @param with what it was to run or to build
     * @param range what it held and did not do, or {@link ChunkPool#NONE}
     */
    void laneFailed(Participant lane, PhaseRun in, Job.Phase with, long range, Throwable cause) {
        LaneFailure.Kind kind = LaneFailure.kindOf(cause);
        Throwable described = onDevice(lane.device(), cause);
        if (kind == LaneFailure.Kind.DECLARATION || !recovers()) {
            fail(described);
            return;
        }
        if (kind == LaneFailure.Kind.BUILD) {
            lane.worker().declareUnfit(with);
        } else if (kind == LaneFailure.Kind.MEMORY && cut.form().isAlone()) {
            lane.worker().declareUnfit(with, job().units()); // in one piece; others may have less memory still
        } else {
            lane.worker().quarantine(LaneFaults.reason(cause));
        }
        if (cut.form().isAlone() && (in.number() == 0 || cut.form().leavesInputsOf(declared))) {
            fallBack(lane, kind, described, LaneFaults.reason(cause));
        } else {
            goOnWithout(lane, in, range, described, LaneFaults.reason(cause));
        }
    }

    /**
     * The form for one lane failed, and all that the job begins with is as it was. It begins again as it was declared; with
     * this lane, if only the form was too much for it. On that lane's thread, while no other works for the job.
     */
    private void fallBack(Participant lane, LaneFailure.Kind kind, Throwable described, String reason) {
        cut.leaveForm();
        lane.restart();
        progress.restart();
        if (kind == LaneFailure.Kind.BUILD || kind == LaneFailure.Kind.MEMORY) {
            faults.note(
                    lane,
                    LaneFaults.named(lane.device())
                            + " could not run the job's form for one device and goes on without: " + reason);
        } else {
            faults.lose(lane, described, reason);
            if (leavesNone(described)) {
                return;
            }
        }
        for (Participant each : lanes) {
            each.deactivate();
        }
        try {
            cut.cut();
            openPhase(0, lane);
        } catch (Throwable e) { // policies may be user code
            fail(new EvenerException("job '" + declared.name() + "': cutting it failed: " + e, e));
        }
    }

    private void goOnWithout(Participant lane, PhaseRun in, long range, Throwable described, String reason) {
        faults.lose(lane, described, reason);
        in.degrade();
        if (range != ChunkPool.NONE) {
            in.giveBack(range);
        }
        if (leavesNone(described) || (cut.form().isAlone() && !leaveToThoseThatCan(described))) {
            return;
        }
        draftAll();
        callAll(lane);
    }

    /** Counts a lane out; true if it was the last one, and the job has failed. */
    private boolean leavesNone(Throwable described) {
        Throwable end = faults.countOut(described);
        if (end != null) {
            fail(end);
        }
        return end != null;
    }

    /** The form for one lane was half done: only lanes that can run it in one piece may go on. False if there is none. */
    private boolean leaveToThoseThatCan(Throwable described) {
        for (Participant lane : lanes) {
            if (lane.usable() && !cut.form().fits(lane.worker(), protectsUpdates())) {
                faults.note(
                        lane,
                        LaneFaults.named(lane.device()) + " was left out: it cannot run the job's form for one device");
                lane.retire();
                if (leavesNone(described)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** A lane had too little memory for a chunk and goes on with smaller ones. */
    void noteShrunk(Participant lane, PhaseRun in, int from, int to, Throwable cause) {
        faults.note(
                lane,
                LaneFaults.named(lane.device()) + " could not hold a chunk of " + from * in.unitsPerGranule()
                        + " units and goes on with at most " + to * in.unitsPerGranule() + ": "
                        + LaneFaults.reason(cause));
    }

    /** Something went wrong on a lane that costs nothing but figures. */
    void note(Participant lane, Throwable cause) {
        faults.note(lane, LaneFaults.named(lane.device()) + ": " + LaneFaults.reason(cause));
    }

    /** A chunk failed after it may have overwritten part of what it began with. */
    void halfUpdated(Participant lane, PhaseRun in, Throwable cause) {
        lane.worker().quarantine(LaneFaults.reason(cause));
        fail(new EvenerException(
                "job '" + declared.name() + "' failed on " + LaneFaults.named(lane.device()) + " while kernel "
                        + in.phase().kernel()
                        + " updated a buffer in place, which may be half updated now: refill it before you submit again,"
                        + " or leave out unprotected(): " + LaneFaults.reason(cause),
                cause));
    }

    /** The failure as the job's. */
    EvenerException onDevice(DeviceInfo device, Throwable e) {
        return faults.onDevice(device, e);
    }

    // ---- deadlines ----

    /** On the watchdog: takes chunks from lanes that have had them for too long. */
    private void revokeOverdue(Duration chunkDeadline) {
        // Before the phase is read: a chunk that ran then, and still does when it is revoked, belongs to that phase.
        long startedBefore = now() - chunkDeadline.toNanos();
        PhaseRun open = phase;
        if (open == null || finished.get()) {
            return;
        }
        for (Participant lane : lanes) {
            long range = revoke(lane, startedBefore);
            if (range != ChunkPool.NONE) {
                String reason = "a chunk of kernel " + open.phase().kernel() + " was not done after "
                        + chunkDeadline.toMillis() + " ms";
                countOut(lane, open, range, reason);
            }
        }
    }

    /** Takes a chunk from a lane; if that succeeds, the buffers are held until the lane comes back. */
    private long revoke(Participant lane, long startedBefore) {
        if (!lane.overdue(startedBefore)) {
            // Nearly always. If it is late already, this must not take away its claim to be waited for.
            return ChunkPool.NONE;
        }
        holders.incrementAndGet();
        lane.expectLate(); // before the chunk is taken away: the lane may come back the moment after
        long range = lane.revoke(startedBefore);
        if (range == ChunkPool.NONE && lane.cameLate()) {
            letGo();
        }
        return range;
    }

    private void countOut(Participant lane, PhaseRun in, long range, String reason) {
        lane.worker().declareHanging();
        lane.worker().quarantine(reason);
        if (recovers()) {
            goOnWithout(
                    lane, in, range, onDevice(lane.device(), new LaneFailure(LaneFailure.Kind.DEVICE, reason)), reason);
        } else {
            lane.retire();
            fail(onDevice(lane.device(), new LaneFailure(LaneFailure.Kind.DEVICE, reason)));
        }
        leave(lane.countOut());
    }

    /** On the watchdog: the job as a whole took too long. */
    private void deadlinePassed(Duration deadline) {
        if (finished.get()) {
            return;
        }
        noticeCancelling(); // a cancelled job has ended for its caller, but not for the lanes that it holds
        fail(new EvenerException("job '" + declared.name() + "' was not done after its deadline of "
                + deadline.toMillis() + " ms" + (started ? "" : "; it was still waiting for its devices")));
        if (!started) {
            abandon(); // it ends without having run as soon as the dispatcher comes to it
        } else {
            Duration grace = deadline.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : deadline;
            deadlineTask = around.watchdog().after(grace, this::giveUpOnLanes);
        }
    }

    /**
     * On the watchdog: lanes that did not come back from a job that has failed are taken for hung, be it in a chunk, in the
     * compiler or in a host step.
     */
    private void giveUpOnLanes() {
        for (Participant lane : lanes) {
            if (!finished.get() && lane.present()) {
                giveUpOn(lane);
            }
        }
    }

    private void giveUpOn(Participant lane) {
        holders.incrementAndGet();
        lane.expectLate();
        lane.revoke(now());
        int calls = lane.countOut();
        if (calls == 0) { // it left just now
            if (lane.cameLate()) {
                letGo();
            }
            return;
        }
        String reason = "it did not come back after the deadline of job '" + declared.name() + "'";
        lane.worker().declareHanging();
        lane.worker().quarantine(reason);
        lane.retire();
        fail(new EvenerException(LaneFaults.named(lane.device()) + ": " + reason
                + (fenced() ? "" : " and may still write to the job's buffers")));
        leave(calls);
    }

    // ---- the end ----

    /** The last one who may still touch the job's buffers releases them. */
    private void letGo() {
        if (failure.get() != null) {
            cut.failed();
        }
        if (holders.decrementAndGet() == 0) {
            cut.close();
        }
    }

    private void leave(int calls) {
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
            try {
                around.completions().execute(this::complete);
            } catch (RejectedExecutionException e) { // the runtime was closed without waiting for this lane any longer
                complete();
            }
        }
    }

    private void finish() {
        if (!finished.compareAndSet(false, true)) {
            return;
        }
        endedAt = now();
        phase = null;
        Watchdog.cancel(chunkTask);
        Watchdog.cancel(deadlineTask);
        letGo();
        around.whenLanesFree().accept(this); // first, so that the next job starts while this one's report is written
        settled();
        lanesFree.complete(null);
    }

    private void complete() {
        try {
            Throwable cause = failure.get();
            if (events != null) { // before the future: who waited for it has all of the job
                events.ended(endedAt, endedAt - startedAt, cause);
            }
            if (cause != null) {
                future.completeExceptionally(cause);
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
                    history,
                    decision,
                    faults.all(),
                    startedAt - submitted,
                    endedAt - startedAt);
            // Learnt after the report was made, so that its predictions are those the decision rested on.
            if (faults.none()) {
                JobLessons.teach(history, declared, cut, lanes, startedAt, endedAt - startedAt);
            }
            progress.end();
            future.complete(report);
        } catch (Throwable e) { // a report that cannot be made must not leave the caller waiting
            future.completeExceptionally(e);
        }
    }
}
