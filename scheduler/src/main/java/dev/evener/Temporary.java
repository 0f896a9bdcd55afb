package dev.evener;

import java.util.Objects;

/**
 * Memory on the device that belongs to one chunk while it runs: what one kernel of a phase leaves for the next one, such as
 * the counts of each tile. It never meets the host, costs no transfer, and holds nothing that means anything when a chunk
 * begins. An argument by {@link JobBuilder#temporary}.
 *
 * <p>Each object is memory of its own, however alike two are: a kernel that is given the same one sees what the kernels
 * before it in the same phase wrote. Immutable; may be used in any number of phases and jobs.
 */
public final class Temporary {
    private final ElementType type;
    private final long elements;
    private final long elementsPerUnit;

    private Temporary(ElementType type, long elements, long elementsPerUnit) {
        this.type = Objects.requireNonNull(type, "type");
        this.elements = elements;
        this.elementsPerUnit = elementsPerUnit;
    }

    /**
     * As much for each chunk, whatever its size.
     *
     * @param elements at least 1
     */
    public static Temporary of(ElementType type, long elements) {
        return new Temporary(type, checked("of", type, elements), 0);
    }

    /**
     * As much for each unit of a chunk.
     *
     * @param elementsPerUnit at least 1
     */
    public static Temporary perUnit(ElementType type, long elementsPerUnit) {
        return new Temporary(type, 0, checked("perUnit", type, elementsPerUnit));
    }

    private static long checked(String method, ElementType type, long elements) {
        Objects.requireNonNull(type, "type");
        if (elements < 1) {
            throw new IllegalArgumentException("Temporary." + method + "(" + type + ", " + elements
                    + "): a temporary needs at least 1 element; where there may be none, ask for max(1, n)");
        }
        if (elements > (Long.MAX_VALUE >> 4) / type.bytes()) {
            throw new IllegalArgumentException(
                    "Temporary." + method + "(" + type + ", " + elements + "): that is larger than any memory");
        }
        return elements;
    }

    /** The type of its elements. */
    public ElementType type() {
        return type;
    }

    /** Bytes that a chunk needs whatever its size. */
    public long bytesAlways() {
        return elements * type.bytes();
    }

    /** Bytes that a chunk needs for each of its units. */
    public long bytesPerUnit() {
        return elementsPerUnit * type.bytes();
    }

    /** Bytes for a chunk of so many units; {@link Long#MAX_VALUE} if it were more. */
    public long bytes(long units) {
        long perUnit = bytesPerUnit();
        return perUnit > 0 && units > Long.MAX_VALUE / perUnit ? Long.MAX_VALUE : bytesAlways() + perUnit * units;
    }

    @Override
    public String toString() {
        return elementsPerUnit > 0
                ? "temporary of " + elementsPerUnit + " " + type.openClName() + " per unit"
                : "temporary of " + elements + " " + type.openClName();
    }
}
