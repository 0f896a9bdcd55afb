package dev.evener.kernels.pipeline;

import static dev.evener.kernels.pipeline.Distribution.ALL;
import static dev.evener.kernels.pipeline.Distribution.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;

class DistributionTest {
    private static Distribution twoWithAnItemEach() {
        Distribution two = new Distribution(2);
        assertEquals(0, two.take(9, 0));
        assertEquals(1, two.take(8, 0));
        return two;
    }

    @Test
    void oneDeviceHasOneItemAndTheNext() {
        Distribution one = new Distribution(1);
        assertEquals(ALL, one.take(5, 0));
        assertEquals(ALL, one.take(4, 0));
        assertEquals(NONE, one.take(3, 0));
        one.ended(ALL, true, 10);
        assertEquals(ALL, one.take(3, 10));
    }

    @Test
    void anItemThatIsAloneIsSplit() {
        Distribution two = new Distribution(2);
        assertEquals(ALL, two.take(1, 0));
        assertEquals(0, two.take(1, 0));
        assertEquals(1, two.take(1, 0), "which has done nothing yet either");
        two.ended(ALL, true, 10);
        two.ended(0, true, 10);
        two.ended(1, true, 10);
        assertEquals(ALL, two.take(1, 10));
    }

    @Test
    void equalDevicesHaveTwoEach() {
        Distribution two = new Distribution(2);
        int[] taken = new int[2];
        for (int i = 0; i < 4; i++) {
            taken[two.take(9 - i, 0)]++;
        }
        assertEquals(2, taken[0]);
        assertEquals(2, taken[1]);
        assertEquals(NONE, two.take(5, 0));
    }

    @Test
    void aSlowDeviceHasNothingThatTheFastOnesWouldHaveDoneSooner() {
        Distribution two = twoWithAnItemEach();
        assertEquals(0, two.take(7, 0));
        two.ended(0, true, 10);
        two.ended(0, true, 20);
        two.ended(1, true, 60); // six times as slow
        assertEquals(0, two.take(3, 60));
        assertEquals(0, two.take(2, 60));
        assertEquals(NONE, two.take(3, 60), "in 50 ns the other one has done all five");
        assertEquals(1, two.take(4, 60));
    }

    @Test
    void whatFailedSaysNothingOfSpeed() {
        Distribution two = twoWithAnItemEach();
        two.ended(0, false, 1);
        two.ended(1, true, 100);
        assertEquals(0, two.take(2, 100), "not known yet");
    }

    @Test
    void whatTheModelExpectsCountsForMoreThanAFirstItem() {
        Distribution two = twoWithAnItemEach();
        two.ended(1, true, 10);
        two.ended(0, true, 1000); // its programs were built
        two.worked(0, 5);
        assertEquals(0, two.take(2, 1000));
        assertEquals(0, two.take(2, 1000));
    }

    /** Of 40 large frames it had one: with its programs it seemed to take ten times as long. */
    @Test
    void whatADeviceBuiltIsNotHeldAgainstIt() {
        Distribution two = twoWithAnItemEach();
        two.ended(0, true, 100);
        two.built(1, 990);
        two.ended(1, true, 1040);
        assertEquals(1, two.take(9, 1040), "it took half as long as the other one");
        assertEquals(0, two.take(8, 1040));
        assertEquals(1, two.take(7, 1040));
    }

    @Test
    void aDeviceKnownByItsFirstItemAloneHasAnotherOneSoon() {
        Distribution two = twoWithAnItemEach();
        two.worked(0, 10);
        two.ended(0, true, 10);
        two.ended(1, true, 500); // it locked memory, as the next ones need not
        assertEquals(0, two.take(9, 500));
        assertEquals(0, two.take(8, 500));
        assertEquals(NONE, two.take(7, 1499));
        assertEquals(1, two.take(7, 1500));
        two.worked(1, 20);
        two.ended(1, true, 1520);
        assertEquals(1, two.take(7, 1520));
    }

    @Test
    void aSlowDeviceIsLookedAtAgainNowAndThen() {
        Distribution two = twoWithAnItemEach();
        two.worked(0, 10);
        two.worked(1, 1000);
        two.ended(0, true, 10);
        two.ended(1, true, 1000);
        assertEquals(0, two.take(9, 1000));
        assertEquals(0, two.take(8, 1000));
        assertEquals(NONE, two.take(7, 16_000));
        assertEquals(1, two.take(7, 17_000), "without an item for as long as sixteen take");
        assertEquals(NONE, two.take(6, 17_000));
    }

    @Test
    void aDeviceThatFailedGetsNothingBeforeItHasWorkedAgain() {
        Distribution three = new Distribution(3);
        assertEquals(0, three.take(9, 0));
        three.failed(0);
        three.ended(0, true, 5); // by the others
        for (int i = 0; i < 4; i++) {
            assertEquals(1 + i % 2, three.take(9, 5));
        }
        assertEquals(NONE, three.take(9, 5));
        for (int device : new int[] {0, 1, 2}) {
            three.worked(device, 10);
        }
        assertEquals(0, three.take(9, 5));
        three.failed(0);
        three.failed(1);
        assertEquals(ALL, three.take(9, 5), "so that what has recovered is found");
    }

    /** A stream that devices of the speeds 1 and 3 work on: both all the time, the fast one three times as often. */
    @Test
    void aLongStreamKeepsAllBusy() {
        Distribution two = new Distribution(2);
        long[] each = {30, 10};
        int[] done = new int[2];
        long[] free = new long[2];
        PriorityQueue<long[]> ends = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
        long now = 0;
        for (int left = 400; left > 0 || !ends.isEmpty(); ) {
            int device = left == 0 ? NONE : two.take(Math.min(left, 10), now);
            if (device >= 0) {
                free[device] = Math.max(free[device], now) + each[device];
                ends.add(new long[] {free[device], device});
                left--;
            } else {
                assertTrue(device != ALL && !ends.isEmpty(), "something waits and nothing works");
                long[] end = ends.remove();
                now = end[0];
                done[(int) end[1]]++;
                two.ended((int) end[1], true, now);
            }
        }
        assertEquals(100, done[0], 3);
        assertEquals(300, done[1], 3);
        assertEquals(3000, (float) now, 40);
    }
}
