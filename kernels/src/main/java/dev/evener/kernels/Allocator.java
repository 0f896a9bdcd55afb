package dev.evener.kernels;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;

/** Where a primitive's own buffers come from: {@code evener::allocate}, or {@link #of}, with which results under way stay on devices. */
@FunctionalInterface
public interface Allocator {
    /** A buffer of this type and number of elements; the caller releases it. */
    HostBuffer allocate(ElementType type, long elements);

    /** The same for what only kernels look at, between the phases of a job. */
    default DataBuffer between(ElementType type, long elements) {
        return allocate(type, elements);
    }

    /** Of an Evener: what only kernels look at is {@linkplain Evener#allocateManaged managed}. */
    static Allocator of(Evener evener) {
        return new Allocator() {
            @Override
            public HostBuffer allocate(ElementType type, long elements) {
                return evener.allocate(type, elements);
            }

            @Override
            public DataBuffer between(ElementType type, long elements) {
                return evener.allocateManaged(type, elements);
            }
        };
    }
}
