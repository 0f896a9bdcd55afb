package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.internal.JobSpec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The lane of a {@link VirtualLane}, whose chunks are events: what else it is asked takes no time and keeps nothing. For one thread.
 */
final class VirtualDeviceLane implements Lane {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private final VirtualDevice model;
    private @Nullable VirtualLane owner;

    VirtualDeviceLane(VirtualDevice model) {
        this.model = model;
    }

    /** Whose lane it is. */
    void owner(VirtualLane worker) {
        owner = worker;
    }

    @Override
    public DeviceInfo device() {
        return model.device();
    }

    @Override
    public long maxChunkUnits(JobSpec.Phase phase) {
        return Integer.MAX_VALUE;
    }

    @Override
    public boolean enqueue(
            JobSpec job, JobSpec.Phase phase, long firstUnit, long units, boolean fenced, ChunkTimes times) {
        throw new IllegalStateException("a virtual lane's chunks are events");
    }

    @Override
    public void await() {
        if (owner != null) {
            owner.dropNext();
        }
    }

    @Override
    public void commit() {}

    @Override
    public void settle(ChunkTimes times) {
        if (owner != null) {
            owner.settled();
        }
    }

    @Override
    public ByteBuffer partial(int argument) {
        return NOTHING;
    }

    @Override
    public void probe() {
        if (owner == null || owner.isLost()) {
            throw VirtualLane.gone();
        }
    }

    @Override
    public void close() {}
}
