package dev.evener.internal.data;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A set of {@code long} positions as sorted, disjoint, non-adjacent intervals {@code [from, to)}. Belongs to one thread;
 * allocates only to grow. Changing it takes time linear in the number of intervals, looking logarithmic; there are few,
 * because chunks are contiguous and neighbours merge.
 */
public final class RangeSet {
    /** from0, to0, from1, to1, ...: strictly ascending. */
    private long[] bounds = new long[8];

    private int used;

    boolean isEmpty() {
        return used == 0;
    }

    /** Adds {@code [from, to)}; nothing if it is empty. */
    public void add(long from, long to) {
        change(from, to, 0);
    }

    /** Removes {@code [from, to)}. */
    void remove(long from, long to) {
        change(from, to, 1);
    }

    /**
     * Bounds below from and above to stay; those in between go, and those equal to them: neighbours merge.
     *
     * @param outside how many bounds, modulo 2, lie below a place at which the interval's own bound is needed
     */
    private void change(long from, long to, int outside) {
        if (from >= to) {
            return;
        }
        int low = countBelow(from);
        int high = countUpTo(to);
        int put = low;
        long[] old = bounds;
        boolean putFrom = (low & 1) == outside;
        boolean putTo = (high & 1) == outside;
        int end = low + (putFrom ? 1 : 0) + (putTo ? 1 : 0); // of what takes the place of those from low to before high
        if (end + used - high > bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * bounds.length);
        }
        System.arraycopy(old, high, bounds, end, used - high);
        used += end - high;
        if (putFrom) {
            bounds[put++] = from;
        }
        if (putTo) {
            bounds[put] = to;
        }
    }

    /** The first position of {@code [from, to)} that is not in the set, or {@code to}. */
    public long missingFrom(long from, long to) {
        int at = countUpTo(from); // odd: from lies in an interval, which ends at bounds[at]
        return Math.min(to, (at & 1) == 1 ? bounds[at] : from);
    }

    /** The first position of {@code [from, to)} that is in the set, or {@code to}. */
    long presentFrom(long from, long to) {
        int at = countUpTo(from);
        if ((at & 1) == 1) {
            return Math.min(from, to);
        }
        return at < used ? Math.min(to, bounds[at]) : to;
    }

    /** How much of {@code [from, to)} is in none of some sets. */
    static long missing(List<RangeSet> sets, long from, long to) {
        long missing = 0;
        for (long at = from; at < to; ) {
            long end = at;
            long next = to;
            for (RangeSet each : sets) {
                end = Math.max(end, each.missingFrom(at, to));
                next = Math.min(next, each.presentFrom(at, to));
            }
            missing += end > at ? 0 : next - at;
            at = end > at ? end : next;
        }
        return missing;
    }

    /** Tells of each part of {@code [from, to)} that is in the set where it begins and ends. */
    void forEach(long from, long to, BiConsumer<Long, Long> part) {
        for (long at = presentFrom(from, to), end; at < to; at = presentFrom(end, to)) {
            end = missingFrom(at, to);
            part.accept(at, end);
        }
    }

    /** How many bounds are less than a position. */
    private int countBelow(long position) {
        int found = Arrays.binarySearch(bounds, 0, used, position);
        return found >= 0 ? found : -found - 1;
    }

    /** How many bounds are at most a position. */
    private int countUpTo(long position) {
        int found = Arrays.binarySearch(bounds, 0, used, position);
        return found >= 0 ? found + 1 : -found - 1;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < used; i += 2) {
            text.append((i == 0 ? "[" : " [") + bounds[i] + ", " + bounds[i + 1] + ")");
        }
        return text.append('}').toString();
    }
}
