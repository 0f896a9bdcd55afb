package dev.evener.internal.opencl;

import dev.evener.DeviceInfo;
import dev.evener.KernelSource;
import dev.evener.internal.JobSpec;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jocl.cl_kernel;
import org.jocl.cl_program;

/** A lane's kernel objects, made when they are first needed and kept. Belongs to one lane's thread, but for {@link #tried}. */
final class ClKernels implements AutoCloseable {
    private final ClGroup group;
    private final DeviceInfo info;
    private final Map<Key, Kernel> kernels = new HashMap<>();
    private final Set<Key> tried = ConcurrentHashMap.newKeySet(); // that were built, or do not build

    private record Key(String digest, String options, String name) {}

    /** A kernel and what it is called with. */
    record Kernel(cl_kernel object, List<ClParameter> parameters) {}

    ClKernels(ClGroup group, DeviceInfo info) {
        this.group = group;
        this.info = info;
    }

    /**
     * The kernel of a pass.
     *
     * @throws LaneFailure if it cannot be built
     */
    Kernel get(JobSpec.Phase phase, JobSpec.Pass pass) {
        KernelSource source = phase.source();
        if (source == null) {
            throw new LaneFailure(
                    Kind.DECLARATION,
                    "kernel " + pass.kernel() + " has no OpenCL source, which device " + info.id()
                            + " needs; give source(...) or select the JVM lane");
        }
        Key key = key(source, pass);
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

    private Kernel create(KernelSource source, Key key) {
        cl_kernel made = named(group.program(source, key.options(), info.kind()), source, key.name());
        try {
            return new Kernel(made, Cl.parameters(made));
        } catch (ClFailure e) {
            Cl.release(made);
            throw e;
        }
    }

    private static cl_kernel named(cl_program program, KernelSource source, String name) {
        try {
            return Cl.createKernel(program, name);
        } catch (ClFailure e) {
            List<String> names = Cl.kernelNames(program);
            if (e.kind() != Kind.DECLARATION || names.isEmpty()) {
                throw e;
            }
            throw new LaneFailure(
                    Kind.DECLARATION,
                    e.getMessage() + "; the kernels of source " + source.name() + " are " + String.join(", ", names),
                    e);
        }
    }

    private Key key(KernelSource source, JobSpec.Pass pass) {
        return new Key(source.digest(), pass.variant(info.kind()).options(), pass.kernel());
    }

    /** Whether the kernels of a phase were made, as far as they can be; any thread. */
    boolean tried(JobSpec.Phase phase) {
        KernelSource source = phase.source();
        if (source != null) { // else there is nothing to build
            for (JobSpec.Pass pass : phase.passes()) {
                if (!tried.contains(key(source, pass))) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public void close() {
        kernels.values().forEach(k -> Cl.release(k.object()));
        kernels.clear();
    }
}
