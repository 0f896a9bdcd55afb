package dev.evener.internal.job;

import dev.evener.EvenerException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An index space of one to three dimensions. Immutable.
 *
 * @param sizes of each dimension, 1 of those it has not: what {@code get_global_id(0)} counts to first
 * @param offsets with which ids begin in each dimension
 * @param dimensions how many it has
 * @param along the dimension of which an index is a unit
 * @param seesJob whether kernels see what they would if one device ran the whole job in one launch
 */
public record Space(List<Long> sizes, List<Long> offsets, int dimensions, int along, boolean seesJob) {
    private static final List<Long> NO_OFFSETS = List.of(0L, 0L, 0L);

    /** One dimension, of which kernels see a chunk. */
    public static final Space LINE = new Space(List.of(1L, 1L, 1L), NO_OFFSETS, 1, 0, false);

    public Space {
        sizes = List.copyOf(sizes);
        offsets = offsets.equals(NO_OFFSETS) ? NO_OFFSETS : List.copyOf(offsets); // compared for each job
    }

    /** Whether ids begin elsewhere than at 0. */
    public boolean hasOffsets() {
        return !offsets.equals(NO_OFFSETS);
    }

    /** The same with one unit, which is what spaces of any number of units have in common. */
    public Space ofOneUnit() {
        long[] others = sizes.stream().mapToLong(each -> each).toArray();
        others[along] = 1;
        return new Space(Draft.list(others), offsets, dimensions, along, seesJob);
    }

    /** The same, of which kernels see the job or a chunk. */
    Space seeing(boolean job) {
        return new Space(sizes, offsets, dimensions, along, job);
    }

    /** What a builder was told of one. Not thread-safe. */
    public static final class Draft {
        private final Function<String, EvenerException> refused;
        private long @Nullable [] sizes;
        private long[] offsets = new long[3];
        private int along = -1; // the last dimension

        /** @param refused makes the exception of what is wrong with it */
        Draft(Function<String, EvenerException> refused) {
            this.refused = refused;
        }

        /** Of one to three dimensions. If any is empty there are no units. */
        public void sizes(long... each) {
            for (long size : each) {
                if (size < 0) {
                    throw refused.apply(
                            (each.length == 1 ? "units" : "sizes of a range") + " must not be negative, not " + size);
                }
            }
            sizes = each.clone();
        }

        /** With which ids begin in the first dimensions. */
        public void offset(long... first) {
            if (first.length > 3 || Arrays.stream(first).anyMatch(each -> each < 0)) {
                throw refused.apply(
                        "offset" + Arrays.toString(first) + ": ids begin at 0 or more in up to three dimensions");
            }
            offsets = Arrays.copyOf(first, 3);
        }

        /** The dimension that is cut. */
        public void along(int dimension) {
            if (dimension < 0 || dimension > 2) {
                throw refused.apply("a range has dimensions 0 to 2, not " + dimension);
            }
            along = dimension;
        }

        /** One of which kernels see a chunk. */
        Space build() {
            if (sizes == null) {
                throw refused.apply("units(n) is missing");
            }
            int cut = along < 0 ? sizes.length - 1 : along;
            if (cut >= sizes.length) {
                throw refused.apply("it is cut along dimension " + cut + ", but its range has " + sizes.length);
            }
            long[] all = {1, 1, 1};
            boolean empty = Arrays.stream(sizes).anyMatch(size -> size == 0);
            for (int i = 0; i < sizes.length; i++) {
                all[i] = i == cut && empty ? 0 : Math.max(1, sizes[i]);
            }
            return new Space(list(all), list(offsets), sizes.length, cut, false);
        }

        private static List<Long> list(long[] each) {
            return Arrays.stream(each).boxed().toList();
        }
    }
}
