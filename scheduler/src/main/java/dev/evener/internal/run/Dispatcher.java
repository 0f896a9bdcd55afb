package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.policy.Policy;
import dev.evener.record.RunListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits jobs to lanes in the order of their submission: a job starts when every lane it uses is free, so that its timing
 * is its own. Lanes to which its policy gave nothing are free again at once, so that jobs on disjoint lanes run side by side.
 *
 * <p>{@link #submit} may be called by any thread. Submissions and lane releases go through a queue that whoever finds it
 * unattended drains (a counter of events handed in decides), so that no thread waits for another here.
 */
public final class Dispatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Something that changes who may start: a run is submitted, or holds these lanes no longer. */
    private record Event(JobRun run, @Nullable List<LaneWorker> released) {}

    private final LongSupplier clock;
    private final Watchdog watchdog;
    private final List<LaneWorker> workers = new ArrayList<>();
    private final History history;
    private final ScratchPool scratch;
    private final @Nullable Announcer announcer;
    private final Duration closeLimit;
    private final ExecutorService completions;
    private final AtomicReference<@Nullable Thread> completionThread;
    private final MpscUnboundedAtomicArrayQueue<Event> events = new MpscUnboundedAtomicArrayQueue<>(64);
    private final AtomicInteger unattended = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Set<JobRun> live = ConcurrentHashMap.newKeySet();

    // Touched only by the thread that drains.
    private final ArrayDeque<JobRun> waiting = new ArrayDeque<>();
    private final Set<JobRun> running = new HashSet<>();
    private final Map<LaneWorker, JobRun> taken = new HashMap<>();

    /**
     * Starts a worker for each lane; from here on the lanes belong to their workers.
     *
     * @param scratch makes host memory for results under way; whoever gives it closes what it made after {@link #stop}
     * @param listeners who is told what happens to jobs
     */
    public Dispatcher(List<Lane> lanes, History history, HostMemory scratch, List<RunListener> listeners) {
        this(lanes, history, new ScratchPool(scratch), CLOSE_LIMIT, PATIENCE, listeners);
    }

    /** Where nobody listens. */
    Dispatcher(List<Lane> lanes, History history, ScratchPool scratch, Duration closeLimit, Duration patience) {
        this(lanes, history, scratch, closeLimit, patience, List.of());
    }

    /**
     * Starts a worker for each lane.
     *
     * @param closeLimit how long each step of closing waits for a lane that does not come back
     * @param patience how long a failed lane is left alone before its first probe
     * @param listeners who is told what happens to jobs
     */
    Dispatcher(
            List<Lane> lanes,
            History history,
            ScratchPool scratch,
            Duration closeLimit,
            Duration patience,
            List<RunListener> listeners) {
        this.history = history;
        this.scratch = scratch;
        this.closeLimit = closeLimit;
        this.clock = System::nanoTime;
        this.watchdog = new WatchdogThread();
        for (Lane lane : lanes) {
            workers.add(new LaneThread(lane, watchdog, patience));
        }
        AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
        this.completionThread = thread;
        this.completions = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "evener-completions");
            made.setDaemon(true);
            thread.set(made);
            return made;
        });
        this.announcer = Announcer.of(listeners, workers);
        // Started now and from here: the lane that ends the first job would hand its own core down to it (CoreBinding).
        completions.execute(() -> {});
    }

    /** A dispatcher on a virtual clock, whose workers, deadlines and completions all are events of {@code time}. */
    Dispatcher(List<? extends LaneWorker> virtual, History history, VirtualTime time, List<RunListener> listeners) {
        this.history = history;
        this.scratch = ScratchPool.NONE;
        this.closeLimit = Duration.ZERO;
        this.clock = time;
        this.watchdog = time.watchdog();
        this.completions = time.completions();
        this.completionThread = new AtomicReference<>();
        workers.addAll(virtual);
        this.announcer = Announcer.of(listeners, workers);
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
     */
    public CompletableFuture<Report> submit(Job job, Policy policy, History learnt, @Nullable Duration chunkDeadline) {
        requireOpen(job);
        Duration own = job.options().chunkDeadline();
        Limits limits = new Limits(job.options().deadline(), own != null ? own : chunkDeadline);
        JobRun run = new JobRun(
                job,
                policy,
                wanted(job),
                limits,
                new JobRun.Surroundings(clock, completions, watchdog, learnt, scratch, this::released, announcer));
        return enqueue(run);
    }

    private void requireOpen(Job job) {
        if (closed.get()) {
            throw new IllegalStateException("job '" + job.name() + "' was submitted to a closed Evener");
        }
    }

    private CompletableFuture<Report> enqueue(JobRun run) {
        live.add(run);
        try {
            run.watch();
        } catch (Throwable e) { // queued all the same, so that it ends as every failed job does
            run.fail(e);
        }
        if (closed.get()) { // closed since the check above: close() may have missed this run
            run.fail(closedWhile(run));
        }
        post(new Event(run, null));
        return run.future();
    }

    /**
     * Queues a job as {@link #submit} does, but builds its programs only: on all of its lanes, for both of its forms. What comes
     * of it is no event, teaches no history, and is a report without devices.
     *
     * @param policy of no matter, but for the report
     * @throws EvenerException if none of the devices is one that the job wants
     */
    public CompletableFuture<Report> build(Job job, Policy policy) {
        requireOpen(job);
        return enqueue(new JobRun(
                job,
                policy,
                wanted(job),
                new Limits(null, null),
                new JobRun.Surroundings(clock, completions, watchdog, history, scratch, this::released, null),
                true));
    }

    private List<LaneWorker> wanted(Job job) {
        DeviceSelector selector = job.options().devices();
        if (selector == null) {
            return workers;
        }
        List<LaneWorker> wanted =
                workers.stream().filter(w -> selector.matches(w.device())).toList();
        if (wanted.isEmpty()) {
            throw new EvenerException("job '" + job.name() + "' wants devices '" + selector + "', but this Evener has "
                    + workers.stream().map(w -> w.device().id()).toList());
        }
        return wanted;
    }

    private void released(JobRun run, List<LaneWorker> lanes) {
        if (run.isFinished()) {
            live.remove(run);
        }
        post(new Event(run, lanes));
    }

    private void post(Event event) {
        events.offer(event);
        if (unattended.getAndIncrement() != 0) {
            return; // somebody is draining and will see it
        }
        int seen = 1;
        do {
            try {
                for (Event next = events.poll(); next != null; next = events.poll()) {
                    handle(next);
                }
                admit();
            } catch (Throwable e) { // else the queue would count as attended for ever, and no later job start
                LOG.error("jobs could not be admitted", e);
            }
            seen = unattended.addAndGet(-seen);
        } while (seen != 0);
    }

    private void handle(Event event) {
        List<LaneWorker> released = event.released();
        if (released == null) {
            waiting.add(event.run());
        } else { // but those that another run has taken since
            released.forEach(lane -> taken.remove(lane, event.run()));
            if (event.run().isFinished()) {
                running.remove(event.run());
            }
        }
    }

    private void admit() {
        if (waiting.isEmpty()) {
            return;
        }
        Set<LaneWorker> spokenFor = new HashSet<>(taken.keySet());
        List<JobRun> ready = new ArrayList<>();
        // Done once every lane is spoken for: with thousands of jobs queued, only the first few are looked at.
        for (Iterator<JobRun> it = waiting.iterator(); it.hasNext() && spokenFor.size() < workers.size(); ) {
            JobRun run = it.next();
            if (run.workers().stream().noneMatch(spokenFor::contains)
                    && running.stream().noneMatch(run::mustFollow)) {
                it.remove();
                running.add(run);
                run.workers().forEach(lane -> taken.put(lane, run));
                ready.add(run);
            }
            spokenFor.addAll(run.workers()); // a job that waits keeps its place before later ones
        }
        ready.forEach(JobRun::start);
    }

    private static EvenerException closedWhile(JobRun run) {
        return new EvenerException("job '" + run.name() + "' was ended because its Evener was closed");
    }

    /**
     * A lane cannot wait for its own end.
     *
     * @throws IllegalStateException if the calling thread is a lane's
     */
    public void requireNotOnLane() {
        if (workers.stream().anyMatch(LaneWorker::isCurrent)) {
            throw new IllegalStateException(
                    "an Evener cannot be closed from a host step or Java kernel of its own jobs;"
                            + " close it from the thread that submits, or from the job's future");
        }
    }

    /** Refuses further jobs, ends all others with an exception, and waits until no lane works any more. Idempotent. */
    public void stop() {
        if (closed.compareAndSet(false, true)) {
            live.forEach(run -> run.fail(closedWhile(run)));
            workers.forEach(LaneWorker::stop);
            awaitRuns();
            live.forEach(JobRun::abandon); // those behind a lane that hangs: their callers must not wait for ever
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
            watchdog.close();
            completions.shutdown();
            if (Thread.currentThread()
                            != completionThread.get() // closed by a job's callback: it cannot wait for itself
                    && !completions.awaitTermination(closeLimit.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("a callback of a job's future is still running after {} s", closeLimit.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        history.save();
    }

    /** Waits for the lanes to be done with every run; a cancelled one may still have a chunk under way. */
    private void awaitRuns() {
        CompletableFuture<?>[] ends = live.stream().map(JobRun::lanesFree).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(ends).get(closeLimit.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("jobs are still running {} s after they were told to end", closeLimit.toSeconds());
        }
    }
}
