package dev.evener.kernels;

import dev.evener.ElementType;
import dev.evener.HostBuffer;

/** Where a primitive's own buffers come from: {@code evener::allocate}. */
@FunctionalInterface
public interface Allocator {
    /** A buffer of this type and number of elements; the caller releases it. */
    HostBuffer allocate(ElementType type, long elements);
}
