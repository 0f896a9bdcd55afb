package dev.evener.internal.run;

import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The granules of one phase that are in nobody's hands: a contiguous range for each lane, and a common one. Every granule
 * is at any moment in exactly one place: in one word here, among the returned ranges, or with the one thread that took it.
 *
 * <p><b>Design.</b> Work stealing (Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", 1999)
 * keeps a queue of tasks with each worker: the worker uses one end, idle workers steal from the other, so that they
 * seldom meet. The work here is an index space and not a graph of tasks, so a queue shrinks to its two ends: both fit a
 * 64-bit word, the first granule in the upper half and the end in the lower, and whatever happens to a range is one
 * compare-and-set of its word. There are no nodes to allocate and none to reclaim. A lane's share stays contiguous, which
 * a device rewards with few launches, sub-buffers and transfers; and a thief may take many granules at once, not one task.
 * How many is the policy's to say: guided self-scheduling (Polychronopoulos and Kuck, "Guided Self-Scheduling: A Practical
 * Scheduling Scheme for Parallel Supercomputers", 1987) takes a fraction of what is left, so that chunks shrink towards
 * the end, which bounds by how much the last worker is late. Such a policy runs on the common range or on the lanes' own.
 *
 * <p><b>Why there is no ABA problem.</b> A thread reads a word, computes, and swaps; in between the word may have changed
 * and come back to what was read, for example by a refill with granules that had been stolen before. The swap then
 * succeeds, and rightly so: the word is the whole state of its range, nothing hangs on it that a second look would find
 * changed. That it holds {@code [a, b)} again means that these granules are again in it and in nobody's hands.
 *
 * <p><b>Refilling</b> needs no compare-and-set: an empty word is changed by no one but its owner, as others only ever
 * take from words that hold something. Between a steal and the refill the granules are in the thief's hands and in no
 * word, so that all words being empty does not mean that all work is done: count what was done.
 *
 * <p><b>Returned ranges</b> come from lanes that failed. They wait in a queue without bounds, so that none is ever lost or
 * refused; whoever takes one makes it its own range, where others may steal from it. Only giving back allocates.
 *
 * <p>Any thread may call everything, except where said. Only giving back takes a lock; a compare-and-set that fails has lost to one that
 * went through. Takes return {@link #NONE} when there is nothing.
 */
final class ChunkPool {
    /** No granules. */
    static final long NONE = -1L;

    /** Words lie 128 bytes apart: two lanes share no cache line, nor a pair of lines that is fetched together. */
    private static final int STRIDE = 128 / Long.BYTES;

    private final int lanes;
    private final int stride;
    private final AtomicLongArray words;
    private volatile @Nullable ConcurrentLinkedQueue<Long> returned; // null as long as nothing was

    private ChunkPool(int lanes, int granules, int common) {
        this.lanes = lanes;
        this.stride = granules > lanes ? STRIDE : 1; // else none takes twice
        // A stride before the first word, as every access reads the array's length, and one behind the last.
        this.words = new AtomicLongArray((lanes + 3) * stride);
        words.set(at(lanes), pack(0, common));
    }

    /** All granules, at least 0, are in the common range of that many lanes, at least 1. */
    static ChunkPool common(int lanes, int granules) {
        return new ChunkPool(lanes, granules, granules);
    }

    /**
     * Lane {@code i} has the granules from {@code bounds[i]} to before {@code bounds[i + 1]}.
     *
     * @param bounds ascending numbers, at least 0; two equal ones leave a lane without granules
     */
    static ChunkPool of(int... bounds) {
        ChunkPool pool = new ChunkPool(bounds.length - 1, bounds[bounds.length - 1], 0);
        for (int i = 0; i < pool.lanes; i++) {
            pool.words.set(pool.at(i), pack(bounds[i], bounds[i + 1]));
        }
        return pool;
    }

    // ---- Ranges ----

    /**
     * Packs the granules from {@code first} to before {@code end}; {@code 0 <= first < end}.
     *
     * @throws IllegalArgumentException if they are no such range
     */
    static long range(int first, int end) {
        if (first < 0 || first >= end) {
            throw new IllegalArgumentException("[" + first + ", " + end + ") is no range of granules");
        }
        return pack(first, end);
    }

    private static long pack(int first, int end) {
        return (long) first << 32 | end;
    }

    /** The first granule of a range. */
    static int first(long range) {
        return (int) (range >> 32);
    }

    /** The granule behind the last of a range. */
    static int end(long range) {
        return (int) range;
    }

    /** How many granules are in a range. */
    static int size(long range) {
        return end(range) - first(range);
    }

    private static String text(long range) {
        return "[" + first(range) + ", " + end(range) + ")";
    }

    /** Number of lanes, and the index under which the common range is addressed. */
    int lanes() {
        return lanes;
    }

    // ---- Taking ----

    /**
     * Takes granules from the front of a range.
     *
     * @param owner a lane, or {@link #lanes()} for the common range
     * @param most how many at most, at least 1; fewer come when fewer are left
     * @return a range, or {@link #NONE} if it was empty
     */
    long takeFront(int owner, int most) {
        return take(at(owner), most, true);
    }

    /** As {@link #takeFront}, from the back: the end that the owner comes to last. */
    long stealBack(int victim, int most) {
        return take(at(victim), most, false);
    }

    private long take(int at, int most, boolean front) {
        while (true) {
            long word = words.get(at);
            int first = first(word);
            int end = end(word);
            int taken = Math.min(most, end - first);
            if (taken == 0) {
                return NONE;
            }
            int cut = front ? first + taken : end - taken;
            long before = pack(first, cut);
            long behind = pack(cut, end);
            if (words.compareAndSet(at, word, front ? behind : before)) {
                return front ? before : behind;
            }
        }
    }

    /**
     * Puts a range that was stolen, or what is left of it, into the lane's own word, where others may steal it. Only the
     * lane's own thread, and only while its word is empty.
     *
     * @throws IllegalStateException if the word is not empty; the pool is as it was
     */
    void refill(int owner, long range) {
        int at = at(Objects.checkIndex(owner, lanes));
        long word = words.get(at);
        if (size(word) != 0) {
            throw new IllegalStateException("lane " + owner + " still has the granules " + text(word)
                    + " and cannot take " + text(range) + " as its own");
        }
        words.set(at, range);
    }

    /** Hands back granules that were taken and not done. */
    synchronized void giveBack(long range) {
        ConcurrentLinkedQueue<Long> queue = returned == null ? new ConcurrentLinkedQueue<>() : returned;
        queue.offer(range);
        returned = queue;
    }

    /** Takes the range that was given back first, or {@link #NONE}. */
    long takeReturned() {
        ConcurrentLinkedQueue<Long> queue = returned;
        Long oldest = queue == null ? null : queue.poll();
        return oldest == null ? NONE : oldest;
    }

    // ---- Looking ----

    /** Granules now in the range of a lane or in the common one. */
    int remaining(int owner) {
        return size(range(owner));
    }

    /** That range as a whole; of an empty one, both ends are where it ended. */
    long range(int owner) {
        return words.get(at(owner));
    }

    /**
     * Granules in all ranges, the returned ones included. While others take, a rough figure: the ranges are looked at one
     * after another, so that what moves meanwhile may be counted twice or not at all.
     */
    int remainingTotal() {
        long sum = 0;
        for (int i = 0; i <= lanes; i++) {
            sum += remaining(i);
        }
        ConcurrentLinkedQueue<Long> queue = returned;
        if (queue != null && !queue.isEmpty()) { // hardly ever; without an iterator
            for (long range : queue) {
                sum += size(range);
            }
        }
        return (int) Math.min(sum, Integer.MAX_VALUE);
    }

    private int at(int owner) {
        return (Objects.checkIndex(owner, lanes + 1) + 1) * stride;
    }
}
