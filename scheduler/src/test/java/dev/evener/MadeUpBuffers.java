package dev.evener;

/** Host memory without a runtime. */
public final class MadeUpBuffers {
    private MadeUpBuffers() {}

    /** A buffer of no Evener. */
    public static HostBuffer of(ElementType type, long elements) {
        return new HostBuffer(type, elements, () -> {});
    }
}
