package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.internal.cl.ClCommands;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.ClQueues;
import dev.evener.internal.cl.LaunchLimits;
import dev.evener.internal.cl.SelfTest;
import dev.evener.internal.device.BackEnd;
import dev.evener.internal.job.JobSpec;
import dev.evener.internal.memory.ContextMemory;
import dev.evener.internal.memory.InPlaceArgument;
import dev.evener.internal.memory.LaneMemory;
import dev.evener.internal.memory.MemoryBudget;
import dev.evener.internal.memory.PinnedMemory;
import dev.evener.internal.memory.Work;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import dev.evener.internal.source.Recent;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lane over one OpenCL device: in-order queues, kernel objects of its own, and two ways to bind a buffer. On a device
 * that shares host memory a slice is an aligned sub-buffer of the host's own memory; on any other it is sent to a chunk
 * buffer on the device before the kernel and fetched after it. A chunk enqueues all its commands, flushes once and is waited for
 * once, while another may be enqueued behind it; see {@link ChunkBinding}. Commands never block, because a blocking transfer on one
 * queue holds up the transfers of others.
 */
class ClLane implements Lane {
    private static final Logger LOG = LoggerFactory.getLogger(ClLane.class);

    private final ContextMemory context;
    private final ClDevice opened;
    private final BackEnd.Options options;
    private final DeviceInfo info;
    /** Jobs whose kernels are known to be built and to fit their arguments. */
    private static final int MOST_PREPARED = 64;

    private final ClQueues queues;
    private final ClQueue downloads; // of what others need and only this device holds
    private final boolean discrete;
    private final MemoryBudget budget;
    private final @Nullable PinnedMemory pinned;
    private final Kernels kernels;
    private final LaneMemory memory; // what is kept for all chunks
    private final boolean queuesAhead;
    private final boolean bringsEdges;
    private final long mostRounds;
    private final boolean checks;
    private final @Nullable TrialLaunch trials; // where the driver compiles at first launches
    private final @Nullable FirstRunChunk firstRuns; // where kernels work on the application's memory
    private final Set<JobSpec.Findings> prepared = Collections.newSetFromMap(
            Recent.map(MOST_PREPARED)); // of jobs, and so of those that differ in their data only

    // At most one in flight is in either place.
    private final ChunkBinding[] chunks = new ChunkBinding[2];
    private @Nullable ChunkBinding running;
    private @Nullable ChunkBinding behind;
    private ChunkBinding ended;

    ClLane(ContextMemory context, ClDevice device, BackEnd.Options options) {
        this.context = context;
        this.opened = device;
        this.options = options;
        CheckingMode checking = options.checked() ? CheckingMode.find().orElseThrow() : null;
        this.checks = checking != null;
        ClQueue queue = context.context().queue(device);
        boolean shares = options.allowSharing() && !checks && context.sharesHostMemory(device, queue);
        this.discrete = !shares && !checks;
        this.info = device.info().withSharesHostMemory(shares);
        this.mostRounds = SelfTest.known(device).rounds();
        this.queuesAhead = !device.needsBlockingTransfers();
        this.queues = discrete && queuesAhead ? ClQueues.three(queue, context.context(), device) : new ClQueues(queue);
        // A driver that computes in the calling thread would do the rest before anybody hears of them.
        this.bringsEdges = discrete && queues.overlap() && !device.runsGroupsInCaller();
        this.budget = MemoryBudget.of(info, options.mostForCopies());
        this.pinned =
                discrete && options.pinnedFrom() < Long.MAX_VALUE ? context.pinned(device, options.pinnedFrom()) : null;
        this.kernels = new Kernels(context.context(), info, mostRounds < Long.MAX_VALUE);
        this.trials = device.compilesAtLaunch() && !checks ? new TrialLaunch(info, kernels.fewItems()) : null;
        this.downloads = discrete ? context.context().queue(device) : queue;
        this.memory =
                new LaneMemory(context, queue, budget, info.alignmentBytes(), pinned, downloads, this::becomeIdle);
        for (int i = 0; i < chunks.length; i++) {
            ClCommands commands = new ClCommands(queues);
            chunks[i] = checking != null
                    ? checking.chunk(context.context(), info, kernels, commands, memory)
                    : new ChunkBinding(
                            info,
                            kernels,
                            commands,
                            memory,
                            PieceCut.of(options.pieceBytes()),
                            bringsEdges,
                            shares ? index -> new InPlaceArgument(index, context, device) : memory.copiedBy(commands));
        }
        this.firstRuns = options.firstRun() && shares
                ? new FirstRunChunk(context, device, queue, kernels, new ClCommands(queues), memory)
                : null;
        this.ended = chunks[0];
        context.retain();
    }

    /** Page-locked memory that suits the device; null if it needs none. Any thread. */
    @Nullable
    PinnedMemory pinned() {
        return pinned;
    }

    @Override
    public DeviceInfo device() {
        return info;
    }

    @Override
    public long stackBytes() {
        return opened.runsGroupsInCaller() ? LaunchLimits.STACK_BYTES : 0;
    }

    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        long most = Math.min(Integer.MAX_VALUE, kernels.mostUnits(phase)); // a kernel is told an int of units
        return Math.min(most, budget.mostUnits(phase, info.sharesHostMemory()));
    }

    @Override
    public boolean checks() {
        return checks;
    }

    @Override
    public boolean holdsData() {
        return discrete;
    }

    /** The first kernel whose loops the driver might end early. */
    private JobSpec.@Nullable Pass endless(JobSpec.Phase phase) {
        for (JobSpec.Pass pass : phase.passes()) {
            if (pass.variant(info.kind()).rounds() > mostRounds) {
                return pass;
            }
        }
        return null;
    }

    @Override
    public boolean isBuilt(JobSpec.Phase phase) {
        return endless(phase) == null && kernels.tried(phase);
    }

    @Override
    public void build(JobSpec.Phase phase) {
        try {
            JobSpec.Pass endless = endless(phase);
            if (endless != null) {
                throw new LaneFailure(
                        LaneFailure.Kind.BUILD,
                        String.format(
                                Locale.ROOT,
                                "kernel %s may take %,d rounds of loops, which device %s ends after %,d",
                                endless.kernel(),
                                endless.variant(info.kind()).rounds(),
                                info.id(),
                                mostRounds));
            }
            for (JobSpec.Pass pass : phase.passes()) {
                kernels.check(phase, pass);
            }
        } catch (RuntimeException | Error e) {
            if (trials != null) {
                trials.isBroken(phase);
            }
            throw e;
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // which of the job's phases it is
    public void prepare(JobSpec job, JobSpec.Phase phase) {
        if (prepared.contains(job.findings())) {
            return;
        }
        build(phase);
        if (phase == job.phases().get(job.phases().size() - 1)) { // and those before it
            prepared.add(job.findings());
        }
    }

    @Override
    public boolean isWarm(JobSpec job, JobSpec.Phase phase) {
        return trials == null || prepared.contains(job.findings()) || trials.isDone(job, phase);
    }

    @Override
    public void warm(JobSpec job, JobSpec.Phase phase) {
        if (trials == null || running != null) {
            return;
        }
        try (TrialLaunch.Chunk trial = trials.begin(job, phase)) {
            for (long first : trial == null ? List.<Long>of() : trial.firsts()) {
                ChunkTimes times = new ChunkTimes();
                enqueue(trial.job(), trial.job().phases().get(0), first, trial.units(), false, times);
                await();
                settle(times);
            }
        } catch (RuntimeException e) { // no memory, or what the job's own launch will say
            LOG.debug("kernel {} could not be tried out on {}: {}", phase.kernel(), info.id(), e.toString());
        }
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        ChunkBinding before = running;
        if (before == null) {
            ended.release(); // of a chunk that was run and, because its job failed, never settled
        }
        ChunkBinding chunk = before == chunks[0] ? chunks[1] : chunks[0];
        boolean enqueued;
        if (firstRuns != null && !job.findings().firstRun().isOver() && firstRuns.isDue(job, phase, firstUnit, units)) {
            if (before != null) {
                return false;
            }
            times.untouched = true;
            firstRuns.see(job, phase, firstUnit, units);
            times.untouched = false;
        }
        try {
            enqueued = chunk.enqueue(new Work(job, phase, firstUnit, units), fenced, times.exact, before);
        } catch (Throwable e) {
            times.untouched = !chunk.hasBegun();
            throw e;
        }
        if (before == null) {
            running = chunk;
        } else if (enqueued) {
            behind = chunk;
        }
        return enqueued;
    }

    @Override
    public boolean takesAnother() {
        // A driver that runs commands while they are enqueued has ended them by now.
        return queuesAhead && running != null && behind == null && running.mayBeFollowed();
    }

    @Override
    public void proceed() {
        if (running != null) {
            running.proceed();
        }
    }

    @Override
    public void await() {
        ended = Objects.requireNonNull(running, "no chunk was enqueued");
        running = behind;
        behind = null;
        ended.await();
    }

    @Override
    public void commit() {
        ended.commit();
    }

    @Override
    public boolean commitAhead() {
        return discrete && running != null && behind == null && running.commitAhead();
    }

    @Override
    public boolean bringsEdges() {
        return bringsEdges;
    }

    @Override
    public boolean awaitEdges() {
        return running != null && running.awaitEdges();
    }

    @Override
    public void takeBack() {
        ended.takeBack();
    }

    @Override
    public void settle(ChunkTimes times) {
        ended.settle(times);
    }

    @Override
    public ByteBuffer partial(int argument) {
        return ended.partial(argument);
    }

    /** Before memory is freed that the chunk under way may use. */
    private void becomeIdle() {
        if (running != null) {
            queues.drain();
        }
    }

    @Override
    public boolean waits() {
        return memory.waits();
    }

    @Override
    public long waitedNanos() {
        return memory.waitedNanos();
    }

    @Override
    public void probe() {
        queues.probe();
    }

    /** A driver that was reset leaves contexts behind in which nothing works any more, and gives new ones that do. */
    @Override
    public Lane revive() {
        opened.testAgain();
        try {
            probe();
            return this;
        } catch (RuntimeException e) {
            if (opened.isPart()) { // which the old context owns
                throw e;
            }
            Lane fresh = anew(e);
            try {
                memory.distrust();
                close();
            } catch (RuntimeException old) { // of which nobody needs anything
                LOG.debug("the old context of device {} did not close cleanly", info.id(), old);
            }
            LOG.info("device {} is opened in a new context, as the old one is dead: {}", info.id(), e.getMessage());
            return fresh;
        }
    }

    /** One that works on the same device in a context of its own. */
    private Lane anew(RuntimeException why) {
        ContextMemory own = new ContextMemory(new ClContext(List.of(opened)));
        own.retain(); // until the lane holds it
        ClLane fresh = null;
        try {
            fresh = new ClLane(own, opened, options);
            if (!fresh.info.equals(info)) { // what jobs under way were planned for
                throw new LaneFailure(LaneFailure.Kind.DEVICE, "the device is another one now: " + fresh.info);
            }
            fresh.probe();
            return fresh;
        } catch (RuntimeException e) {
            if (fresh != null) {
                fresh.close();
            }
            e.addSuppressed(why);
            throw e;
        } finally {
            own.release();
        }
    }

    @Override
    public void close() {
        queues.drain();
        for (ChunkBinding chunk : chunks) {
            chunk.close();
        }
        if (firstRuns != null) {
            firstRuns.close();
        }
        memory.close();
        kernels.close();
        queues.close();
        if (discrete) {
            downloads.close();
        }
        context.release();
    }
}
