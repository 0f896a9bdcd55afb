package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.MadeUpDevices;
import dev.evener.internal.job.JobSpec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A lane without a device: it notes what it is asked and does what a test tells it. */
class FakeLane implements Lane {

    /** What stands in for a device's work. */
    interface Work {
        void run(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, ChunkTimes times);
    }

    /** One call of {@link #enqueue}. */
    record Executed(String job, String kernel, long firstUnit, long units) {}

    final List<Executed> executed = new CopyOnWriteArrayList<>();
    private final DeviceInfo device;
    volatile Work work = (job, phase, first, units, times) -> {};
    volatile Runnable prepare = () -> {};
    volatile Runnable probe = () -> {};
    /** Null where there is nothing to build; else run for each kernel until it did not fail. */
    volatile Runnable build;

    final Set<String> built = ConcurrentHashMap.newKeySet(); // or tried to
    private final Set<String> good = ConcurrentHashMap.newKeySet();
    final AtomicInteger committed = new AtomicInteger();
    volatile long maxChunkUnits = Integer.MAX_VALUE;
    volatile boolean closed;

    FakeLane(String id) {
        this(id, DeviceKind.GPU);
    }

    FakeLane(String id, DeviceKind kind) {
        device = MadeUpDevices.device(id, "fake", "fake device " + id, kind, 1, 1, 1, id);
    }

    @Override
    public DeviceInfo device() {
        return device;
    }

    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        return maxChunkUnits;
    }

    @Override
    public boolean isBuilt(JobSpec.Phase phase) {
        return build == null || built.contains(phase.kernel());
    }

    @Override
    public void build(JobSpec.Phase phase) {
        Runnable work = build;
        if (work != null && !(good.contains(phase.kernel()) && isBuilt(phase))) {
            built.add(phase.kernel());
            work.run();
            good.add(phase.kernel());
        }
    }

    @Override
    public void prepare(JobSpec job, JobSpec.Phase phase) {
        prepare.run();
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        if (closed) {
            throw new IllegalStateException("executing on a closed lane");
        }
        executed.add(new Executed(job.name(), phase.kernel(), firstUnit, units));
        times.start = System.nanoTime();
        work.run(job, phase, firstUnit, units, times);
        times.end = System.nanoTime();
        times.kernelNanos = times.end - times.start;
        return true;
    }

    @Override
    public void commit() {
        committed.incrementAndGet();
    }

    @Override
    public void probe() {
        probe.run();
    }

    @Override
    public ByteBuffer partial(int argument) {
        throw new IllegalStateException("no partials here");
    }

    @Override
    public void close() {
        closed = true;
    }
}
