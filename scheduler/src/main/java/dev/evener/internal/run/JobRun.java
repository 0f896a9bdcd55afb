package dev.evener.internal.run;

import dev.evener.DataLostException;
import dev.evener.DeviceInfo;
import dev.evener.EvenerException.ApplicationFailedException;
import dev.evener.EvenerException.JobRejectedException;
import dev.evener.History;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.LogicalBuffer.Range;
import dev.evener.internal.SubmittedJob;
import dev.evener.internal.Waiter;
import dev.evener.internal.Waits;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.Chain;
import dev.evener.internal.job.JobBuffers;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.order.Accesses;
import dev.evener.internal.order.HostThreads;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.model.JobHistory;
import dev.evener.model.StoredHistory;
import dev.evener.policy.LaneSet;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One job under way: the state machine from its admission to its report.
 *
 * <p>Each phase is a {@link PhaseRun} whose chunks the lanes take ({@link LaneTask}) until a counter of unfinished granules is
 * zero. The lane that brings it to zero ends the phase: it merges the partial results in lane order, runs the host step, opens
 * the next phase, wakes the others and goes on with its own part without having slept. No lane ever holds a lock that another
 * wants.
 *
 * <p>The parts of its work have places of their own: when it begins, and with which lanes {@link JobStart}, how it is cut
 * {@link JobPlan}, failed lanes and limits of time {@link Recovery},
 * what was measured {@link JobReport}. A lane that fails gives back what it held and leaves; the others are called to take over.
 * Only when no lane is left, or when a failure says that the job itself is wrong, does the job fail.
 *
 * <p>When it is over, well or not, and who may still touch what, is known by three counters. {@code present}: lanes that were called and
 * have not left, and who ends a phase {@linkplain #elsewhere elsewhere}; the last to leave a failed run ends it. {@code holders}: the run
 * itself and the lanes that were given up while they ran a chunk, which may still touch the job's buffers; the last lets these go. {@code
 * owed}: the run itself and every chunk whose times are still to be read; the last one has the job {@linkplain JobReport#conclude
 * concluded}. No lock is held.
 *
 * <p>{@link #start} is called by the dispatcher, what {@link LaneTask} calls by lanes, {@link #open} by one of them, as there is
 * one who opens a phase, the rest by any thread.
 */
final class JobRun implements Waits.Turn, PhaseRun.Lanes {
    private static final LaneTask[] NONE = {};

    /** What a run needs of the runtime around it. */
    record Surroundings(
            LongSupplier clock,
            Watchdog watchdog,
            HostThreads threads,
            ScratchPool scratch, // where results lie until their phase ends
            IntSupplier queued, // how many jobs wait for lanes or data
            IntSupplier waiting, // how many wait for lanes alone
            Runnable laneIsFree, // a lane has nothing to do for a job, or for any
            Consumer<JobRun> ended, // nobody works for the run any more
            Consumer<JobRun> idle, // and nothing is left to do for it
            Consumer<Runnable> post, // runs something soon, in a thread that holds nothing
            BooleanSupplier onOwnThread, // whether the calling thread is one that has to complete the run
            Waits waits,
            @Nullable EventPublisher publisher) {} // null where nobody listens

    final JobSpec declared; // as it was submitted
    final List<LaneWorker> workers;
    final Surroundings around;
    final SubmittedJob future; // the job's own
    /** Completed when nobody works for the run any more, which for a cancelled job is after its future. */
    final CompletableFuture<@Nullable Void> idle = new CompletableFuture<>();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicInteger present = new AtomicInteger();
    private final AtomicInteger holders = new AtomicInteger(1);
    private final AtomicInteger owed = new AtomicInteger(1);
    final AtomicBoolean finished = new AtomicBoolean(); // nobody works for it any more
    private final AtomicBoolean told = new AtomicBoolean(); // who listens, that it has ended
    private @Nullable Throwable outcome; // what it had failed with by then
    private volatile boolean over; // and its buffers were let go
    volatile boolean mayCall; // lanes may be called, or were

    final JobHistory history;
    final JobPlan plan;
    final Recovery recovery;
    private final @Nullable Duration chunkDeadline;
    final JobStart start; // what comes before its first phase
    /** Whether nothing is written before a chunk is claimed: it may be taken from its lane, or lanes check what kernels write. */
    final boolean fenced;

    /** Whether it does not say what a host step of it writes, which may be anything: no other job uses its lanes before its end. */
    final boolean holdsLanes;

    /** Whether a lane went to a more urgent job in the middle of one of the two, so that its time is not its own. */
    volatile boolean shared;

    private volatile boolean changedOnHost; // whether merges or host steps may have changed what it was to write

    /** The most urgent first: of the highest priority, then the one submitted first. */
    static final Comparator<JobRun> URGENCY = Comparator.<JobRun>comparingInt(
                    run -> -run.declared.options().priority())
            .thenComparingLong(run -> run.number);

    // The dispatcher's: its number among those submitted, and whether it has its turn and waits for what it is to come
    // after.
    long number;
    volatile boolean hasTurn;
    volatile boolean awaits;
    List<? extends CompletionStage<?>> after = List.of(); // what that is

    @Nullable
    LaneWorker wholeOn; // where it was started, if it cannot be cut

    volatile boolean isQueued = true; // counted among those that wait

    /**
     * The job behind whose chunks its own may go before its turn has come: behind the last one on a lane that both
     * have alone, or, in a chain, on each lane behind those of which its ranges need nothing of others. Null if there
     * is none, or it is over.
     */
    volatile @Nullable JobRun follows;

    volatile @Nullable JobRun followedBy;
    boolean isJoined; // started before its turn; before its lanes are called
    boolean isToBeFollowed; // somebody waits who may go on behind it in a chain, when it starts; the dispatcher's
    private volatile @Nullable PhaseRun joined; // its first phase, behind the last one of that job
    private final AtomicBoolean endsAtTurn = new AtomicBoolean(); // all of it is done, and what it follows is not over

    final Accesses.Claim claim; // its place in the order of jobs by their data
    private volatile LaneTask[] parts = NONE; // of lanes that build it or were given something, in lane order
    /** Lanes that may work for it: their devices are neither quarantined nor failed in it. None before they are found. */
    private volatile LaneSet usable = LaneSet.NONE;

    private LaneSet held = LaneSet.NONE; // that it may call without more ado; guarded by this
    final @Nullable ProgressPublisher progress; // null where nobody listens
    final EventPublisher.@Nullable OfJob events; // null where nobody listens

    volatile @Nullable PhaseRun phase; // whose chunks are taken at present; null before the first and after the last

    private volatile boolean waiting = true;
    private boolean holdsBuffers; // from its submission on
    final long submitted;
    long endedAt;

    /**
     * @param workers the lanes it may use, in lane order
     * @param learnt decides, and learns
     * @param chunkDeadline how long a chunk may take if the job does not say; null for no limit
     * @param runsNothing whether its programs are built, without any limit of time, and that is all
     */
    JobRun(
            JobSpec job,
            Policy policy,
            List<LaneWorker> workers,
            History learnt,
            @Nullable Duration chunkDeadline,
            Surroundings around,
            boolean runsNothing) {
        this.declared = job;
        this.workers = workers;
        this.around = around;
        this.future = new SubmittedJob(this, around.onOwnThread(), around.threads()::complete, around.waits());
        this.submitted = now();
        Duration own = job.options().chunkDeadline();
        this.chunkDeadline = runsNothing ? null : own != null ? own : chunkDeadline;
        this.progress = job.options().progress() == null ? null : new ProgressPublisher(job, around.threads());
        boolean checks = false;
        for (int i = 0; i < workers.size(); i++) {
            checks |= workers.get(i).lane().checks();
        }
        this.fenced = this.chunkDeadline != null || checks;
        this.holdsLanes = job.buffers().mayBeAny();
        // Here and not in start(), because the submitting thread has the time and a lane between two jobs has not.
        this.claim = new Accesses.Claim(
                job.name(), this, job.buffers().uses(), job.buffers().writes(), () -> JobBuffers.replaced(job));
        List<DeviceInfo> devices = LaneWorker.devices(workers);
        long granule = Granules.poolGranule(job, Granules.unitsPerGranule(job, devices));
        this.history = StoredHistory.of(learnt).of(job, devices);
        JobSpec.FirstRun seen = job.findings().firstRun();
        if (!seen.isOver() && (!JobSpec.FirstRun.isFor(job) || history.hasPassed(job))) {
            seen.end();
        }
        EventPublisher publisher = runsNothing ? null : around.publisher();
        this.events = publisher == null ? null : publisher.job(job, policy.name(), granule, workers, around.clock());
        this.recovery = new Recovery(this);
        this.plan = new JobPlan(this, granule, policy);
        this.start = new JobStart(this, runsNothing);
    }

    // ---- what others ask ----

    String name() {
        return declared.name();
    }

    /** The present time, in nanoseconds. */
    long now() {
        return around.clock().getAsLong();
    }

    /** How long it has waited for other jobs and its lanes, in nanoseconds; negative if it waits no more. Any thread. */
    long waitedNanos() {
        long waited = Math.max(0, now() - submitted);
        return waiting ? waited : -1;
    }

    /** The tasks of lanes that build it, or were given something, or stand by. Not to be changed. */
    LaneTask[] parts() {
        return parts;
    }

    @Override
    public @Nullable LaneTask part(int lane) {
        LaneTask[] all = parts;
        int at = Math.min(lane, all.length - 1);
        while (at >= 0 && all[at].index > lane) {
            at--;
        }
        return at >= 0 && all[at].index == lane ? all[at] : null;
    }

    @Override
    public int lanes() {
        return workers.size();
    }

    /** Does something with the tasks of these lanes; those that have none get one. */
    void on(LaneSet lanes, Consumer<LaneTask> action) {
        make(lanes);
        for (LaneTask each : parts) {
            if (lanes.has(each.index)) {
                action.accept(each);
            }
        }
    }

    private synchronized void make(LaneSet lanes) {
        int size = parts.length;
        for (int i = 0; i < lanes(); i++) {
            size += lanes.has(i) && part(i) == null ? 1 : 0;
        }
        LaneTask[] all = new LaneTask[size];
        for (int i = 0, at = 0; at < size; i++) {
            LaneTask known = part(i);
            if (known != null || lanes.has(i)) {
                all[at++] = known == null ? new LaneTask(this, i, workers.get(i)) : known;
            }
        }
        parts = all;
    }

    /** The lanes of which something holds that have a task. */
    LaneSet where(Predicate<LaneTask> holds) {
        LaneSet set = LaneSet.NONE;
        for (LaneTask each : parts) {
            set = holds.test(each) ? set.with(each.index) : set;
        }
        return set;
    }

    /** The lanes that may work for it. */
    LaneSet usable() {
        return usable;
    }

    /** Finds those. What is said of one of them by {@link #use} comes before or after. */
    synchronized LaneSet use(IntPredicate which) {
        usable = LaneSet.where(workers.size(), which);
        return usable;
    }

    /** A lane may work for it, or may not any more. */
    synchronized void use(int lane, boolean may) {
        usable = may ? usable.with(lane) : usable.without(lane);
    }

    /** Whether ranges of its phases wait for each other, rather than phases; once it has begun. */
    boolean isChained() {
        return plan.isChained;
    }

    /** Whether it was started before its turn, and what it follows is not over yet. */
    boolean isHeldBack() {
        return follows != null && !isStopped();
    }

    // ---- as one who waits ----

    @Override
    public String what() {
        return "job '" + name() + "'";
    }

    @Override
    public List<Waiter> waitsFor() {
        JobRun before = follows;
        if (before != null && isHeldBack()) {
            return List.of(before);
        }
        List<Waiter> all = new ArrayList<>(claim.waitsFor()); // also if it was cancelled: it keeps its place
        if (!waiting) {
            return all;
        }
        all.addAll(awaits ? Waiter.left(after) : List.of());
        if (all.isEmpty() && hasTurn) { // and waits for lanes
            workers.stream()
                    .flatMap(each -> each.callers().stream())
                    .filter(each -> each != this)
                    .distinct()
                    .forEach(all::add);
        }
        return all;
    }

    @Override
    public String state() {
        PhaseRun open = phase;
        if (isEnded()) {
            return "is over";
        } else if ((hasFailed() || future.isDone()) && !waiting) {
            return "has failed, and ends when its devices come back: " + named(where(LaneTask::isCalled));
        } else if (waiting) {
            return hasTurn && !awaits ? "waits for its devices: " + named(LaneSet.all(lanes())) : "waits for its turn";
        } else if (open == null) {
            return start.begun ? "begins or ends" : "waits for its programs: " + named(where(lane -> lane.builds));
        }
        String kernel = open.phase.kernel();
        return open.unfinished() == 0
                ? "is at the host's part after kernel " + kernel
                : "runs kernel " + kernel + ": " + named(where(LaneTask::isCalled));
    }

    /** Some of its lanes' devices, and what is wrong with them. */
    private String named(LaneSet which) {
        String all = IntStream.range(0, workers.size())
                .filter(which::has)
                .mapToObj(i -> {
                    String why = workers.get(i).health().quarantined();
                    return "device " + workers.get(i).device().id()
                            + (why != null
                                    ? " (quarantined: " + why + ")"
                                    : workers.get(i).builds(part(i)) ? " (builds)" : "");
                })
                .collect(Collectors.joining(" and "));
        return all.isEmpty() ? "no device at present" : all;
    }

    @Override
    public Object progress() {
        PhaseRun open = phase;
        return open == null ? List.of(waiting, start.begun) : List.of(open.number, open.unfinished());
    }

    @Override
    public long since() {
        return submitted;
    }

    @Override
    public boolean hasBegun() {
        return !waiting || future.isDone();
    }

    @Override
    public boolean isOver() {
        return future.isDone();
    }

    @Override
    public boolean uses(LogicalBuffer buffer) {
        return !isEnded() && claim.uses(buffer);
    }

    @Override
    public String toString() {
        return Waits.text(this);
    }

    // ---- from submission to the first phase ----

    /**
     * Begins to watch the job's deadline, tells who listens, and holds the job's buffers: who closes one from now on does not end the
     * job, which fails if one is closed by now. Called once, before the run is queued.
     */
    void watch() {
        if (start.runsNothing) {
            return;
        }
        EventPublisher publisher = around.publisher();
        if (publisher != null) {
            publisher.submitted(future);
        }
        recovery.watchJob(declared.options().deadline());
        try {
            declared.buffers().hold(declared);
            holdsBuffers = true;
        } catch (JobRejectedException e) {
            start.fail("submitting", e);
        }
    }

    /** Sets its lanes to work. Called once, by the dispatcher. */
    void start() {
        waiting = false;
        start.start();
    }

    /**
     * The first that waits for it, if all that this waits for is this one and those behind which it began; else null.
     */
    @Nullable
    JobRun next(Accesses order) {
        return order.behind(claim, each -> each instanceof JobRun run && isBehind(run)) instanceof JobRun run
                ? run
                : null;
    }

    private boolean isBehind(JobRun other) {
        JobRun each = this;
        while (each != null && each != other) {
            each = each.follows;
        }
        return each != null;
    }

    /** Whether it may begin behind a job that is under way, or is about to be in a chain. By the dispatcher. */
    boolean mayJoin(JobRun last) {
        LaneTask alone = last.plan.alone();
        boolean goesOn = alone != null
                ? !last.fenced && JobBuffers.stayOnDevices(last.declared)
                : history.isPartOf(last.history)
                        && plan.policy == last.plan.policy
                        && workers.equals(last.workers)
                        && Chain.goOn(last.declared, declared)
                        && Chain.goOn(declared, last.declared)
                        && last.plan.mayBeJoined();
        return !awaits && waiting && !future.isDone() && goesOn && start.mayFollow(alone);
    }

    /**
     * Is to start before its turn, behind one that it {@linkplain #mayJoin may join}; false if that is about to end
     * or has failed.
     */
    boolean join(JobRun last) {
        if (last.hasFailed() || last.lastPhase() == null) {
            return false;
        } else if (last.isChained()) {
            long reach = Math.max(last.plan.form.job.reach(), Chain.between(declared, declared));
            for (JobRun each = last; each != null; each = each.follows) {
                reach = Math.max(reach, Chain.between(each.declared, declared));
            }
            plan.joins(last.plan, reach);
        }
        isJoined = true;
        last.followedBy = this;
        follows = last;
        start.dataCame(last.name());
        return true;
    }

    /** The phase after which it ends; null if it has not begun, or has ended. */
    private @Nullable PhaseRun lastPhase() {
        PhaseRun last = phase;
        while (last != null && last.number < plan.form.job.phases().size() - 1) {
            last = last.next();
        }
        return last;
    }

    /** What it waited for is over, also what it follows if it was started before. Once, by the dispatcher. */
    JobRun turnCame() {
        hasTurn = true;
        String last = claim.waitedFor();
        JobRun before = follows;
        if (before != null) {
            start.followsNoMore(before.isWell());
            follows = null; // only now, as its lanes may begin at once: not on data that are lost
            PhaseRun behind = joined;
            if (behind != null) {
                behind.waitsForNobody();
            }
            if (endsAtTurn.compareAndSet(true, false)) {
                finishInTurn();
            } else if (behind != null && behind.isDegraded()) {
                call(null);
            } else {
                callThoseThatWait(null);
            }
        } else if (last != null) {
            start.dataCame(last);
        }
        return this;
    }

    /** Holds these lanes, so that it may call them. Once. */
    synchronized void hold(LaneSet lanes) {
        held = lanes;
        for (int i = 0; i < workers.size(); i++) {
            if (lanes.has(i)) {
                workers.get(i).hold(holdsLanes);
            }
        }
    }

    /** Holds these lanes no longer, as far as it did. */
    synchronized void letGo(IntPredicate lanes) {
        for (int i = 0; i < workers.size(); i++) {
            if (held.has(i) && lanes.test(i)) {
                held = held.without(i);
                workers.get(i).letGo(holdsLanes);
            }
        }
    }

    /** Whether lanes should work for it before another. */
    boolean isMoreUrgentThan(JobRun other) {
        return URGENCY.compare(this, other) < 0;
    }

    // ---- phases ----

    /** Opens the first phase. Once, when the job may begin. */
    void open() {
        if (!hasFailed()) {
            recovery.watchChunks(chunkDeadline);
        }
        open(0, null);
    }

    /** Opens a phase, or ends the run; by the dispatcher or by whoever ended the phase before. */
    private void open(int number, @Nullable LaneTask self) {
        if (hasFailed() && plan.isChained) { // lanes may be at work in phases behind this one
            leave(0);
            return;
        } else if (hasFailed()) {
            finish();
            return;
        } else if (number == plan.form.job.phases().size()) {
            endsAtTurn.set(true);
            if (follows == null && endsAtTurn.compareAndSet(true, false)) {
                finishInTurn();
            }
            return;
        }
        PhaseRun before = number == 0 ? null : phase; // null, too, where there are no units
        plan.isChained &= before != null || !plan.mustDegrade(); // a lane was lost since
        boolean goesOn = plan.isChained && before != null && before.after() != null;
        PhaseRun opened = before != null ? before.next() : first(number);
        for (LaneTask lane : parts) {
            if (!plan.isChained && lane.stats != null) { // else whenever a lane comes there
                lane.stats.expect(plan.prior(lane.index, number), opened.rates);
            }
        }
        if (plan.form.job.units() == 0) { // a job without units has nothing but host steps
            endPhase(opened, timeIfHeard(), self);
            return;
        }
        phase = opened;
        if (goesOn) { // lanes are there, or were called by who did what they need
            return;
        }
        if (plan.mustDegrade()) { // asked when all can see the phase: a lane may be lost at any time
            opened.degrade();
            activateAll();
        }
        call(self);
    }

    private PhaseRun first(int number) {
        JobRun before = follows;
        PhaseRun last = before == null ? null : before.lastPhase();
        PhaseRun made = last == null ? new PhaseRun(number, plan, this, around.clock()) : last.next(plan, this);
        joined = last == null ? null : made;
        return made;
    }

    /** All of it is done, in its turn. */
    private void finishInTurn() {
        if (!hasFailed() && followedBy == null) { // else others may be writing over them
            try {
                plan.form.requireResults();
            } catch (DataLostException e) {
                fail(new DataLostException("job '" + name() + "': " + e.getMessage(), e));
            }
        }
        finish();
    }

    /** Calls all lanes that are left but one, those that the plan had left out too. */
    void callOthers(LaneTask but) {
        activateAll();
        call(but);
    }

    /** From now on every lane that is left takes part, those that the plan had left out too. */
    private void activateAll() {
        on(usable, LaneTask::takePart);
    }

    /** Calls every active lane but the one that is calling, which will see for itself, and those that build, which join in later. */
    private void call(@Nullable LaneTask but) {
        for (LaneTask lane : parts) {
            if (lane != but && !lane.builds) {
                lane.call();
            }
        }
    }

    /** A lane has done a chunk. */
    void chunkDone(LaneTask lane, PhaseRun of, long range) {
        if (progress != null) {
            progress.done(plan.form, of, range);
        }
        boolean ended = of.done(range);
        if (plan.isChained) {
            callThoseThatWait(lane);
        }
        JobRun behind = followedBy;
        if (behind != null && (plan.isChained || ended)) {
            behind.callThoseThatWait(null);
        }
        // In the order of phases, whoever ends one: of a chain a later one may be done by now.
        for (PhaseRun open = phase; ended && open != null && open.mayEnd(); open = phase) {
            endPhase(open, lane);
        }
    }

    private void callThoseThatWait(@Nullable LaneTask but) {
        for (LaneTask lane : parts) {
            if (lane.waitsInChain && lane != but) {
                lane.waitsInChain = false;
                lane.call();
            }
        }
    }

    private void endPhase(PhaseRun of, LaneTask lane) {
        long at = timeIfHeard();
        boolean wanted = around.queued().getAsInt() > (isQueued ? 1 : 0) || lane.worker.hasOthers(lane);
        if (!(wanted
                && plan.form.endsOnHost(of)
                && Arrays.stream(parts)
                        .anyMatch(each -> each.active() && !each.device().kind().isHostProcessor())
                && elsewhere(() -> endPhase(of, at, null)))) {
            lane.onHost(() -> endPhase(of, at, lane));
        }
    }

    /** The present time, or 0 where nobody listens. */
    long timeIfHeard() {
        return events == null ? 0 : now();
    }

    /** Goes on after a phase whose last chunk was done at a time. */
    private void endPhase(PhaseRun ended, long at, @Nullable LaneTask self) {
        try {
            if (!isStopped()) {
                changedOnHost = true;
                plan.form.fold(ended.number);
                combine(ended);
            }
        } catch (Throwable e) { // an Error too: nobody else ends this run
            fail(e);
        }
        if (events != null && !hasFailed()) {
            events.phaseEnded(ended.number, now() - at, plan.form.job.units());
        }
        open(ended.number + 1, self);
    }

    /** Runs the host step. */
    private void combine(PhaseRun ended) {
        try {
            plan.form.runHostStep(ended.number);
        } catch (Throwable e) { // user code: whatever it throws ends this job and nothing else
            fail(LaneFailure.ofJob(
                    "job '" + name() + "': the host step after kernel " + ended.phase.kernel() + " failed: " + e,
                    e,
                    ApplicationFailedException::new));
        } finally {
            plan.form.phaseEnded(ended.number);
        }
    }

    // ---- a lane failed ----

    /** From now on phases end before the next one begins, and every lane may do what is left of them. Any thread. */
    void degrade(PhaseRun from) {
        PhaseRun open = phase;
        (open == null ? from : open).degrade();
    }

    /** The job begins again, as it was declared. By the lane that failed, while no other works for the job. */
    void beginAgain(LaneTask self) {
        self.stats.restart();
        if (progress != null) {
            progress.restart();
        }
        try {
            plan.beginAgain();
            open(0, self);
        } catch (Throwable e) { // policies may be user code
            start.fail("cutting", e);
        }
    }

    // ---- the end ----

    /** What of that which it was to write holds something else by now, or something that nobody knows, if it has failed. */
    Set<Range> lost() {
        if (!changedOnHost && Arrays.stream(parts).noneMatch(LaneTask::mayHaveWritten)) {
            return Set.of();
        }
        Set<Range> kept = plan.form.kept();
        return declared.buffers().writes().stream()
                .filter(each -> !kept.contains(each))
                .collect(Collectors.toSet());
    }

    // ---- when it is over, well or not, and who may still touch what ----

    /** Whether it has failed by now. */
    boolean hasFailed() {
        return failure.get() != null;
    }

    /** Whether its buffers were let go: jobs that waited for it may begin. */
    boolean isEnded() {
        return over;
    }

    /** Whether it has ended, and has written what it was to write. */
    boolean isWell() {
        return over && outcome == null;
    }

    /** Why it has not written what it was to write, or will not, in words: the first cause. Null if it has, as far as is known. */
    @Nullable
    String failure() {
        Throwable cause = over ? outcome : failure.get();
        for (Throwable e = cause; e != null; e = e.getCause()) {
            if (e instanceof DataLostException lost) {
                return lost.reason();
            }
        }
        return cause == null ? null : String.valueOf(cause.getMessage());
    }

    /** Whether lanes should take no more chunks. */
    boolean isStopped() {
        noticeCancelling();
        return hasFailed();
    }

    /** If the caller has ended the job's future, that is how the job fails. */
    void noticeCancelling() {
        // By nobody but the caller while lanes work: cancel(), orTimeout(), complete().
        if (!finished.get() && future.isDone() && !hasFailed()) {
            fail(new CancellationException("job '" + name() + "' was cancelled"));
        }
    }

    // ---- who is present ----

    /** So many calls are about to be made. */
    void expect(int calls) {
        present.addAndGet(calls);
    }

    /** So many calls of lanes have been answered; of a failed run the last one ends it. */
    void leave(int calls) {
        if (present.addAndGet(-calls) == 0 && isStopped()) {
            finish();
        }
    }

    /** Has another thread than a lane's end a phase, which may be done by then; false if none is free. */
    boolean elsewhere(Runnable ending) {
        expect(1);
        boolean taken = around.threads().end(() -> {
            try {
                ending.run();
            } finally {
                leave(1);
            }
        });
        if (!taken) {
            leave(1);
        }
        return taken;
    }

    // ---- how it ends ----

    /** Ends the run with this cause as soon as the chunks under way are done. The first cause counts. */
    void fail(Throwable cause) {
        if (!failure.compareAndSet(null, cause)) {
            Throwable first = failure.get();
            if (first != null && first != cause) {
                first.addSuppressed(cause);
            }
        }
        if (mayCall && present.get() == 0) {
            finish();
        }
    }

    /** What it was to come after has failed: it is not run. */
    void failAfter(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        fail(LaneFailure.ofJob(
                "job '" + name() + "' was not run, as what it was to come after failed: " + cause,
                cause,
                ApplicationFailedException::new));
        abandon();
    }

    /**
     * Ends the future of a failed run without waiting for its lanes any longer, and tells who listens. The run itself keeps its place in
     * the order, and its buffers, until they are back.
     */
    void abandon() {
        around.threads().complete(() -> {
            Throwable cause = failure.get();
            if (cause == null) {
                return;
            }
            if (events != null) {
                long now = now();
                long build = mayCall ? start.startedAt - start.admittedAt : 0;
                tell(events, now, build, mayCall ? now - start.startedAt - start.waited() : 0, cause);
            }
            future.end(null, cause, Runnable::run);
        });
    }

    /** Tells who listens that the job has ended, before its future does. Once: of one that was abandoned it is known before all else. */
    void tell(EventPublisher.OfJob events, long at, long buildNanos, long wallNanos, @Nullable Throwable cause) {
        if (told.compareAndSet(false, true)) {
            events.ended(at, buildNanos, Math.max(0, wallNanos), cause);
        }
    }

    /** One more who may touch the job's buffers, until {@link #release}; false if they were let go, as the job is over. */
    boolean retain() {
        return holders.getAndUpdate(present -> present == 0 ? 0 : present + 1) > 0;
    }

    /** The last one who may still touch the job's buffers releases them; of a failed job they may hold anything. */
    void release() {
        if (hasFailed()) {
            plan.forms.forEach(JobForm::failed);
        }
        if (holders.decrementAndGet() == 0) {
            try {
                plan.forms.forEach(JobForm::close);
                if (holdsBuffers) {
                    declared.buffers().letGo();
                }
            } finally {
                future.release();
            }
        }
    }

    /** One more chunk whose times the report has to wait for. */
    void owe() {
        owed.incrementAndGet();
    }

    /** One of them is settled. If a thread waits for the last one, it need not wait for another to wake up first. */
    void settled() {
        if (owed.decrementAndGet() > 0) {
            return;
        }
        HostThreads threads = around.threads();
        if (future.isAwaited() && progress == null) {
            JobReport.conclude(this, failure.get(), threads::complete);
        } else {
            threads.complete(() -> JobReport.conclude(this, failure.get(), Runnable::run));
        }
    }

    /** No lane has anything left to do. */
    void finish() {
        if (!finished.compareAndSet(false, true)) {
            return;
        }
        endedAt = now();
        phase = null;
        recovery.stopWatching();
        for (LaneTask lane : parts) {
            lane.worker.forget(lane);
        }
        letGo(lane -> true);
        try {
            release();
        } catch (Throwable e) { // the lanes and the caller must not wait for a buffer that cannot be let go
            fail(e);
        }
        outcome = failure.get(); // before the future is done, after which it would be taken for cancelled
        over = true;
        around.ended().accept(this); // first, so that the next job starts while this one's report is written
        settled();
        idle.complete(null);
        around.idle().accept(this);
    }
}
