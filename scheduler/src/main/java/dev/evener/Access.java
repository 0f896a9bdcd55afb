package dev.evener;

import java.nio.IntBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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

    /**
     * Unit {@code i} touches column {@code i} of a matrix, the buffer, whose rows have {@code width} elements each; or
     * several columns, as {@link Parts#perUnit} says. Only in the {@linkplain JobBuilder#jobView job's view}.
     *
     * @param width elements of a row, at least 1
     */
    static Parts columns(long width) {
        if (width < 1) {
            throw new IllegalArgumentException("columns(" + width + "): a row needs at least 1 element");
        }
        return new Parts(1, 0, 0, width, 0, 0, 0, 0, 0, false);
    }

    /**
     * Unit {@code i} touches elements {@code [begins[i], begins[i + 1])} only, as of a sparse matrix whose rows lie one
     * behind the other. Only in the {@linkplain JobBuilder#jobView job's view}.
     *
     * @param begins in ascending order, from its position to its limit: of each unit, and where the last one ends;
     *     copied
     */
    static Slices slices(IntBuffer begins) {
        return new Slices(begins);
    }

    /**
     * Every unit may read the whole buffer; in an {@linkplain JobBuilder#undivided undivided} job it may write all of it, too.
     */
    static Access whole() {
        return new Whole();
    }

    /** Slices of any size, one behind the other. Immutable. */
    final class Slices implements Access {
        private final int[] begins;

        private Slices(IntBuffer of) {
            begins = new int[of.remaining()];
            of.duplicate().get(begins);
            for (int i = 0; i < begins.length; i++) {
                if (begins[i] < (i == 0 ? 0 : begins[i - 1])) {
                    throw new IllegalArgumentException("slices(begins): number " + i + ", " + begins[i]
                            + ", is negative or less than the one before it");
                }
            }
            if (begins.length == 0) {
                throw new IllegalArgumentException("slices(begins): there is nothing where the last one ends");
            }
        }

        /** How many there are. */
        public long count() {
            return begins.length - 1L;
        }

        /** The element with which a unit begins; behind the last one, where that ends. */
        public long begin(long unit) {
            return begins[(int) Math.max(0, Math.min(begins.length - 1, unit))];
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Slices s && Arrays.equals(begins, s.begins);
        }

        @Override
        public int hashCode() {
            return begins.length;
        }

        @Override
        public String toString() {
            return "Slices[count=" + count() + ", end=" + begin(count()) + "]";
        }
    }

    /**
     * A slice.
     *
     * @param elementsPerUnit elements each unit owns; 0 means the buffer's elements divided by the job's units
     * @param isSparse whether a kernel that writes it may leave some out
     */
    record Slice(long elementsPerUnit, boolean isSparse) implements Access {
        public Slice {
            requireNoneNegative("Slice", elementsPerUnit);
        }

        /**
         * The slice of a kernel that {@linkplain JobBuilder#writes writes} what it likes of it: the other elements have
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
         * buffer through a view that holds at least what the chunk's units may read; {@link JobBuilder#viewStart} tells
         * it where in this view its chunk begins.
         *
         * @param before units, at least 0; the halo ends at the buffer's first unit
         * @param after units, at least 0; the halo ends where the buffer does
         */
        public Halo halo(long before, long after) {
            if (before < 0 || after < 0) {
                throw new IllegalArgumentException(
                        "halo(" + before + ", " + after + "): the units before and after must not be negative");
            }
            return new Halo(elementsPerUnit, before, after);
        }

        /**
         * The slice in each of several planes, such as the channels of a picture: the buffer is so many arrays of one size, one behind
         * the other. Only in the {@linkplain JobBuilder#jobView job's view}, as is what follows.
         *
         * @param count planes, at least 1
         */
        public Parts planes(long count) {
            if (count < 1) {
                throw new IllegalArgumentException("planes(" + count + "): there must be at least 1");
            }
            return new Parts(elementsPerUnit, 0, count, 0, 0, 0, 0, 0, 0, isSparse);
        }

        /** The slice when unit 0 does not begin with the buffer but behind a border of so many elements; see {@link Parts#from}. */
        public Parts from(long first) {
            return planes(1).from(first);
        }

        /** The slice, and a part that every unit reads; see {@link Parts#alsoReads}. */
        public Parts alsoReads(long from, long count) {
            return planes(1).alsoReads(from, count);
        }
    }

    /**
     * Parts of a buffer that are no slice, or a slice with something beside it: unit {@code i} touches, in each of {@code repeats}
     * arrays that begin {@code stride} elements from one another, {@code elementsPerUnit} elements from {@code first + i *
     * elementsPerUnit} on. Made by {@link Slice#planes}, {@link #blocksOf}, {@link Slice#from}, {@link Slice#alsoReads} and {@link #columns}.
     *
     * @param elementsPerUnit elements each unit owns of each array; 0 means the array's elements divided by the job's units
     * @param first with which unit 0 begins, in each array
     * @param repeats how many arrays; 0 means as many as there are
     * @param stride elements from one array's start to the next; 0 means the buffer's elements divided by {@code repeats}
     * @param before units in front of its own that a unit may read
     * @param after units behind its own that a unit may read
     * @param alsoFrom the first of the elements that every unit may read beside
     * @param alsoCount how many of them
     * @param blockUnits units of a block that has its own arrays; 0 where there are no blocks
     * @param isSparse whether a kernel that writes it may leave some out
     */
    record Parts(
            long elementsPerUnit,
            long first,
            long repeats,
            long stride,
            long before,
            long after,
            long alsoFrom,
            long alsoCount,
            long blockUnits,
            boolean isSparse)
            implements Access {
        public Parts {
            requireNoneNegative(
                    "Parts", elementsPerUnit, first, repeats, stride, before, after, alsoFrom, alsoCount, blockUnits);
            if (repeats == 0 && stride == 0) {
                throw new IllegalArgumentException("Parts: give the number of arrays, or their stride");
            }
            if (blockUnits > 0 && (repeats == 0 || first > 0 || before > 0 || after > 0)) {
                throw new IllegalArgumentException("blocksOf(" + blockUnits
                        + "): only slices in planes, without a border" + " or a halo, may lie in blocks");
            }
        }

        /**
         * The same with so many elements of each array for each unit: of {@link #columns}, so many columns from {@code i *
         * elements} on.
         *
         * @param elements at least 1
         */
        public Parts perUnit(long elements) {
            if (elements < 1) {
                throw new IllegalArgumentException("perUnit(" + elements + "): units need at least 1 element");
            }
            return new Parts(
                    elements, first, repeats, stride, before, after, alsoFrom, alsoCount, blockUnits, isSparse);
        }

        /**
         * The same behind a border: unit 0 begins with this element of each array, so that a kernel which computes the interior of
         * a grid has units for that alone. A {@linkplain #halo halo} may reach into the border.
         *
         * @param element at least 0
         */
        public Parts from(long element) {
            if (element < 0) {
                throw new IllegalArgumentException(
                        "from(" + element + "): a buffer has no elements in front of its first");
            }
            return placed(element, before, after);
        }

        /** The same and its surroundings, for reading; see {@link Slice#halo}. */
        public Parts halo(long unitsBefore, long unitsAfter) {
            Halo ignored = slice(1).halo(unitsBefore, unitsAfter); // which checks them
            return placed(first, unitsBefore, unitsAfter);
        }

        private Parts placed(long from, long less, long more) {
            return new Parts(
                    elementsPerUnit, from, repeats, stride, less, more, alsoFrom, alsoCount, blockUnits, isSparse);
        }

        /**
         * The same, and one part of the buffer that all units read, as the pivot's row of a matrix whose other rows are updated. The
         * units see it as it was before the phase; the kernel leaves it as it is, or one of its units writes what it held.
         *
         * @param from the first element
         * @param count elements, at least 1
         */
        public Parts alsoReads(long from, long count) {
            if (from < 0 || count < 1) {
                throw new IllegalArgumentException("alsoReads(" + from + ", " + count + "): no such elements");
            }
            return new Parts(elementsPerUnit, first, repeats, stride, before, after, from, count, blockUnits, isSparse);
        }

        /**
         * The same in blocks that lie one behind the other, each of so many units and with planes of its own, as the planes of several
         * pictures. In {@code slice().planes(2).blocksOf(d)}, unit {@code i} has the elements {@code i / d * 2 * d + i % d} and, at a
         * distance of {@code d}, the other of its pair.
         *
         * @param units at least 1, of which the job has a multiple
         */
        public Parts blocksOf(long units) {
            if (units < 1) {
                throw new IllegalArgumentException("blocksOf(" + units + "): a block needs at least 1 unit");
            }
            return new Parts(
                    elementsPerUnit, first, repeats, stride, before, after, alsoFrom, alsoCount, units, isSparse);
        }

        /** The same of a kernel that writes what it likes of it; see {@link Slice#sparse}. */
        public Parts sparse() {
            return new Parts(
                    elementsPerUnit, first, repeats, stride, before, after, alsoFrom, alsoCount, blockUnits, true);
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
        public Halo {
            requireNoneNegative("Halo", elementsPerUnit, before, after);
        }
    }

    /** All of it, read only. */
    record Whole() implements Access {}

    /**
     * What all units have in common, combined element by element; see {@link JobBuilder#reduces} and {@link
     * JobBuilder#accumulates}.
     *
     * @param operation how partial results are combined
     * @param keeps whether the buffer's former content counts
     */
    record Reduce(Reduction operation, boolean keeps) implements Access {}

    /**
     * The results of all units one behind the other, a number of them for each unit that only the kernel knows; see
     * {@link JobBuilder#appends}. A {@link Count} follows as the next argument.
     *
     * @param mostPerUnit elements that a unit may append
     */
    record Append(long mostPerUnit) implements Access {}

    /** How many elements the {@link Append} before it got. */
    record Count() implements Access {}

    private static void requireNoneNegative(String what, long... counts) {
        for (long each : counts) {
            if (each < 0) {
                throw new IllegalArgumentException(what + ": a number of elements or units is negative: " + each);
            }
        }
    }

    /** How partial results are combined. Whatever the type, the result does not depend on how a job is split. */
    enum Reduction {
        /**
         * Addition. Integers wrap around, so their order does not matter; floating-point numbers are added in an order that
         * only the number of units decides. Of no units: 0.
         */
        SUM,
        /**
         * The least. Of floating-point numbers as {@link Math#min(double, double)} has it: -0 is less than +0, and if one is
         * not a number, neither is the result. Of no units: the type's greatest value, +infinity for floating point.
         */
        MIN,
        /** The greatest, likewise. Of no units: the type's least value, -infinity for floating point. */
        MAX,
        /** The bits that all have. Integers only. Of no units: all bits. */
        AND,
        /** The bits that any has. Integers only. Of no units: 0. */
        OR,
        /** The bits that an odd number has. Integers only. Of no units: 0. */
        XOR,
        /** 1 if any is not 0, else 0, as flags that kernels set. Integers only. Of no units: 0. */
        ANY,
        /** 0 if any is 0, else 1, as flags that kernels clear. Integers only. Of no units: 1. */
        ALL;

        /** Whether it combines bits or flags, which floating-point numbers are not. */
        public boolean isOfBits() {
            return compareTo(MAX) > 0;
        }
    }
}
