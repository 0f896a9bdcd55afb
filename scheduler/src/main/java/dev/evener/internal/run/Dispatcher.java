package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.JobQueue;
import dev.evener.event.RunListener;
import dev.evener.internal.ManagedData;
import dev.evener.internal.SubmittedJob;
import dev.evener.internal.Waiter;
import dev.evener.internal.Waits;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.order.Accesses;
import dev.evener.internal.order.HostThreads;
import dev.evener.internal.order.QueueBound;
import dev.evener.internal.order.ReadyJobs;
import dev.evener.internal.order.ScopeTurns;
import dev.evener.internal.order.SerialQueue;
import dev.evener.internal.recovery.LaneHealth;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits jobs: a job starts when those before it that it has to follow are over ({@link Accesses}), and one of its
 * lanes has nothing to do. It is cut with the time in mind for which its other lanes are busy, so that one small job
 * goes to the lane that is free while another is still at work elsewhere, and a large one has a part of both. One that
 * cannot be cut waits for the lane that is done with it first ({@link Occupancy}), and is looked at again when
 * something has changed. A job for one lane alone starts while that has one other job, whose host steps leave it free.
 * Jobs that want the same lanes start in their order.
 *
 * <p>{@link #submit} is for any thread. What happens goes through a {@link SerialQueue}, so that no thread waits for
 * another here.
 *
 * <p><b>Behind another job.</b> A job whose data stay on devices, with no host step and nothing to fold, need not be
 * over before the next one begins. The first job that waits for it and else only for those behind which it began
 * itself ({@link Accesses#behind}) starts before its turn in two cases ({@link JobRun#mayJoin}). On a lane that both
 * have alone: when the last chunk is enqueued and moves nothing, the directory takes it for done ({@link
 * Lane#commitAhead}) and the chunk of the next job goes behind it, unless something would have to be brought for that.
 * On several lanes, if it is of the same kind: it is cut alike and goes on as in a chain, each lane behind its own
 * chunks. At most sixteen jobs are cut alike, for a quarter of a second in all: nobody takes over another's part
 * meanwhile. If the job before fails or is cancelled, the chunks behind it are taken back, and the job goes on in its
 * turn; what it has written over by then is lost, as it is when a device fails in an update. Jobs with deadlines stay
 * out of that. A job that needs nothing of the one before goes behind it as well, where that leaves the lane idle:
 * behind its last phase or, on a GPU, behind one that the host ends. It counts whatever becomes of that one.
 */
public final class Dispatcher implements AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Of the jobs that wait although lanes have nothing to do, so many are looked at: a lane for which they are too few would add less. */
    private static final int MOST_LOOKED_AT = 16;

    /** Jobs that may be under way at once, for each lane: a bound on their memory, which fast lanes among slow ones come close to. */
    private static final int MOST_UNDER_WAY = 8;

    private final List<LaneWorker> workers = new ArrayList<>();
    private final History history;
    private final Duration closeLimit;
    private final JobRun.Surroundings around;
    private final HostThreads threads;
    private final SerialQueue events = new SerialQueue(this::admit);
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final QueueBound queued = new QueueBound(); // submitted and not started
    private volatile boolean refusing;
    private final LiveJobs live = new LiveJobs();
    private final Waits waits;

    // Touched only by tasks of that queue.
    private final Accesses accesses = new Accesses();
    private final ReadyJobs<JobRun, LaneWorker> ready = new ReadyJobs<>(JobRun.URGENCY, run -> run.workers);
    private long entered;
    private int underWay; // started, and not over
    private final List<JobRun> last = new ArrayList<>(); // jobs under way behind which others may begin, and nobody has
    private volatile int waitingForLanes; // of those ready
    private boolean looksAgain; // at a time that was set
    private final Occupancy occupancy = new Occupancy(); // at the moment

    /**
     * Starts a worker for each lane; from here on the lanes belong to their workers.
     *
     * @param scratch makes host memory for results under way; whoever gives it closes what it made after {@link #stop}
     * @param listeners who is told what happens to jobs
     * @param longWait how long somebody may wait before that is told; zero if it never is
     */
    public Dispatcher(
            List<Lane> lanes,
            History history,
            ScratchPool.Source scratch,
            List<RunListener> listeners,
            Duration longWait) {
        this(lanes, history, new ScratchPool(scratch), CLOSE_LIMIT, PATIENCE, listeners, longWait);
    }

    /** Where nobody listens. */
    Dispatcher(List<Lane> lanes, History history, ScratchPool scratch, Duration closeLimit, Duration patience) {
        this(lanes, history, scratch, closeLimit, patience, List.of(), Duration.ZERO);
    }

    /**
     * @param closeLimit how long each step of closing waits for a lane that does not come back
     * @param patience how long a failed lane is left alone before its first probe
     */
    Dispatcher(
            List<Lane> lanes,
            History history,
            ScratchPool scratch,
            Duration closeLimit,
            Duration patience,
            List<RunListener> listeners,
            Duration longWait) {
        this.history = history;
        this.closeLimit = closeLimit;
        Watchdog watchdog = Watchdog.onThread();
        lanes.forEach(lane -> workers.add(new LaneThread(lane, watchdog, patience)));
        this.threads = new HostThreads(lanes.size());
        EventPublisher publisher = EventPublisher.of(listeners, workers);
        this.waits = waits(longWait, System::nanoTime, watchdog, publisher);
        this.around = around(System::nanoTime, watchdog, scratch, publisher);
    }

    /** A dispatcher on another clock than the system's, which workers, deadlines and completions go by. */
    public Dispatcher(
            List<? extends LaneWorker> workers,
            History history,
            LongSupplier clock,
            Watchdog watchdog,
            Executor completions,
            List<RunListener> listeners) {
        this.history = history;
        this.closeLimit = Duration.ZERO;
        this.workers.addAll(workers);
        this.threads = new HostThreads(completions, workers.size());
        EventPublisher publisher = EventPublisher.of(listeners, this.workers);
        this.waits = waits(Duration.ZERO, clock, watchdog, publisher);
        this.around = around(clock, watchdog, ScratchPool.NONE, publisher);
    }

    private Waits waits(Duration longWait, LongSupplier clock, Watchdog watchdog, @Nullable EventPublisher publisher) {
        return new Waits(longWait, clock, watchdog::later, events::post, live::all, wait -> {
            if (publisher != null) {
                publisher.waitsLong(wait);
            }
        });
    }

    private JobRun.Surroundings around(
            LongSupplier clock, Watchdog watchdog, ScratchPool scratch, @Nullable EventPublisher publisher) {
        return new JobRun.Surroundings(
                clock,
                watchdog,
                threads,
                scratch,
                queued::size,
                () -> waitingForLanes,
                this::laneIsFree,
                run -> events.post(() -> ended(run), LaneWorker.starter(workers, threads)),
                live::remove,
                events::post,
                () -> isOnLane() || threads.isCompleting(),
                waits,
                publisher);
    }

    /** From now on, at most so many jobs wait for lanes; more are refused. */
    public void limitQueue(int jobs) {
        queued.limitTo(jobs);
    }

    /** What waits for lanes at present. Any thread. */
    public JobQueue queue() {
        return live.waiting();
    }

    /** How its devices are; fewer than were meant, if some are lacking. Any thread. */
    public DeviceInfo.Health health(List<String> leftOut, boolean lacks) {
        return LaneHealth.of(workers.stream().map(LaneWorker::health).toList(), leftOut, lacks);
    }

    /**
     * Queues a job; the future is completed on the runtime's completion thread.
     *
     * @param learnt the history that decides, and that learns from it
     * @param chunkDeadline for jobs that set none themselves; null for none
     * @param after what else it has to follow, and fails with; its place in the order of its data is its own
     * @throws EvenerException if none of the devices is one that the job wants
     * @throws RejectedExecutionException if as many jobs wait as may
     */
    public JobFuture submit(
            Job job,
            Policy policy,
            History learnt,
            @Nullable Duration chunkDeadline,
            List<? extends CompletionStage<?>> after) {
        requireOpen(job);
        queued.enter(job.name());
        return enqueue(job, policy, learnt, chunkDeadline, after, false);
    }

    /** The same for one that follows nothing else. */
    public JobFuture submit(Job job, Policy policy, History learnt, @Nullable Duration chunkDeadline) {
        return submit(job, policy, learnt, chunkDeadline, List.of());
    }

    /** The same, but nothing if as many jobs wait as may. */
    public Optional<JobFuture> trySubmit(Job job, Policy policy, History learnt, @Nullable Duration chunkDeadline) {
        requireOpen(job);
        return queued.tryEnter()
                ? Optional.of(enqueue(job, policy, learnt, chunkDeadline, List.of(), false))
                : Optional.empty();
    }

    /**
     * The same, but waits for room.
     *
     * @throws IllegalStateException on a thread that jobs may need which make room
     */
    public JobFuture submitInTime(Job job, Policy policy, @Nullable Duration chunkDeadline, Duration patience)
            throws InterruptedException {
        if (around.onOwnThread().getAsBoolean()) {
            throw new IllegalStateException(
                    "job '" + job.name() + "': a callback, host step or Java kernel must not wait"
                            + " for room in the queue, which it might keep from coming; use trySubmit");
        }
        requireOpen(job);
        Waits.Wait wait = waits.begin(new Room(job.name(), live, queued));
        try {
            queued.enter(job.name(), patience);
        } catch (RejectedExecutionException e) {
            requireOpen(job);
            throw e;
        } finally {
            wait.close();
        }
        return enqueue(job, policy, history, chunkDeadline, List.of(), false);
    }

    /** What a thread waits for that is to submit a job. */
    private record Room(String job, LiveJobs live, QueueBound queued) implements Waiter {
        @Override
        public String what() {
            return "room for job '" + job + "' in the queue (queueLimit)";
        }

        @Override
        public List<JobRun> waitsFor() { // any, of which the oldest is as good as another
            return live.all().stream()
                    .filter(each -> !each.hasBegun())
                    .min(Comparator.comparingLong(JobRun::since))
                    .map(List::of)
                    .orElse(List.of());
        }

        @Override
        public String state() {
            return "is there";
        }

        @Override
        public Object progress() {
            return queued.size();
        }

        @Override
        public boolean isOver() {
            return false;
        }
    }

    /**
     * Queues a job to build its programs only: on all of its lanes, for both of its forms. It is no event and teaches nothing.
     */
    public JobFuture build(Job job, Policy policy) {
        requireOpen(job);
        queued.enter(job.name());
        return enqueue(job, policy, history, null, List.of(), true);
    }

    private void requireOpen(Job job) {
        if (refusing) {
            throw new IllegalStateException("job '" + job.name() + "' was submitted to a closed Evener");
        }
    }

    /** For a job that was let into the queue. */
    private JobFuture enqueue(
            Job submitted,
            Policy policy,
            History learnt,
            @Nullable Duration chunkDeadline,
            List<? extends CompletionStage<?>> after,
            boolean runsNothing) {
        JobSpec job = JobSpec.of(submitted);
        JobRun run;
        try {
            run = new JobRun(job, policy, JobStart.wanted(workers, job), learnt, chunkDeadline, around, runsNothing);
        } catch (Throwable e) { // it was not made, and takes no place
            queued.leave();
            throw e;
        }
        run.after = after;
        run.awaits = !after.isEmpty();
        live.add(run);
        try {
            run.watch();
        } catch (Throwable e) { // queued all the same, so that it ends as every failed job does
            run.fail(e);
        }
        if (stopped.get()) { // since the check above: stop() may have missed this run, and lanes take no more
            LiveJobs.end(run);
            run.abandon();
        }
        events.post(() -> submitted(run));
        if (!after.isEmpty()) {
            CompletableFuture<?> ignored = SubmittedJob.all(after)
                    .whenComplete((result, failure) -> events.post(() -> mayStart(run, failure)));
        }
        run.future.whenDone(() -> {
            if (run.waitedNanos() >= 0) {
                events.post(() -> endedByCaller(run));
            }
            if (run.future.failedAt() != 0) {
                events.post(() -> accesses.isKnown(run.claim));
            }
            live.remove(run);
        });
        return run.future;
    }

    /** What gives the host its turns at buffers, between jobs. Close it after {@link #stop}, before their memory is freed. */
    public ManagedData.Turns turns() {
        return new ScopeTurns(accesses, events, threads, this::isOnLane, stopped::get, waits);
    }

    private void submitted(JobRun run) {
        run.number = ++entered;
        accesses.enter(run.claim, () -> getReady(run.turnCame()));
        if (!run.hasTurn || run.awaits) {
            waits.watch();
        }
        endedByCaller(run); // perhaps by now: what it was to write is lost all the same, at its place in the order
    }

    private void start(JobRun run) {
        underWay++;
        JobRun next = run.next(accesses);
        run.isToBeFollowed = next != null && next.mayJoin(run);
        run.start();
        if (run.isChained() || run.plan.alone() != null) {
            last.add(run);
        }
        LaneWorker whole = run.start.runsNothing ? null : run.plan.wholeOn();
        if (whole != null) {
            whole.wholes++;
            run.wholeOn = whole;
        }
        queued.leave(); // when its lanes were called: whoever asks whether one is wanted hears of it
        run.isQueued = false;
    }

    private void getReady(JobRun run) {
        if (run.hasTurn && !run.awaits && run.waitedNanos() >= 0) {
            ready.add(run);
        }
    }

    /** What the job was to come after has ended. */
    private void mayStart(JobRun run, @Nullable Throwable failure) {
        run.awaits = false;
        run.after = List.of();
        if (failure != null && run.waitedNanos() >= 0) {
            run.failAfter(failure);
        } else {
            getReady(run);
        }
    }

    /** One that waits need not wait for its turn to end. */
    private void endedByCaller(JobRun run) {
        if (run.future.isDone() && run.waitedNanos() >= 0) {
            ready.remove(run);
            queued.leave();
            underWay++;
            run.start();
        }
    }

    private void ended(JobRun run) {
        underWay--;
        LaneWorker whole = run.wholeOn;
        if (whole != null) {
            whole.wholes--;
        }
        String failure = run.failure();
        accesses.end(run.claim, failure, failure == null ? Set.of() : run.lost(), run.future::failedAt);
    }

    /** Has jobs begin behind those that they wait for, as far as others leave room. */
    private void join() {
        for (int i = last.size() - 1; i >= 0; i--) {
            JobRun run = last.get(i);
            JobRun next = run.next(accesses);
            boolean asked = next != null
                    && (run.isChained() || run.follows == null) // one deep where shares are each job's own
                    && underWay < MOST_UNDER_WAY * workers.size()
                    && ready.isBehind(next);
            boolean joins = asked && next.mayJoin(run) && next.join(run);
            if (joins || run.isEnded() || (asked && !run.isChained())) { // it is planned for once
                last.remove(i);
            }
            if (joins) {
                start(next);
                i = last.size(); // others may at once
            }
        }
    }

    /** Another job may start there. Any thread. */
    private void laneIsFree() {
        if (queued.size() > 0) {
            events.post(() -> {}, LaneWorker.starter(workers, threads));
        }
    }

    private void admit() {
        if (!last.isEmpty()) {
            join();
        }
        if (ready.size() == 0) { // mostly
            waitingForLanes = 0;
            return;
        }
        int most = MOST_UNDER_WAY * workers.size();
        occupancy.restart();
        ready.start(
                workers.size(),
                MOST_LOOKED_AT,
                (run, spokenFor) -> underWay < most ? run.start.waitsFor(spokenFor, occupancy) : run.workers,
                run -> {
                    waitingForLanes = ready.size();
                    start(run);
                    occupancy.started();
                });
        waitingForLanes = ready.size();
        lookAgain(occupancy.nanosToNextLook());
    }

    /** Jobs wait for lanes although others have nothing to do, which should be so no longer after a time. */
    private void lookAgain(double nanos) {
        if (nanos < Long.MAX_VALUE / 4.0 && !looksAgain) {
            looksAgain = true;
            Future<?> ignored = around.watchdog()
                    .after(Duration.ofNanos((long) nanos), () -> events.post(() -> looksAgain = false));
        }
    }

    /** Throws {@link IllegalStateException} if the calling thread is a lane's, which cannot wait for its own end. */
    public void requireNotOnLane() {
        if (isOnLane()) {
            throw new IllegalStateException(
                    "an Evener cannot be closed from a host step or Java kernel of its own jobs;"
                            + " close it from the thread that submits, or from the job's future");
        }
    }

    private boolean isOnLane() {
        boolean is = threads.isEnding();
        for (int i = 0; i < workers.size() && !is; i++) { // asked for each scope
            is = workers.get(i).isCurrent();
        }
        return is;
    }

    /**
     * Refuses further jobs and waits for the others and their futures' callbacks; false if some are left after this time.
     *
     * @throws IllegalStateException on a thread without which they cannot end
     */
    public boolean drain(Duration limit) {
        requireNotOnLane();
        if (threads.isCompleting()) {
            throw new IllegalStateException("an Evener cannot wait for its jobs in a callback of one of their futures;"
                    + " call close() there, or close(Duration) in a thread of your own");
        }
        refusing = true;
        queued.wake();
        return live.awaitFutures(threads, limit);
    }

    /** Refuses further jobs, ends all others with an exception, and waits until no lane works any more. Idempotent. */
    public void stop() {
        refusing = true;
        queued.wake();
        if (stopped.compareAndSet(false, true)) {
            live.endAll();
            workers.forEach(LaneWorker::stop);
            live.awaitLanes(closeLimit);
            live.abandonAll(); // those behind a lane that hangs: their callers must not wait for ever
        }
    }

    /** {@link #stop}, then frees the lanes and saves the history. Call once. */
    @Override
    public void close() {
        stop();
        workers.forEach(LaneWorker::close);
        try {
            for (LaneWorker worker : workers) {
                worker.awaitClosed(closeLimit);
            }
            around.watchdog().close();
            threads.close(closeLimit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        history.save();
    }
}
