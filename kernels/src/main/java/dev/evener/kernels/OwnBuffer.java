package dev.evener.kernels;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import org.jspecify.annotations.Nullable;

/** A buffer with an owner that replaces it when another type or size is needed, and reuses it otherwise. One thread at a time. */
public final class OwnBuffer implements AutoCloseable {
    private final Allocator allocator;
    private @Nullable HostBuffer buffer;

    /** None at first. */
    public OwnBuffer(Allocator allocator) {
        this.allocator = allocator;
    }

    /** Bytes it holds at present. */
    public long bytes() {
        HostBuffer present = buffer;
        return present == null ? 0 : present.byteSize();
    }

    /** One of this type and at least so many elements, with any content. What a smaller one held is gone. */
    public HostBuffer atLeast(ElementType type, long elements) {
        HostBuffer present = buffer;
        return present != null && present.type() == type && present.elements() >= elements
                ? present
                : replace(type, elements);
    }

    /** One of this type and exactly so many elements, with any content. What another one held is gone. */
    public HostBuffer exactly(ElementType type, long elements) {
        HostBuffer present = buffer;
        return present != null && present.type() == type && present.elements() == elements
                ? present
                : replace(type, elements);
    }

    private HostBuffer replace(ElementType type, long elements) {
        close(); // first: both together may be more than there is
        HostBuffer made = allocator.allocate(type, elements);
        buffer = made;
        return made;
    }

    /** Releases it. Idempotent; the next call of another method makes a new one. */
    @Override
    public void close() {
        HostBuffer present = buffer;
        buffer = null;
        if (present != null) {
            present.close();
        }
    }
}
