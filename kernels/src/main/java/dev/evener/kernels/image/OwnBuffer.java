package dev.evener.kernels.image;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.Allocator;
import org.jspecify.annotations.Nullable;

/** A buffer that a primitive owns and replaces when it needs a larger one. Not thread-safe. */
final class OwnBuffer implements AutoCloseable {
    private final Allocator allocator;
    private final ElementType type;
    private @Nullable HostBuffer buffer;

    OwnBuffer(Allocator allocator, ElementType type) {
        this.allocator = allocator;
        this.type = type;
    }

    /** One of at least so many elements, with any content. */
    HostBuffer atLeast(long elements) {
        HostBuffer present = buffer;
        if (present == null || present.elements() < elements) {
            close();
            present = allocator.allocate(type, elements);
            buffer = present;
        }
        return present;
    }

    /** Idempotent. */
    @Override
    public void close() {
        HostBuffer present = buffer;
        buffer = null;
        if (present != null) {
            present.close();
        }
    }
}
