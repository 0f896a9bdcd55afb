package dev.evener.internal.opencl;

import java.nio.ByteBuffer;
import org.jocl.Pointer;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * A device's copy of one segment of a host buffer, as large as the segment, so that what is where in the one is there in
 * the other. {@link #held} and {@link #host} are for the lane's thread; the rest is {@link Mirrors}' own, under its lock.
 */
final class Mirror {
    final Held held;
    final long bytes;

    /** The segment's host memory. */
    final Pointer host;

    /** Null while the device has no memory for it. */
    @Nullable
    cl_mem mem;

    /** Place among the live ones. */
    int index;

    /** How often chunks under way use it. */
    int pins;

    /** To be freed when it is no longer pinned. */
    boolean doomed;

    long lastUse;

    /** Its memory, while it is pinned. */
    cl_mem mem() {
        cl_mem present = mem;
        if (present == null) {
            throw new IllegalStateException("a mirror without memory");
        }
        return present;
    }

    Mirror(ByteBuffer segment, Held held) {
        this.bytes = segment.limit();
        this.host = Pointer.to(segment);
        this.held = held;
    }
}
