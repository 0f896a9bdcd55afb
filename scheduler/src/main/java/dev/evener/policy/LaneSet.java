package dev.evener.policy;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A set of lanes, by their numbers, of any size. Immutable; any thread. Asking allocates nothing, nor does adding a lane that is there or
 * removing one that is not.
 */
public final class LaneSet {
    /** No lanes. */
    public static final LaneSet NONE = new LaneSet(new long[0]);

    private final long[] words; // bit i % 64 of word i / 64 for lane i; the last word is not 0

    private LaneSet(long[] words) {
        this.words = words;
    }

    /** These lanes, in any order; each number at least 0. */
    public static LaneSet of(int... lanes) {
        LaneSet set = NONE;
        for (int lane : lanes) {
            set = set.with(lane);
        }
        return set;
    }

    /** The lanes from 0 to before {@code lanes}. */
    public static LaneSet all(int lanes) {
        return where(lanes, lane -> true);
    }

    /** Those of the lanes from 0 to before {@code lanes} of which something holds. */
    public static LaneSet where(int lanes, IntPredicate holds) {
        long[] words = new long[(lanes + Long.SIZE - 1) / Long.SIZE];
        for (int lane = 0; lane < lanes; lane++) {
            words[lane >>> 6] |= holds.test(lane) ? 1L << lane : 0;
        }
        return trimmed(words);
    }

    private static LaneSet trimmed(long[] words) {
        int length = words.length;
        while (length > 0 && words[length - 1] == 0) {
            length--;
        }
        return length == 0 ? NONE : new LaneSet(length == words.length ? words : Arrays.copyOf(words, length));
    }

    /** Whether a lane, of a number of at least 0, is one of them. */
    public boolean has(int lane) {
        int word = lane >>> 6;
        return word < words.length && (words[word] >>> lane & 1) == 1;
    }

    /** Whether all lanes of another set are among them. */
    public boolean hasAll(LaneSet other) {
        boolean all = other.words.length <= words.length;
        for (int i = 0; i < other.words.length && all; i++) {
            all = (other.words[i] & ~words[i]) == 0;
        }
        return all;
    }

    /** How many they are. */
    public int size() {
        int size = 0;
        for (long word : words) {
            size += Long.bitCount(word);
        }
        return size;
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return words.length == 0;
    }

    /** The least number of them; -1 if there are none. */
    public int first() {
        for (int i = 0; i < words.length; i++) {
            if (words[i] != 0) {
                return i * Long.SIZE + Long.numberOfTrailingZeros(words[i]);
            }
        }
        return -1;
    }

    /** These and one more. */
    public LaneSet with(int lane) {
        if (has(lane)) {
            return this;
        }
        long[] more = Arrays.copyOf(words, Math.max(words.length, (lane >>> 6) + 1));
        more[lane >>> 6] |= 1L << lane;
        return new LaneSet(more);
    }

    /** These but one. */
    public LaneSet without(int lane) {
        if (!has(lane)) {
            return this;
        }
        long[] less = words.clone();
        less[lane >>> 6] &= ~(1L << lane);
        return trimmed(less);
    }

    @Override
    public boolean equals(Object other) {
        return other == this || (other instanceof LaneSet set && Arrays.equals(words, set.words));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    @Override
    public String toString() {
        return IntStream.range(0, words.length * Long.SIZE)
                .filter(this::has)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
