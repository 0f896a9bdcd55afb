package dev.evener.internal.opencl;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.internal.CoreBinding;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import dev.evener.internal.run.LaneFailure;
import dev.evener.internal.run.LaneFailure.Kind;
import dev.evener.internal.run.Seams;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jocl.cl_command_queue;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * A lane over one OpenCL device: in-order queues, kernel objects of its own, and two ways to bind a buffer. On a device
 * that shares host memory a slice is an aligned sub-buffer of the host's own memory; on any other it is sent to a chunk
 * buffer on the device before the kernel and fetched after it. A chunk enqueues all its commands, flushes once and waits
 * once; where it moves much it is run in pieces, of which one is sent while another is computed and a third is fetched.
 * Commands never block, because a blocking transfer on one queue holds up the transfers of others.
 */
final class ClLane implements Lane {

    private final ClGroup group;
    private final ClDevice device;
    private final DeviceInfo info;
    private final ClQueues queues;
    private final ClClock clock = new ClClock();
    private final ClCommands commands;
    private final ClLaunch launch;
    private final MemoryBudget budget;
    private final @Nullable PinnedMemory pinned;
    private final ClArguments arguments;
    private final boolean ownCore;
    private final Map<KernelKey, Kernel> kernels = new HashMap<>();
    private final Set<KernelKey> tried = ConcurrentHashMap.newKeySet(); // kernels that were built, or do not build
    /** What each argument of the present chunk's phase is on the device. */
    private cl_mem[] memory = new cl_mem[16];
    /** Whether something of the present chunk may have reached the host, or be on its way there. */
    private boolean fetching;

    private record KernelKey(String digest, String options, String name) {}

    private record Kernel(cl_kernel object, List<ClParameter> parameters) {}

    ClLane(ClGroup group, ClDevice device, LaneOptions options) {
        this.group = group;
        this.device = device;
        cl_command_queue queue = Cl.createQueue(group.context(), device.handle());
        boolean shares = options.allowSharing() && group.sharesHostMemory(device, queue);
        this.info = device.info().withSharesHostMemory(shares);
        this.ownCore = options.bindCores() && group.runsInEnqueue(queue);
        this.queues = shares || device.needsBlockingTransfers()
                ? ClQueues.one(queue)
                : ClQueues.three(queue, group.context(), device.handle());
        this.commands = new ClCommands(queues, clock, device.needsBlockingTransfers());
        this.launch = new ClLaunch(info, commands);
        this.budget = MemoryBudget.of(info, options.mostForMirrors());
        this.pinned =
                shares || options.pinnedFrom() == Long.MAX_VALUE ? null : group.pinned(device, options.pinnedFrom());
        this.arguments = shares
                ? new SharedArguments(group, device)
                : new CopiedArguments(group, commands, budget, info, PieceCut.of(options), pinned);
        group.retain();
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
    public void attach() {
        if (ownCore) {
            CoreBinding.ownCore();
        }
    }

    @Override
    public long maxChunkUnits(Job.Phase phase) {
        if (info.sharesHostMemory()) {
            return Math.min(Integer.MAX_VALUE, budget.mostUnitsInPlace(phase));
        }
        // A kernel is told an int of units; only where seams cut a chunk in pieces may it have more.
        boolean cut = Seams.toNext(phase, 0) < Long.MAX_VALUE;
        return Math.min(cut ? Long.MAX_VALUE : Integer.MAX_VALUE, budget.mostUnits(phase));
    }

    @Override
    public boolean spansSegments() {
        return !info.sharesHostMemory();
    }

    @Override
    public boolean isBuilt(Job.Phase phase) {
        KernelSource source = phase.source();
        if (source == null) {
            return true; // there is nothing to build
        }
        for (Job.Pass pass : phase.passes()) {
            if (!tried.contains(key(source, pass))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void build(Job.Phase phase) {
        for (Job.Pass pass : phase.passes()) {
            ArgumentCheck.check(phase, pass, kernel(phase, pass).parameters());
        }
    }

    @Override
    public void execute(Job job, Job.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        release(); // of a chunk that was executed and, because its job failed, never settled
        try {
            run(job, phase, firstUnit, units, fenced);
        } catch (RuntimeException e) {
            if (LaneFailure.kindOf(e) != Kind.MEMORY) {
                arguments.distrust();
                throw e;
            }
            if (!arguments.dropUnused() || fetching) {
                throw e;
            }
            // With all of the device's memory, and from the start: nothing of the chunk has reached the host.
            run(job, phase, firstUnit, units, fenced);
        }
    }

    private void run(Job job, Job.Phase phase, long firstUnit, long units, boolean fenced) {
        boolean done = false;
        fetching = false;
        arguments.begin(job, fenced);
        try {
            int piece = reserve(job, phase, firstUnit, units);
            commands.begin(piece < units && commands.canOverlap());
            int here;
            for (long before = 0; before < units; before += here) {
                here = (int) Math.min(Math.min(piece, units - before), Seams.toNext(phase, firstUnit + before));
                arguments.nextPiece();
                enqueue(job, phase, firstUnit + before, here);
                fetching = true;
                arguments.fetch(before + here == units);
                arguments.endPiece();
                commands.flush();
            }
            commands.await();
            arguments.done();
            done = true;
        } finally {
            if (!done) {
                // Something is still enqueued perhaps; nothing it uses may be freed before the queues are empty.
                commands.drain();
                release();
            }
        }
    }

    /** Enqueues a piece of a chunk, but for what must come back. */
    private void enqueue(Job job, Job.Phase phase, long firstUnit, int units) {
        place(job, phase, firstUnit, units); // for all passes: once the first one runs, nothing must fail
        fetching |= info.sharesHostMemory();
        List<Job.Pass> passes = phase.passes();
        for (int i = 0; i < passes.size(); i++) {
            Job.Pass pass = passes.get(i);
            cl_kernel kernel = kernel(phase, pass).object();
            bind(phase, pass, kernel, firstUnit, units);
            launch.chunk(job, pass.variant(info.kind()), kernel, units);
        }
    }

    @Override
    public void commit() {
        arguments.commit();
    }

    @Override
    public void settle(ChunkTimes times) {
        try {
            commands.measure(times);
            times.bytesIn += arguments.bytesIn();
            times.bytesOut += arguments.bytesOut();
        } finally {
            release();
        }
    }

    @Override
    public void probe() {
        queues.all().forEach(queue -> group.probe(device, queue));
    }

    private void release() {
        commands.release();
        arguments.end();
    }

    @Override
    public ByteBuffer partial(int argument) {
        return arguments.partial(argument);
    }

    @Override
    public void close() {
        queues.drain();
        commands.release();
        arguments.close();
        kernels.values().forEach(k -> Cl.release(k.object()));
        kernels.clear();
        queues.release();
        group.release();
        if (ownCore) {
            CoreBinding.release();
        }
    }

    /**
     * Finds memory for all pieces of a chunk: once the first one runs, memory must not be wanting.
     *
     * @return most units of a piece
     */
    private int reserve(Job job, Job.Phase phase, long firstUnit, long units) {
        List<Job.Argument> list = phase.arguments();
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) instanceof Job.Argument.Buffer b) {
                try {
                    long perUnit = bytesPerUnit(b);
                    long first = b.access() instanceof Access.Halo h ? h.firstSeen(firstUnit) : firstUnit;
                    arguments.find(i, b, first * perUnit, seenBytes(b, job.units(), firstUnit, units));
                } catch (ClFailure e) {
                    throw new EvenerException(phase.describe(i) + ": " + e.getMessage(), e);
                }
            }
        }
        int piece = arguments.cut(phase, firstUnit, units);
        int temporaries = 0;
        for (int i = 0; i < list.size(); i++) {
            try {
                if (list.get(i) instanceof Job.Argument.Buffer b) {
                    arguments.reserve(i, b, mostSeenBytes(b, job.units(), firstUnit, units, piece));
                } else if (list.get(i) instanceof Job.Argument.Temporary t) {
                    arguments.temporary(temporaries++, t.memory().bytes(piece));
                }
            } catch (ClFailure e) {
                throw new EvenerException(phase.describe(i) + ": " + e.getMessage(), e);
            }
        }
        return piece;
    }

    /** Bytes of each unit's own part; 0 where units have none. */
    private static long bytesPerUnit(Job.Argument.Buffer b) {
        long perUnit = b.access() instanceof Access.Slice s
                ? s.elementsPerUnit()
                : b.access() instanceof Access.Halo h ? h.elementsPerUnit() : 0;
        return perUnit * b.buffer().type().bytes();
    }

    /** Bytes of a buffer that units see or write. */
    private static long seenBytes(Job.Argument.Buffer b, long jobUnits, long firstUnit, long units) {
        if (b.access() instanceof Access.Slice) {
            return units * bytesPerUnit(b);
        }
        return b.access() instanceof Access.Halo h
                ? (h.endSeen(firstUnit + units, jobUnits) - h.firstSeen(firstUnit)) * bytesPerUnit(b)
                : b.buffer().byteSize();
    }

    /** The most bytes of a buffer that a piece of a chunk sees or writes. */
    private static long mostSeenBytes(Job.Argument.Buffer b, long jobUnits, long firstUnit, long units, int piece) {
        if (piece == units || !(b.access() instanceof Access.Halo h)) {
            return seenBytes(b, jobUnits, firstUnit, piece);
        }
        return (Math.min(jobUnits, h.before()) + piece + Math.min(jobUnits, h.after())) * bytesPerUnit(b);
    }

    /** Finds the memory of all arguments that need any, and has what is missing sent there. */
    private void place(Job job, Job.Phase phase, long firstUnit, int units) {
        List<Job.Argument> list = phase.arguments();
        if (memory.length < list.size()) {
            memory = new cl_mem[list.size()];
        }
        int temporaries = 0;
        for (int i = 0; i < list.size(); i++) {
            Job.Argument argument = list.get(i);
            try {
                if (argument instanceof Job.Argument.Buffer b) {
                    memory[i] = place(job, i, b, firstUnit, units);
                } else if (argument instanceof Job.Argument.Temporary t) {
                    memory[i] = arguments.temporary(temporaries++, t.memory().bytes(units));
                } else if (argument instanceof Job.Argument.Again again) {
                    memory[i] = memory[again.argument()];
                }
            } catch (ClFailure e) {
                throw new EvenerException(phase.describe(i) + ": " + e.getMessage(), e);
            }
        }
    }

    private cl_mem place(Job job, int index, Job.Argument.Buffer b, long firstUnit, int units) {
        long bytes = seenBytes(b, job.units(), firstUnit, units);
        if (b.access() instanceof Access.Slice) {
            return arguments.slice(index, b, firstUnit * bytesPerUnit(b), bytes);
        } else if (b.access() instanceof Access.Halo h) {
            return arguments.halo(index, b, h.firstSeen(firstUnit) * bytesPerUnit(b), bytes);
        } else if (b.access() instanceof Access.Reduce r) {
            return arguments.reduce(index, b, r.operation());
        }
        return arguments.whole(index, b);
    }

    /** Sets the arguments of one kernel; just before it is launched, because another pass may be the same kernel. */
    private void bind(Job.Phase phase, Job.Pass pass, cl_kernel kernel, long firstUnit, int units) {
        for (int i = 0; i < pass.arguments(); i++) {
            int index = pass.firstArgument() + i;
            Job.Argument argument = phase.arguments().get(index);
            try {
                if (argument instanceof Job.Argument.Scalar s) {
                    arguments.scalar(kernel, i, s.value());
                } else if (argument instanceof Job.Argument.ChunkStart) {
                    arguments.scalar(kernel, i, firstUnit);
                } else if (argument instanceof Job.Argument.ChunkUnits) {
                    arguments.scalar(kernel, i, units);
                } else if (argument instanceof Job.Argument.ViewStart v) {
                    arguments.scalar(kernel, i, viewStart(phase, v, firstUnit));
                } else {
                    ClArguments.buffer(kernel, i, memory[index]);
                }
            } catch (ClFailure e) {
                throw new EvenerException(phase.describe(index) + ": " + e.getMessage(), e);
            }
        }
    }

    private long viewStart(Job.Phase phase, Job.Argument.ViewStart argument, long firstUnit) {
        Job.Argument.Buffer seen = (Job.Argument.Buffer) phase.arguments().get(argument.argument());
        Access.Halo halo = (Access.Halo) seen.access();
        long perUnit = halo.elementsPerUnit();
        int bytes = seen.buffer().type().bytes();
        return firstUnit * perUnit
                - arguments.viewOrigin(argument.argument(), halo.firstSeen(firstUnit) * perUnit * bytes) / bytes;
    }

    private Kernel kernel(Job.Phase phase, Job.Pass pass) {
        KernelSource source = phase.source();
        if (source == null) {
            throw new LaneFailure(
                    Kind.DECLARATION,
                    "kernel " + pass.kernel() + " has no OpenCL source, which device " + info.id()
                            + " needs; give source(...) or select the JVM lane");
        }
        KernelKey key = key(source, pass);
        Kernel known = kernels.get(key);
        if (known == null) {
            try {
                known = create(source, key);
                kernels.put(key, known);
            } finally {
                tried.add(key);
            }
        }
        return known;
    }

    private Kernel create(KernelSource source, KernelKey key) {
        cl_kernel made = Cl.createKernel(group.program(source, key.options(), info.kind()), key.name());
        try {
            return new Kernel(made, Cl.parameters(made));
        } catch (ClFailure e) {
            Cl.release(made);
            throw e;
        }
    }

    private KernelKey key(KernelSource source, Job.Pass pass) {
        return new KernelKey(source.digest(), pass.variant(info.kind()).options(), pass.kernel());
    }
}
