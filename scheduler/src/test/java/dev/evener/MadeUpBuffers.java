package dev.evener;

/** Host memory without a runtime. */
public final class MadeUpBuffers {
    private MadeUpBuffers() {}

    /** A buffer of no Evener. */
    public static HostBuffer of(ElementType type, long elements) {
        return new HostBuffer(type, elements, () -> {});
    }

    /** A buffer of no Evener, in segments of at most so many bytes. */
    public static HostBuffer inSegments(ElementType type, long elements, long bytes) {
        return new HostBuffer(type, elements, 1, Segments.Limits.ofHost().atMost(bytes), () -> {});
    }

    /** A buffer of no Evener; units matter only to those that lie in segments. */
    public static HostBuffer of(ElementType type, long elements, long elementsPerUnit) {
        return of(type, elements);
    }
}
