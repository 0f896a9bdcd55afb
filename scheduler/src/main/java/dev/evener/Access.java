package dev.evener;

/**
 * How a kernel touches one of its buffers. Everything about splitting a job (sub-buffers, transfers, merges, whether a
 * split is legal) follows from these declarations.
 */
public sealed interface Access {

    /** Unit {@code i} touches its own part only; each part has the same size, {@code elements of buffer / units}. */
    static Access slice() {
        return new Slice(0);
    }

    /**
     * Unit {@code i} touches elements {@code [i * elementsPerUnit, (i + 1) * elementsPerUnit)} only. The buffer may be
     * larger than the job needs.
     *
     * @param elementsPerUnit at least 1
     */
    static Access slice(long elementsPerUnit) {
        if (elementsPerUnit < 1) {
            throw new IllegalArgumentException("slice(" + elementsPerUnit + "): elements per unit must be at least 1");
        }
        return new Slice(elementsPerUnit);
    }

    /** Every unit may read the whole buffer. */
    static Access whole() {
        return new Whole();
    }

    /**
     * A slice.
     *
     * @param elementsPerUnit elements each unit owns; 0 means the buffer's elements divided by the job's units
     */
    record Slice(long elementsPerUnit) implements Access {}

    /** All of it, read only. */
    record Whole() implements Access {}

    /**
     * A private partial per lane, filled with the operation's identity before a phase and merged into the buffer after
     * it. Work-groups of one lane run concurrently on one partial, so a kernel combines into it with atomics.
     *
     * @param operation how partials merge
     */
    record Reduce(Reduction operation) implements Access {}
}
