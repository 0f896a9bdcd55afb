package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.History;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.JobQueue;
import dev.evener.RunListener;
import dev.evener.internal.JobSpec;
import dev.evener.internal.ManagedData;
import dev.evener.internal.SerialQueue;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.recovery.Watchdog;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits jobs: a job starts when those before it that it has to follow are over ({@link Accesses}), and one of its lanes has nothing
 * to do. It is cut with the time in mind for which its other lanes are busy, so that one small job goes to the lane that is free while
 * another is still at work elsewhere, and a large one has a part of both. A job for one lane alone starts while that has one other job,
 * whose host steps leave it free. Jobs that want the same lanes start in the order of their submission.
 *
 * <p>{@link #submit} may be called by any thread. Submissions and lane releases go through a {@link SerialQueue}, so that no thread
 * waits for another here.
 */
public final class Dispatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Jobs that may be under way at once, for each lane: a bound on their memory, which fast lanes among slow ones come close to. */
    private static final int MOST_UNDER_WAY = 8;

    private final List<LaneWorker> workers = new ArrayList<>();
    private final History history;
    private final Duration closeLimit;
    private final JobRun.Surroundings around;
    private final HostThreads threads;
    private final SerialQueue events = new SerialQueue(this::admit);
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicInteger queued = new AtomicInteger(); // submitted and not started
    private volatile boolean refusing;
    private volatile int queueLimit = Integer.MAX_VALUE;
    private final Set<JobRun> live = ConcurrentHashMap.newKeySet();

    // Touched only by tasks of that queue.
    private final Accesses accesses = new Accesses();
    private final NavigableMap<Long, JobRun> ready = new TreeMap<>(); // for lanes, by their number
    private long entered;
    private int underWay; // started, and not over
    private volatile int waitingForLanes; // of those ready

    /**
     * Starts a worker for each lane; from here on the lanes belong to their workers.
     *
     * @param scratch makes host memory for results under way; whoever gives it closes what it made after {@link #stop}
     * @param listeners who is told what happens to jobs
     */
    public Dispatcher(List<Lane> lanes, History history, ScratchPool.Source scratch, List<RunListener> listeners) {
        this(lanes, history, new ScratchPool(scratch), CLOSE_LIMIT, PATIENCE, listeners);
    }

    /** Where nobody listens. */
    Dispatcher(List<Lane> lanes, History history, ScratchPool scratch, Duration closeLimit, Duration patience) {
        this(lanes, history, scratch, closeLimit, patience, List.of());
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
            List<RunListener> listeners) {
        this.history = history;
        this.closeLimit = closeLimit;
        Watchdog watchdog = Watchdog.onThread();
        lanes.forEach(lane -> workers.add(new LaneThread(lane, watchdog, patience)));
        this.threads = new HostThreads(lanes.size());
        this.around = around(System::nanoTime, watchdog, scratch, listeners);
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
        this.around = around(clock, watchdog, ScratchPool.NONE, listeners);
    }

    private JobRun.Surroundings around(
            LongSupplier clock, Watchdog watchdog, ScratchPool scratch, List<RunListener> listeners) {
        return new JobRun.Surroundings(
                clock,
                watchdog,
                threads,
                scratch,
                () -> queued.get() > 0,
                () -> waitingForLanes,
                this::laneIsFree,
                run -> events.post(() -> ended(run)),
                events::post,
                () -> isOnLane() || threads.isCompleting(),
                EventPublisher.of(listeners, workers));
    }

    /** From now on, at most so many jobs wait for lanes; more are refused. */
    public void limitQueue(int jobs) {
        queueLimit = jobs;
    }

    /** What waits for lanes at present. Any thread. */
    public JobQueue queue() {
        LongSummaryStatistics waited =
                live.stream().mapToLong(JobRun::waitedNanos).filter(n -> n >= 0).summaryStatistics();
        return new JobQueue((int) waited.getCount(), Duration.ofNanos(Math.max(0, waited.getMax())));
    }

    /** The devices, in lane order. */
    public List<DeviceInfo> devices() {
        return workers.stream().map(LaneWorker::device).toList();
    }

    /**
     * Queues a job; the future is completed on the runtime's completion thread.
     *
     * @param learnt the history that decides, and that learns from it
     * @param chunkDeadline for jobs that set none themselves; null for none
     * @throws EvenerException if none of the devices is one that the job wants
     * @throws RejectedExecutionException if as many jobs wait as may
     */
    public JobFuture submit(Job job, Policy policy, History learnt, @Nullable Duration chunkDeadline) {
        return trySubmit(job, policy, learnt, chunkDeadline).orElseThrow(() -> full(job));
    }

    /** The same, but nothing if as many jobs wait as may. */
    public Optional<JobFuture> trySubmit(Job job, Policy policy, History learnt, @Nullable Duration chunkDeadline) {
        return enqueue(job, policy, learnt, chunkDeadline, false);
    }

    /**
     * Queues a job as {@link #submit} does, but builds its programs only: on all of its lanes, for both of its forms. What comes
     * of it is no event, teaches no history, and is a report without devices.
     */
    public JobFuture build(Job job, Policy policy) {
        return enqueue(job, policy, history, null, true).orElseThrow(() -> full(job));
    }

    private RejectedExecutionException full(Job job) {
        return new RejectedExecutionException("job '" + job.name() + "' was refused: " + queueLimit
                + " jobs wait already, as many as may (queueLimit)");
    }

    private Optional<JobFuture> enqueue(
            Job submitted, Policy policy, History learnt, @Nullable Duration chunkDeadline, boolean runsNothing) {
        JobSpec job = JobSpec.of(submitted);
        if (refusing) {
            throw new IllegalStateException("job '" + job.name() + "' was submitted to a closed Evener");
        }
        if (queued.getAndUpdate(n -> n < queueLimit ? n + 1 : n) >= queueLimit) {
            return Optional.empty();
        }
        JobRun run;
        try {
            run = new JobRun(job, policy, LaneWorker.wanted(workers, job), learnt, chunkDeadline, around, runsNothing);
        } catch (Throwable e) { // it was not made, and takes no place
            queued.decrementAndGet();
            throw e;
        }
        live.add(run);
        try {
            run.watch();
        } catch (Throwable e) { // queued all the same, so that it ends as every failed job does
            run.end.fail(e);
        }
        CompletableFuture<?> ignored = run.end.all().thenRun(() -> live.remove(run));
        if (refusing) { // closed since the check above: close() may have missed this run
            run.end.fail(closedWhile(run));
        }
        events.post(() -> submitted(run));
        ignored = run.end.future.whenComplete((report, failure) -> events.post(() -> endedByCaller(run)));
        return Optional.of(run.end.future);
    }

    /** What gives the host its turns at buffers, between jobs. Close it after {@link #stop}, before their memory is freed. */
    public ManagedData.Turns turns() {
        return new Accesses.ScopeTurns(accesses, events, threads, this::isOnLane);
    }

    private void submitted(JobRun run) {
        if (run.end.future.isDone()) {
            endedByCaller(run);
        } else {
            run.number = ++entered;
            accesses.enter(run.claim, () -> ready.put(run.number, run));
        }
    }

    /** One that waits need not wait for its turn to end. */
    private void endedByCaller(JobRun run) {
        if (run.end.future.isDone() && run.waitedNanos() >= 0) {
            ready.remove(run.number);
            queued.decrementAndGet();
            underWay++;
            run.start();
        }
    }

    private void ended(JobRun run) {
        underWay--;
        accesses.end(run.claim, run.end.failure());
    }

    /** Another job may start there. Any thread. */
    private void laneIsFree() {
        if (queued.get() > 0) {
            events.post(() -> {});
        }
    }

    private void admit() {
        Set<LaneWorker> spokenFor = new HashSet<>(); // by jobs that wait: those keep their place before later ones
        // Done once every lane is spoken for: with thousands of jobs queued, only the first few are looked at.
        for (Iterator<JobRun> it = ready.values().iterator(); it.hasNext() && spokenFor.size() < workers.size(); ) {
            JobRun run = it.next();
            if (underWay < MOST_UNDER_WAY * workers.size()
                    && run.workers.stream().noneMatch(spokenFor::contains)
                    && findsLanes(run)) {
                it.remove();
                waitingForLanes = ready.size();
                queued.decrementAndGet();
                underWay++;
                run.start();
            } else {
                spokenFor.addAll(run.workers);
            }
        }
        waitingForLanes = ready.size();
    }

    private static boolean findsLanes(JobRun run) {
        List<LaneWorker> lanes = run.workers;
        if (lanes.stream().anyMatch(LaneWorker::isHeld)) {
            return false;
        } else if (run.holdsLanes) {
            return lanes.stream().allMatch(lane -> lane.jobs() == 0);
        }
        int most = lanes.size() == 1 ? 1 : 0; // there is nothing to decide about its lane
        return lanes.stream().anyMatch(lane -> lane.jobs() <= most);
    }

    private static EvenerException closedWhile(JobRun run) {
        return new EvenerException("job '" + run.name() + "' was ended because its Evener was closed");
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
        return workers.stream().anyMatch(LaneWorker::isCurrent) || threads.isEnding();
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
        try {
            // Behind the last of them on the completion thread: its callbacks have run.
            all(each -> each.end.all())
                    .thenRunAsync(() -> {}, threads::complete)
                    .get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("not all jobs ended by themselves", e);
        }
        return false;
    }

    /** Refuses further jobs, ends all others with an exception, and waits until no lane works any more. Idempotent. */
    public void stop() {
        refusing = true;
        if (stopped.compareAndSet(false, true)) {
            live.stream().filter(run -> !run.end.finished.get()).forEach(run -> run.end.fail(closedWhile(run)));
            // One that waits need not: perhaps for a scope that is closed by the thread that closes this, or never.
            live.stream().filter(run -> run.waitedNanos() >= 0).forEach(run -> run.end.abandon());
            workers.forEach(LaneWorker::stop);
            awaitRuns();
            live.forEach(
                    each -> each.end.abandon()); // those behind a lane that hangs: their callers must not wait for ever
        }
    }

    /** {@link #stop}, then frees the lanes and saves the history. Call once. */
    @Override
    public void close() {
        stop();
        workers.forEach(LaneWorker::close);
        try {
            for (LaneWorker worker : workers) {
                if (!worker.join(closeLimit)) {
                    LOG.warn(
                            "device {} is still busy after {} s; its memory is left to it",
                            worker.device().id(),
                            closeLimit.toSeconds());
                }
            }
            around.watchdog().close();
            threads.close(closeLimit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        history.save();
    }

    private CompletableFuture<?> all(Function<JobRun, CompletableFuture<?>> end) {
        return CompletableFuture.allOf(live.stream().map(end).toArray(CompletableFuture<?>[]::new));
    }

    /** Waits for the lanes to be done with every run; a cancelled one may still have a chunk under way. */
    private void awaitRuns() {
        try {
            all(each -> each.end.idle).get(closeLimit.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("jobs are still running {} s after they were told to end", closeLimit.toSeconds());
        }
    }
}
