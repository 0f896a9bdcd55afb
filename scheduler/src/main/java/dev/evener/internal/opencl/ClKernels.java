package dev.evener.internal.opencl;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.internal.run.LaneFailure;
import dev.evener.internal.run.LaneFailure.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jocl.cl_kernel;

/** A lane's kernel objects, made when they are first needed and kept. Belongs to one lane's thread. */
final class ClKernels implements AutoCloseable {
    private final ClGroup group;
    private final DeviceInfo info;
    private final Map<Key, Kernel> kernels = new HashMap<>();

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
    Kernel get(Job.Phase phase, Job.Pass pass) {
        if (phase.source() == null) {
            throw new LaneFailure(
                    Kind.DECLARATION,
                    "kernel " + pass.kernel() + " has no OpenCL source, which device " + info.id()
                            + " needs; give source(...) or select the JVM lane");
        }
        String options = pass.variant(info.kind()).options();
        Key key = new Key(phase.source().digest(), options, pass.kernel());
        Kernel known = kernels.get(key);
        if (known == null) {
            cl_kernel made = Cl.createKernel(group.program(phase.source(), options, info.kind()), pass.kernel());
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

    @Override
    public void close() {
        kernels.values().forEach(k -> Cl.release(k.object()));
        kernels.clear();
    }
}
