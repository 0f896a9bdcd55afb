package dev.evener.internal.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Intervals against a set of single positions. */
class RangeSetTest {

    @Test
    void neighboursMergeAndHolesSplit() {
        RangeSet set = new RangeSet();
        assertEquals("{}", set.toString());
        set.add(10, 20);
        set.add(30, 40);
        assertEquals("{[10, 20) [30, 40)}", set.toString());
        set.add(20, 30);
        assertEquals("{[10, 40)}", set.toString());
        set.remove(15, 25);
        assertEquals("{[10, 15) [25, 40)}", set.toString());
        set.add(5, 5);
        set.remove(12, 12);
        assertEquals("{[10, 15) [25, 40)}", set.toString());
        set.add(0, 1L << 40);
        assertEquals("{[0, 1099511627776)}", set.toString());
        set.remove(0, 1L << 40);
        assertEquals("{}", set.toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void doesWhatASetOfPositionsDoes(long seed) {
        Random random = new Random(seed);
        int size = seed % 2 == 0 ? 30 : 300;
        RangeSet set = new RangeSet();
        BitSet expected = new BitSet();
        for (int step = 0; step < 4000; step++) {
            int from = random.nextInt(size);
            int to = from + random.nextInt(Math.max(1, size / (1 + random.nextInt(20))));
            switch (random.nextInt(20)) {
                case 0 -> {
                    set.remove(0, 2L * size);
                    expected.clear();
                }
                case 1, 2, 3, 4, 5, 6, 7, 8 -> {
                    set.remove(from, to);
                    expected.clear(from, to);
                }
                default -> {
                    set.add(from, to);
                    expected.set(from, to);
                }
            }
            check(set, expected, size, random);
        }
    }

    /** Whatever holes they have in common or not: a fault once counted those behind the first from the beginning. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatSeveralSetsLackIsCounted(long seed) {
        Random random = new Random(seed);
        for (int trial = 0; trial < 500; trial++) {
            List<RangeSet> sets = new ArrayList<>();
            BitSet any = new BitSet();
            for (int i = random.nextInt(4); i > 0; i--) {
                RangeSet set = new RangeSet();
                for (int k = random.nextInt(4); k > 0; k--) {
                    int from = random.nextInt(40);
                    int to = from + random.nextInt(10);
                    set.add(from, to);
                    any.set(from, to);
                }
                sets.add(set);
            }
            int from = random.nextInt(40);
            int to = from + random.nextInt(40);
            assertEquals(to - from - any.get(from, to).cardinality(), RangeSet.missing(sets, from, to));
        }
    }

    private static void check(RangeSet set, BitSet expected, int size, Random random) {
        assertEquals(text(expected), set.toString());
        for (int i = 0; i < 5; i++) {
            int from = random.nextInt(size);
            int to = from + random.nextInt(size);
            assertEquals(Math.min(Math.max(to, from), expected.nextClearBit(from)), set.missingFrom(from, to));
            int present = expected.nextSetBit(from);
            assertEquals(present < 0 ? to : Math.min(to, present), set.presentFrom(from, to));
        }
        assertEquals(2L * size, set.missingFrom(2L * size, 2L * size + 1));
    }

    private static String text(BitSet bits) {
        StringBuilder text = new StringBuilder("{");
        for (int from = bits.nextSetBit(0); from >= 0; ) {
            int to = bits.nextClearBit(from);
            text.append(text.length() == 1 ? "" : " ").append('[').append(from).append(", ");
            text.append(to).append(')');
            from = bits.nextSetBit(to);
        }
        return text.append('}').toString();
    }
}
