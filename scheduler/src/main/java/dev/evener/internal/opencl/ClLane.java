package dev.evener.internal.opencl;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.Job;
import dev.evener.internal.CoreBinding;
import dev.evener.internal.run.ChunkTimes;
import dev.evener.internal.run.Lane;
import dev.evener.internal.run.LaneFailure;
import dev.evener.internal.run.LaneFailure.Kind;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jocl.cl_command_queue;
import org.jocl.cl_kernel;

/**
 * A lane over one OpenCL device: one in-order queue, kernel objects of its own, and two ways to bind a buffer. On a device
 * that shares host memory a slice is an aligned sub-buffer of the host's own memory; on any other it is sent to a chunk
 * buffer on the device before the kernel and fetched after it. A chunk enqueues all its commands, flushes once and waits
 * once; commands never block, because a blocking transfer on one queue holds up the transfers of others.
 */
final class ClLane implements Lane {

    private final ClGroup group;
    private final DeviceInfo info;
    private final cl_command_queue queue;
    private final ClClock clock = new ClClock();
    private final ClCommands commands;
    private final ClLaunch launch;
    private final MemoryBudget budget;
    private final ClArguments arguments;
    private final boolean ownCore;
    private final Map<KernelKey, Kernel> kernels = new HashMap<>();
    /** Whether the present chunk's results may be on their way to the host. */
    private boolean fetching;

    private record KernelKey(String digest, String options, String name) {}

    private record Kernel(cl_kernel object, List<ClParameter> parameters) {}

    /**
     * @param allowSharing false to move data through transfers even where memory could be shared
     * @param bindCores whether the lane may take a core for itself if its driver computes in the lane's thread
     * @param mostForMirrors bytes of the device's memory in which it may keep copies of host buffers between chunks
     */
    ClLane(ClGroup group, ClDevice device, boolean allowSharing, boolean bindCores, long mostForMirrors) {
        this.group = group;
        this.queue = Cl.createQueue(group.context(), device.handle());
        boolean shares = allowSharing && group.sharesHostMemory(device, queue);
        this.info = device.info().withSharesHostMemory(shares);
        this.ownCore = bindCores && group.runsInEnqueue(queue);
        this.commands = new ClCommands(queue, clock);
        this.launch = new ClLaunch(info, commands);
        this.budget = MemoryBudget.of(info, mostForMirrors);
        this.arguments = shares
                ? new SharedArguments(group, device)
                : new CopiedArguments(group, commands, budget, info.alignmentBytes());
        group.retain();
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
            return Integer.MAX_VALUE;
        }
        return budget.mostUnits(phase);
    }

    @Override
    public void prepare(Job job, Job.Phase phase) {
        ArgumentCheck.check(phase, kernel(phase).parameters());
    }

    @Override
    public void execute(Job job, Job.Phase phase, long firstUnit, int units, boolean fenced, ChunkTimes times) {
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

    private void run(Job job, Job.Phase phase, long firstUnit, int units, boolean fenced) {
        cl_kernel kernel = kernel(phase).object();
        boolean done = false;
        fetching = false;
        arguments.begin(job, fenced);
        try {
            List<Job.Argument> list = phase.arguments();
            for (int i = 0; i < list.size(); i++) {
                bind(job, phase, kernel, i, firstUnit, units);
            }
            launch.chunk(job, phase.variant(info.kind()), kernel, units);
            fetching = true;
            arguments.fetch();
            Cl.flush(queue);
            commands.await();
            arguments.done();
            done = true;
        } finally {
            if (!done) {
                // Something is still enqueued perhaps; nothing it uses may be freed before the queue is empty.
                Cl.drain(queue);
                release();
            }
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
        group.probe(queue);
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
        Cl.drain(queue);
        commands.release();
        arguments.close();
        kernels.values().forEach(k -> Cl.release(k.object()));
        kernels.clear();
        Cl.release(queue);
        group.release();
        if (ownCore) {
            CoreBinding.release();
        }
    }

    private void bind(Job job, Job.Phase phase, cl_kernel kernel, int index, long firstUnit, int units) {
        Job.Argument argument = phase.arguments().get(index);
        try {
            if (argument instanceof Job.Argument.Buffer b) {
                bind(job, kernel, index, b, firstUnit, units);
            } else if (argument instanceof Job.Argument.Scalar s) {
                arguments.scalar(kernel, index, s.value());
            } else if (argument instanceof Job.Argument.ChunkStart) {
                arguments.scalar(kernel, index, firstUnit);
            } else if (argument instanceof Job.Argument.ViewStart v) {
                arguments.scalar(kernel, index, viewStart(phase, v, firstUnit));
            } else {
                arguments.scalar(kernel, index, units);
            }
        } catch (ClFailure e) {
            throw new EvenerException("kernel " + phase.kernel() + ", argument " + index + ": " + e.getMessage(), e);
        }
    }

    private void bind(Job job, cl_kernel kernel, int index, Job.Argument.Buffer b, long firstUnit, int units) {
        int bytes = b.buffer().type().bytes();
        if (b.access() instanceof Access.Slice s) {
            long perUnit = s.elementsPerUnit() * bytes;
            arguments.slice(kernel, index, b, firstUnit * perUnit, units * perUnit);
        } else if (b.access() instanceof Access.Halo h) {
            long perUnit = h.elementsPerUnit() * bytes;
            long first = h.firstSeen(firstUnit);
            long end = h.endSeen(firstUnit + units, job.units());
            arguments.halo(kernel, index, b, first * perUnit, (end - first) * perUnit);
        } else if (b.access() instanceof Access.Reduce r) {
            arguments.reduce(kernel, index, b, r.operation());
        } else {
            arguments.whole(kernel, index, b);
        }
    }

    private long viewStart(Job.Phase phase, Job.Argument.ViewStart argument, long firstUnit) {
        Job.Argument.Buffer seen = (Job.Argument.Buffer) phase.arguments().get(argument.argument());
        Access.Halo halo = (Access.Halo) seen.access();
        long perUnit = halo.elementsPerUnit();
        int bytes = seen.buffer().type().bytes();
        return firstUnit * perUnit - arguments.viewOrigin(halo.firstSeen(firstUnit) * perUnit * bytes) / bytes;
    }

    private Kernel kernel(Job.Phase phase) {
        if (phase.source() == null) {
            throw new LaneFailure(
                    Kind.DECLARATION,
                    "kernel " + phase.kernel() + " has no OpenCL source, which device " + info.id()
                            + " needs; give source(...) or select the JVM lane");
        }
        String options = phase.variant(info.kind()).options();
        KernelKey key = new KernelKey(phase.source().digest(), options, phase.kernel());
        Kernel known = kernels.get(key);
        if (known == null) {
            cl_kernel made = Cl.createKernel(group.program(phase.source(), options, info.kind()), phase.kernel());
            try {
                known = new Kernel(made, Cl.parameters(made));
            } catch (ClFailure e) {
                Cl.release(made);
                throw e;
            }
            kernels.put(key, known);
        }
        return known;
    }
}
