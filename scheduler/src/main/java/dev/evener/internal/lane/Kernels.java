package dev.evener.internal.lane;

import dev.evener.DeviceInfo;
import dev.evener.KernelSource;
import dev.evener.internal.JobSpec;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClKernel;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A lane's kernel objects, made when they are first needed and kept. Belongs to one lane's thread, but for {@link #tried}. */
final class Kernels implements AutoCloseable {
    private final ClContext context;
    private final DeviceInfo info;
    private final Map<Key, ClKernel> kernels = new HashMap<>();
    private final Set<Key> tried = ConcurrentHashMap.newKeySet(); // that were built, or do not build

    private record Key(String digest, String options, String name) {}

    Kernels(ClContext context, DeviceInfo info) {
        this.context = context;
        this.info = info;
    }

    /**
     * The kernel of a pass.
     *
     * @throws LaneFailure if it cannot be built
     */
    ClKernel get(JobSpec.Phase phase, JobSpec.Pass pass) {
        KernelSource source = phase.source();
        if (source == null) {
            throw new LaneFailure(
                    Kind.DECLARATION,
                    "kernel " + pass.kernel() + " has no OpenCL source, which device " + info.id()
                            + " needs; give source(...) or select the JVM lane");
        }
        Key key = key(source, pass);
        ClKernel known = kernels.get(key);
        if (known == null) {
            try {
                known = context.kernel(source, key.options(), info.kind(), key.name());
                kernels.put(key, known);
            } finally {
                tried.add(key);
            }
        }
        return known;
    }

    private Key key(KernelSource source, JobSpec.Pass pass) {
        return new Key(source.digest(), pass.variant(info.kind()).options(), pass.kernel());
    }

    /** Whether the kernels of a phase were made, as far as they can be; any thread. */
    boolean tried(JobSpec.Phase phase) {
        KernelSource source = phase.source(); // without one there is nothing to build
        return source == null || phase.passes().stream().allMatch(pass -> tried.contains(key(source, pass)));
    }

    @Override
    public void close() {
        kernels.values().forEach(ClKernel::release);
        kernels.clear();
    }
}
