package dev.evener.internal;

import dev.evener.ElementType;
import dev.evener.internal.data.Traffic;
import java.nio.ByteBuffer;

/**
 * A buffer of which there are only the books: where its content would lie. For jobs that run on models of devices, whose bytes nobody
 * sees. Any thread.
 */
public final class ShadowData extends LogicalBuffer {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final boolean hostViews;
    private volatile boolean mirrored;

    /**
     * @param bytes its size
     * @param hostViews whether it stands for a {@link HostData}, else for a {@link ManagedData}
     */
    public ShadowData(long bytes, boolean hostViews) {
        super(ElementType.BYTE, bytes, () -> {
            throw new IllegalStateException("a shadow has no memory");
        });
        this.hostViews = hostViews;
        this.mirrored = hostViews;
        if (hostViews) {
            directory().hostWrote(0, byteSize());
        }
    }

    @Override
    public boolean hasHostViews() {
        return hostViews;
    }

    @Override
    public boolean isMirrored() {
        return mirrored;
    }

    /** As {@link dev.evener.ManagedBuffer#mirror} says, within a turn of the host's. */
    public void mirror() {
        directory().bringAllToHost(new Traffic());
        mirrored = true;
    }

    @Override
    public int segmentCount() {
        return 1;
    }

    @Override
    public long segmentBytes() {
        return Math.max(1, byteSize());
    }

    /** Nothing, whatever is asked for: what is saved of it, or given to a host step, is nothing. */
    @Override
    public ByteBuffer part(long offset, int length) {
        return NOTHING.duplicate();
    }
}
