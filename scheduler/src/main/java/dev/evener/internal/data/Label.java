package dev.evener.internal.data;

import org.jspecify.annotations.Nullable;

/**
 * What messages call a buffer, behind "a", "the" or "this". It does not refer to the buffer, so that what outlives that may have it. Any
 * thread.
 */
public final class Label {
    private final long elements;
    private final String type;
    private volatile @Nullable String name;

    /** @param type of its elements, in OpenCL C */
    public Label(long elements, String type) {
        this.elements = elements;
        this.type = type;
    }

    /** From now on it is called so. */
    public void name(String given) {
        name = given;
    }

    /** As the application calls it; null if it does not. */
    public @Nullable String name() {
        return name;
    }

    @Override
    public String toString() {
        String given = name;
        return (given == null ? "buffer" : "buffer '" + given + "'") + " of " + elements + " " + type;
    }
}
