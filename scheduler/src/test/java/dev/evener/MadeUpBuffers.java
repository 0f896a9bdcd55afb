package dev.evener;

import dev.evener.internal.HostData;
import dev.evener.internal.ManagedData;
import dev.evener.internal.Segments;

/** Host memory without a runtime. */
public final class MadeUpBuffers {
    private MadeUpBuffers() {}

    /** A buffer of no Evener. */
    public static HostData of(ElementType type, long elements) {
        return inSegments(type, elements, Long.MAX_VALUE);
    }

    /** One that stays where it is written, under a runtime without memory. */
    public static ManagedData managed(ElementType type, long elements, ManagedData.Turns turns) {
        return new ManagedData(type, elements, Segments.Limits.ofHost(), null, turns);
    }

    /** A buffer of no Evener, in segments of at most so many bytes. */
    public static HostData inSegments(ElementType type, long elements, long bytes) {
        return new HostData(
                type,
                Segments.allocate(type, elements, 1, Segments.Limits.ofHost().atMost(bytes), null));
    }

    /** The same whose segments hold whole units of so many elements. */
    public static HostData inSegments(ElementType type, long elements, long elementsPerUnit, long bytes) {
        Segments.Limits limits = Segments.Limits.ofHost().atMost(bytes);
        return new HostData(type, Segments.allocate(type, elements, elementsPerUnit, limits, null));
    }

    /** A buffer of no Evener; units matter only to those that lie in segments. */
    public static HostData of(ElementType type, long elements, long elementsPerUnit) {
        return of(type, elements);
    }
}
