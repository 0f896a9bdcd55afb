package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.history.History;
import dev.evener.policy.Experience;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One job under way: the state machine from its admission to its report.
 *
 * <p>Phases are separated by a counter of the lanes still at work. The lane that brings it to zero is, for that moment, the
 * only one that touches the run: it merges the partial results in lane order, runs the host step, opens the next phase and
 * wakes the others, then goes on with its own part without having slept. So a phase boundary costs the others one wake-up
 * and the last lane none, and no lane ever holds a lock that another wants.
 *
 * <p>{@link #start} and {@link #visit} are called by the dispatcher and by lane workers as documented there; {@link #fail},
 * {@link #future} and {@link #job} by any thread. All plain fields are written only between the counter reaching zero and
 * the hand-over of the run to lanes through their inboxes, which orders them.
 */
final class JobRun {
    private Job job; // as it was submitted; from the start on as the lanes run it
    private final PhaseResults results;
    private final Policy policy;
    private final List<LaneWorker> workers;
    private final History history;
    private final LongSupplier clock;
    private final Executor completions;
    private final Consumer<JobRun> whenLanesFree;
    private final CompletableFuture<Report> future = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> lanesFree = new CompletableFuture<>();
    private final AtomicInteger lanesAtWork = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final long submitted;
    private final long granule;
    private final History.Key[][] keys; // [phase][lane]

    private @Nullable Partition partition;
    private LaneStats[][] stats = new LaneStats[0][0]; // [phase][lane]
    private final Partials partials;
    private final List<HostBuffer> held = new ArrayList<>(); // so that a buffer closed in mid-job outlives the job
    private int phaseIndex;
    private long started;

    /**
     * @param workers the lanes it may use, in lane order
     * @param scratch where results lie until their phase ends
     * @param completions where futures are completed, so that no user code runs on a lane
     * @param whenLanesFree told once, when no lane works for this run any more
     */
    JobRun(
            Job job,
            Policy policy,
            List<LaneWorker> workers,
            History history,
            ScratchPool scratch,
            LongSupplier clock,
            Executor completions,
            Consumer<JobRun> whenLanesFree) {
        this.job = job;
        this.results = new PhaseResults(job, scratch);
        this.policy = policy;
        this.workers = workers;
        this.history = history;
        this.clock = clock;
        this.completions = completions;
        this.whenLanesFree = whenLanesFree;
        this.submitted = clock.getAsLong();
        this.partials = new Partials(workers.size());
        // Here and not in start(), because the submitting thread has the time and a lane between two jobs has not.
        this.granule = granule(job, workers);
        this.keys = keys(job, workers);
    }

    private static long granule(Job job, List<LaneWorker> workers) {
        List<DeviceInfo> devices = new ArrayList<>(workers.size());
        for (LaneWorker worker : workers) {
            devices.add(worker.device());
        }
        return Granules.unitsPerGranule(job, devices);
    }

    private static History.Key[][] keys(Job job, List<LaneWorker> workers) {
        History.Key[][] keys = new History.Key[job.phases().size()][workers.size()];
        for (int p = 0; p < keys.length; p++) {
            for (int lane = 0; lane < keys[p].length; lane++) {
                keys[p][lane] =
                        History.Key.of(job.phases().get(p), workers.get(lane).device());
            }
        }
        return keys;
    }

    Job job() {
        return job;
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

    /** Ends the run with this cause as soon as the chunks under way are done. The first cause counts. */
    void fail(Throwable cause) {
        if (!failure.compareAndSet(null, cause)) {
            Throwable first = failure.get();
            if (first != null && first != cause) {
                first.addSuppressed(cause);
            }
        }
    }

    /** Ends the future of a failed run without waiting for its lanes any longer. */
    void abandon() {
        completions.execute(() -> {
            Throwable cause = failure.get();
            if (cause != null) {
                future.completeExceptionally(cause);
            }
        });
    }

    /** Cuts the job and sets its lanes to work. Called once, by the dispatcher, when all its lanes are free. */
    void start() {
        started = clock.getAsLong();
        int lanes = workers.size();
        stats = new LaneStats[job.phases().size()][lanes];
        try {
            if (!cancelled()) {
                job = results.open();
                holdBuffers();
                partition = cut();
            }
        } catch (Throwable e) { // policies may be user code: an Error must not stop the dispatcher for all jobs
            fail(new EvenerException(
                    "job '" + job.name() + "': "
                            + (e instanceof EvenerException || e instanceof IllegalArgumentException
                                    ? e.getMessage()
                                    : "cutting it failed: " + e),
                    e));
        }
        openPhase(-1);
    }

    /**
     * A lane's part in the present phase and, if it is the one that ends it, in the following ones.
     */
    void visit(int lane, Lane device, ChunkTimes times) {
        while (true) {
            int phase = phaseIndex; // another lane may count it up as soon as this one has arrived
            boolean last = phase == job.phases().size() - 1;
            @Nullable LaneStats open = null;
            try {
                open = runPhase(phase, lane, device, times);
                if (last && open != null) { // in the last phase nobody waits, but the report needs the times
                    settle(device, times, open);
                    open = null;
                }
            } catch (Throwable e) { // an Error too: the other lanes must not wait for this one for ever
                fail(onDevice(device.device(), e));
            }
            boolean again = lanesAtWork.decrementAndGet() == 0 && closePhase(lane);
            // The others are at work on the next phase by now, or busy with this one: nobody waits for these times.
            if (open != null) {
                try {
                    settle(device, times, open);
                } catch (Throwable e) {
                    fail(onDevice(device.device(), e));
                }
            }
            if (!again) {
                return;
            }
        }
    }

    private static void settle(Lane device, ChunkTimes times, LaneStats stats) {
        device.settle(times);
        stats.add(times);
    }

    private void holdBuffers() {
        for (Job.Phase phase : job.phases()) {
            for (int i = 0; i < phase.arguments().size(); i++) {
                if (phase.arguments().get(i) instanceof Job.Argument.Buffer b) {
                    if (!b.buffer().hold()) {
                        throw new EvenerException(
                                "kernel " + phase.kernel() + ", argument " + i + ": the buffer is closed");
                    }
                    held.add(b.buffer());
                }
            }
        }
    }

    private Partition cut() {
        List<Snapshot.LaneView> views = new ArrayList<>(workers.size());
        for (int lane = 0; lane < workers.size(); lane++) {
            DeviceInfo device = workers.get(lane).device();
            views.add(new Snapshot.LaneView(device.id(), device.roughSpeed(), cost(lane)));
        }
        Snapshot snapshot = new Snapshot(Partition.granules(job.units(), granule), granule, views, Experience.NONE);
        return new Partition(
                job.units(), granule, workers.size(), policy.plan(snapshot).shares(), policy.name());
    }

    /** The phases share one partition, so what counts is the sum of their costs. */
    private Snapshot.Cost cost(int lane) {
        double fixed = 0;
        double perUnit = 0;
        long samples = Long.MAX_VALUE;
        for (History.Key[] ofPhase : keys) {
            Snapshot.Cost cost = history.cost(ofPhase[lane]);
            fixed += cost.fixedNanos();
            perUnit += cost.nanosPerUnit();
            samples = Math.min(samples, cost.samples());
        }
        return samples == 0 ? Snapshot.Cost.UNKNOWN : new Snapshot.Cost(fixed, perUnit, samples);
    }

    /**
     * Executes the lane's range of a phase.
     *
     * @return the lane's figures if its last chunk is still to be settled, else null
     */
    private @Nullable LaneStats runPhase(int phaseNumber, int lane, Lane device, ChunkTimes times) {
        if (cancelled()) {
            return null;
        }
        Job.Phase phase = job.phases().get(phaseNumber);
        if (phaseNumber == 0) {
            for (Job.Phase each : job.phases()) {
                device.prepare(job, each); // all at once: a build in mid-job would hold up the other lanes
            }
        }
        LaneStats mine = new LaneStats();
        stats[phaseNumber][lane] = mine;
        Partition cut = partition();
        long most = Math.min(Integer.MAX_VALUE, device.maxChunkUnits(phase));
        if (most > cut.granule()) {
            most -= most % cut.granule();
        }
        boolean open = false;
        for (long first = cut.first(lane); first < cut.end(lane) && !cancelled(); ) {
            if (open) {
                settle(device, times, mine);
                open = false;
            }
            int units = (int) Math.min(most, cut.end(lane) - first);
            times.reset();
            device.execute(job, phase, first, units, times);
            open = true;
            mine.units += units;
            partials.collect(lane, device, phase);
            first += units;
        }
        return open ? mine : null;
    }

    private boolean cancelled() {
        if (future.isDone()) { // by nobody but the caller while lanes work: cancel(), orTimeout(), complete()
            fail(new CancellationException("job '" + job.name() + "' was cancelled"));
        }
        return failure.get() != null;
    }

    private Partition partition() {
        Partition cut = partition;
        if (cut == null) {
            throw new IllegalStateException("a phase was opened without a partition");
        }
        return cut;
    }

    /**
     * Opens the present phase, or ends the run.
     *
     * @param self the calling lane, or -1 for the dispatcher
     * @return whether {@code self} has work in it
     */
    private boolean openPhase(int self) {
        while (failure.get() == null && phaseIndex < job.phases().size()) {
            int active = 0;
            for (int lane = 0; lane < workers.size(); lane++) {
                active += partition().units(lane) > 0 ? 1 : 0;
            }
            if (active == 0) {
                if (!endOfPhase()) {
                    break;
                }
                continue;
            }
            lanesAtWork.set(active);
            boolean mine = false;
            for (int lane = 0; lane < workers.size(); lane++) {
                if (partition().units(lane) > 0) {
                    if (lane == self) {
                        mine = true;
                    } else {
                        workers.get(lane).offer(this, lane);
                    }
                }
            }
            return mine;
        }
        finish();
        return false;
    }

    private boolean closePhase(int self) {
        endOfPhase();
        return openPhase(self);
    }

    /** Merges and combines; false if that failed or something had failed before. */
    private boolean endOfPhase() {
        if (!cancelled() && folded()) {
            Job.Phase phase = job.phases().get(phaseIndex);
            try {
                partials.merge(phase);
                Runnable combine = phase.combine();
                if (combine != null) {
                    combine.run();
                }
            } catch (Throwable e) { // user code: whatever it throws ends this job and nothing else
                fail(new EvenerException(
                        "job '" + job.name() + "': the host step after kernel " + phase.kernel() + " failed: " + e, e));
            }
        }
        phaseIndex++;
        return failure.get() == null;
    }

    /** Puts the phase's results into their final form; false if that failed. */
    private boolean folded() {
        try {
            results.fold(phaseIndex);
            return true;
        } catch (Throwable e) { // an Error too: nobody else ends this run
            fail(e);
            return false;
        }
    }

    private void finish() {
        long ended = clock.getAsLong();
        results.close();
        held.forEach(HostBuffer::letGo);
        held.clear();
        whenLanesFree.accept(this); // first, so that the next job starts while this one's report is written
        try {
            completions.execute(() -> complete(ended));
        } catch (RejectedExecutionException e) { // the runtime was closed without waiting for this lane any longer
            complete(ended);
        }
        lanesFree.complete(null);
    }

    private void complete(long ended) {
        try {
            Throwable cause = failure.get();
            if (cause != null) {
                future.completeExceptionally(cause);
                return;
            }
            Report report = ReportBuilder.build(
                    job, policy, workers, history, keys, partition(), stats, started - submitted, ended - started);
            // Learnt after the report was made, so that its predictions are those the decision rested on.
            for (int p = 0; p < stats.length; p++) {
                for (int lane = 0; lane < workers.size(); lane++) {
                    LaneStats s = stats[p][lane];
                    if (s != null && s.units > 0) {
                        history.record(keys[p][lane], s.units, s.busyNanos());
                    }
                }
            }
            future.complete(report);
        } catch (Throwable e) { // a report that cannot be made must not leave the caller waiting
            future.completeExceptionally(e);
        }
    }

    private Throwable onDevice(DeviceInfo device, Throwable e) {
        Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        return new EvenerException(
                "job '" + job.name() + "' failed on device " + device.id() + " (" + device.name() + "): "
                        + (cause instanceof EvenerException ? cause.getMessage() : cause.toString()),
                cause);
    }
}
