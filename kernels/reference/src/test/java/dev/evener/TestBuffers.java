package dev.evener;

import dev.evener.internal.HostMemory;

/** Host buffers without a runtime: their constructor is the runtime's alone. */
public final class TestBuffers {
    private TestBuffers() {}

    /** A buffer that no device knows of. */
    public static HostBuffer allocate(ElementType type, long elements) {
        return MadeUpBuffers.of(type, elements);
    }

    /** A buffer that lies in pieces of one page, as a large one does in pieces of a gigabyte. */
    public static HostBuffer inPages(ElementType type, long elements) {
        return MadeUpBuffers.inSegments(type, elements, HostMemory.PAGE);
    }
}
