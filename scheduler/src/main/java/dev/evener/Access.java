package dev.evener;

/**
 * How a kernel touches one of its buffers. Everything about splitting a job (sub-buffers, transfers, merges, whether a
 * split is legal) follows from these declarations.
 */
public sealed interface Access {

    /** Unit {@code i} touches its own part only; each part has the same size, {@code elements of buffer / units}. */
    static Slice slice() {
        return new Slice(0, false);
    }

    /**
     * Unit {@code i} touches elements {@code [i * elementsPerUnit, (i + 1) * elementsPerUnit)} only. The buffer may be
     * larger than the job needs.
     *
     * @param elementsPerUnit at least 1
     */
    static Slice slice(long elementsPerUnit) {
        if (elementsPerUnit < 1) {
            throw new IllegalArgumentException("slice(" + elementsPerUnit + "): elements per unit must be at least 1");
        }
        return new Slice(elementsPerUnit, false);
    }

    /** Every unit may read the whole buffer. */
    static Access whole() {
        return new Whole();
    }

    /**
     * A slice.
     *
     * @param elementsPerUnit elements each unit owns; 0 means the buffer's elements divided by the job's units
     * @param isSparse whether a kernel that writes it may leave some out
     */
    record Slice(long elementsPerUnit, boolean isSparse) implements Access {

        /**
         * The slice of a kernel that {@linkplain Job.Builder#writes writes} what it likes of it: the other elements have
         * undefined content afterwards, which nobody reads. Only for the {@linkplain EvenerBuilder#checked checking mode}, which
         * wants all else to be written.
         */
        public Slice sparse() {
            return new Slice(elementsPerUnit, true);
        }

        /**
         * The slice and its surroundings, for reading: unit {@code i} may also read the parts of the {@code before} units
         * in front of it and of the {@code after} units behind it, as far as the buffer has them; it may have more than the
         * job has units, as {@code n} rows whose begins and ends are {@code n + 1} offsets. The kernel sees such a
         * buffer through a view that holds at least what the chunk's units may read; {@link Job.Builder#viewStart} tells
         * it where in this view its chunk begins.
         *
         * @param before units, at least 0; the halo ends at the buffer's first unit
         * @param after units, at least 0; the halo ends at the buffer's last whole unit
         */
        public Halo halo(long before, long after) {
            if (before < 0 || after < 0) {
                throw new IllegalArgumentException(
                        "halo(" + before + ", " + after + "): the units before and after must not be negative");
            }
            return new Halo(elementsPerUnit, before, after);
        }
    }

    /**
     * A slice and its surroundings, read only; made by {@link Slice#halo}.
     *
     * @param elementsPerUnit elements each unit owns; 0 means the buffer's elements divided by the job's units
     * @param before units in front of its own that a unit may read
     * @param after units behind its own that a unit may read
     */
    record Halo(long elementsPerUnit, long before, long after) implements Access {

        /** First unit that a chunk beginning with {@code first} may read. */
        public long firstSeen(long first) {
            return Math.max(0, first - before);
        }

        /** End of the units, of so many elements, that a chunk ending before {@code end} may read. */
        public long endSeen(long end, long elements) {
            long units = elements / elementsPerUnit;
            return after > units - end ? units : end + after;
        }
    }

    /** All of it, read only. */
    record Whole() implements Access {}

    /**
     * What all units have in common, combined element by element; see {@link Job.Builder#reduces}.
     *
     * @param operation how partial results are combined
     */
    record Reduce(Reduction operation) implements Access {}

    /**
     * The results of all units one behind the other, a number of them for each unit that only the kernel knows; see
     * {@link Job.Builder#appends}. A {@link Count} follows as the next argument.
     *
     * @param mostPerUnit elements that a unit may append
     */
    record Append(long mostPerUnit) implements Access {}

    /** How many elements the {@link Append} before it got. */
    record Count() implements Access {}
}
