package dev.evener.workloads.frame;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import org.jspecify.annotations.Nullable;

/** A buffer that grows when a larger frame comes along and is reused otherwise. One thread at a time. */
final class BufferSlot implements AutoCloseable {
    private final FrameMemory memory;
    private final ElementType type;
    private @Nullable HostBuffer buffer;

    BufferSlot(FrameMemory memory, ElementType type) {
        this.memory = memory;
        this.type = type;
    }

    /** Bytes it holds at present. */
    long bytes() {
        return buffer == null ? 0 : buffer.byteSize();
    }

    /** A buffer of at least {@code elements}. What an earlier, smaller one held is gone. */
    HostBuffer atLeast(long elements) {
        HostBuffer present = buffer;
        if (present == null || present.elements() < elements) {
            // The old one first: both together may be more than there is.
            close();
            present = memory.allocate(type, elements);
            buffer = present;
        }
        return present;
    }

    @Override
    public void close() {
        HostBuffer present = buffer;
        buffer = null;
        if (present != null) {
            present.close();
        }
    }
}
