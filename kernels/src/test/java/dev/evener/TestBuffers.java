package dev.evener;

/** Host buffers without a runtime: their constructor is the runtime's alone. */
public final class TestBuffers {
    private TestBuffers() {}

    /** A buffer that no device knows of. */
    public static HostBuffer allocate(ElementType type, long elements) {
        return new HostBuffer(type, elements, () -> {});
    }
}
