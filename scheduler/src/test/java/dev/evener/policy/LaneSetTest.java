package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.BitSet;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LaneSetTest {
    private static final int MOST = 200;

    @Test
    void lanesThatAreAWordApartAreToldApart() {
        for (int lane : new int[] {0, 3, 62, 63, 64, 67, 127, 128}) {
            LaneSet one = LaneSet.of(lane);
            assertEquals(lane, one.first());
            assertEquals(1, one.size());
            for (int other = 0; other < MOST; other++) {
                assertEquals(other == lane, one.has(other), lane + " and " + other);
            }
            assertNotEquals(one, LaneSet.of(lane + 64));
            assertFalse(
                    one.hasAll(LaneSet.of(lane + 64)) || LaneSet.of(lane + 64).hasAll(one));
        }
        assertEquals("{3, 67}", LaneSet.of(67, 3).toString());
    }

    /** Guards against sets of no lanes, as of {@code (1L << 64) - 1}. */
    @Test
    void allLanesAreAsManyAsWereAskedFor() {
        for (int lanes : new int[] {0, 1, 62, 63, 64, 65, 127, 128, 129}) {
            LaneSet all = LaneSet.all(lanes);
            assertEquals(lanes, all.size());
            assertEquals(lanes == 0, all.isEmpty());
            assertEquals(lanes == 0 ? -1 : 0, all.first());
            assertFalse(all.has(lanes));
            assertEquals(LaneSet.of(IntStream.range(0, lanes).toArray()), all);
        }
    }

    @Test
    void itIsASetOfNumbers() {
        Random random = new Random(1);
        LaneSet set = LaneSet.NONE;
        BitSet same = new BitSet();
        LaneSet other = LaneSet.NONE;
        BitSet asOther = new BitSet();
        for (int round = 0; round < 20_000; round++) {
            int lane = random.nextInt(1 + random.nextInt(MOST));
            LaneSet before = set;
            boolean was = same.get(lane);
            if (random.nextInt(100) == 0) {
                other = set;
                asOther = (BitSet) same.clone();
            }
            boolean adds = random.nextInt(10) < (round / 1000 % 2 == 0 ? 7 : 3);
            set = adds ? set.with(lane) : set.without(lane);
            same.set(lane, adds);
            assertEquals(was, before.has(lane), "a set does not change");
            if (was == adds) {
                assertSame(before, set, "nothing is made anew");
            }
            BitSet now = same;
            LaneSet again = LaneSet.where(MOST, now::get);
            assertEquals(again, set);
            assertEquals(again.hashCode(), set.hashCode());
            assertEquals(same.cardinality(), set.size());
            assertEquals(same.nextSetBit(0), set.first());
            BitSet missing = (BitSet) asOther.clone();
            missing.andNot(same);
            assertEquals(missing.isEmpty(), set.hasAll(other));
            assertEquals(same.equals(asOther), set.equals(other));
        }
        assertSame(LaneSet.NONE, LaneSet.of(128).without(128));
    }
}
