package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who is stolen from, and how much. */
class StealingTest {

    @Test
    void twoEqualLanesShareWhatIsLeft() {
        Numbers p = Numbers.of(new long[] {0, 1000}, 1e6, 1e6).launching(1);
        assertEquals(1, Stealing.victim(p, 0));
        assertEquals(500, Stealing.amount(p, 0, 1));
    }

    @Test
    void bothFinishTogetherByTheirSpeedsLaunchesAndWhatTheyAreAt() {
        Random random = new Random(1);
        int stolen = 0;
        for (int round = 0; round < 20_000; round++) {
            Numbers p = Numbers.of(new long[] {0, 1000 + random.nextInt(1_000_000)}, speed(random), speed(random));
            p.launch[0] = Math.pow(10, random.nextDouble() * 6);
            p.busy[1] = random.nextBoolean() ? 0 : Math.pow(10, random.nextDouble() * 6);
            long x = Stealing.amount(p, 0, 1);
            if (x == 0 || x == p.left[1]) {
                continue;
            }
            double thief = p.launch[0] + x * p.nanosPerGranule[0];
            double victim = p.busy[1] + (p.left[1] - x) * p.nanosPerGranule[1];
            double granule = Math.max(p.nanosPerGranule[0], p.nanosPerGranule[1]);
            assertTrue(Math.abs(thief - victim) <= granule * 1.001, () -> x + " of " + p.left[1]);
            stolen++;
        }
        assertTrue(stolen > 10_000, "stolen " + stolen);
    }

    private static double speed(Random random) {
        return Math.pow(10, random.nextDouble() * 3);
    }

    @Test
    void theVictimIsTheLaneThatFinishesLastByTimeNotByCount() {
        Numbers p = Numbers.of(new long[] {0, 10_000, 100}, 100, 100, 100_000).launching(10);
        assertEquals(2, Stealing.victim(p, 0));
        p.nanosPerGranule[2] = 100;
        assertEquals(1, Stealing.victim(p, 0));
        p.busy[2] = 1e8; // its chunk in hand will take longer than all the other has left
        assertEquals(2, Stealing.victim(p, 0));
    }

    @Test
    void whatAFailedLaneLeftBehindComesFirstAndWhole() {
        Numbers p =
                Numbers.of(new long[] {0, 1_000_000, 1, 3}, 100, 100, 100, 100).launching(1e9);
        p.active[2] = false;
        p.active[3] = false;
        assertEquals(3, Stealing.victim(p, 0));
        assertEquals(3, Stealing.amount(p, 0, 3));
        p.left[3] = 0;
        assertEquals(2, Stealing.victim(p, 0));
        assertEquals(1, Stealing.amount(p, 0, 2));
    }

    @Test
    void nothingIsStolenThatWouldNotSaveMoreThanItsLaunch() {
        Numbers p = Numbers.of(new long[] {0, 100}, 100, 100).launching(10_000);
        assertEquals(0, Stealing.amount(p, 0, 1)); // 10 us of work, 10 us to launch
        assertEquals(-1, Stealing.victim(p, 0));
        p.left[1] = 10_000;
        assertEquals(1, Stealing.victim(p, 0));
        p.launch[0] = 0; // unknown, so taken to be 100 us, and a millisecond of work pays
        assertEquals(4500, Stealing.amount(p, 0, 1));
        p.left[1] = 3000;
        assertEquals(0, Stealing.amount(p, 0, 1));
    }

    @Test
    void aSlowThiefLeavesAFastVictimWhatItDoesSoonerItself() {
        Numbers p = Numbers.of(new long[] {0, 100}, 1e6, 1000).launching(10);
        assertEquals(-1, Stealing.victim(p, 0));
        p.left[1] = 2500;
        assertEquals(2, Stealing.amount(p, 0, 1));
    }

    @Test
    void aVictimHeldUpByItsChunkLosesEverything() {
        Numbers p = Numbers.of(new long[] {0, 100}, 1000, 1000).launching(10);
        p.busy[1] = 1e9;
        assertEquals(100, Stealing.amount(p, 0, 1));
    }

    @Test
    void oneGranuleIsStolenFromALaneThatIsLongBusy() {
        Numbers p = Numbers.of(new long[] {0, 1}, 1000, 1000).launching(10);
        assertEquals(0, Stealing.amount(p, 0, 1)); // it can begin it at once itself
        p.busy[1] = 50_000;
        assertEquals(1, Stealing.amount(p, 0, 1));
    }

    @Test
    void withNoSpeedKnownWeightsDecide() {
        Numbers p = Numbers.of(new long[] {0, 100}, 0, 0);
        p.weight[0] = 3;
        assertEquals(75, Stealing.amount(p, 0, 1));
    }

    @Test
    void anUnknownLaneIsAsFastAsItsWeightSays() {
        Numbers p = Numbers.of(new long[] {0, 100_000}, 0, 300).launching(1);
        p.weight[0] = 3; // so 100 ns a granule
        assertEquals(75_000, (double) Stealing.amount(p, 0, 1), 1);
    }

    @Test
    void theLaneItselfAndEmptyLanesAreNoVictims() {
        assertEquals(-1, Stealing.victim(Numbers.of(new long[] {1000}, 1e6).launching(1), 0));
        assertEquals(
                -1, Stealing.victim(Numbers.of(new long[] {1000, 0}, 1e6, 1e6).launching(1), 0));
        assertEquals(
                0, Stealing.amount(Numbers.of(new long[] {1000, 0}, 1e6, 1e6).launching(1), 0, 1));
    }

    @Test
    void whateverTheNumbersTheAnswerIsAVictimWithSomethingToTake() {
        Random random = new Random(2);
        double[] odd = {Double.NaN, Double.POSITIVE_INFINITY, -1, 1e300, 1e-300, 0};
        int victims = 0;
        for (int round = 0; round < 50_000; round++) {
            Numbers p = Numbers.any(random);
            if (round % 2 == 0) {
                p.nanosPerGranule[random.nextInt(p.lanes())] = odd[random.nextInt(odd.length)];
                p.launch[random.nextInt(p.lanes())] = odd[random.nextInt(odd.length)];
            }
            int thief = random.nextInt(p.lanes());
            int victim = Stealing.victim(p, thief);
            if (victim >= 0) {
                long x = Stealing.amount(p, thief, victim);
                assertNotEquals(thief, victim);
                assertTrue(x >= 1 && x <= p.left[victim], () -> x + " of " + p.left[victim]);
                victims++;
            }
        }
        assertTrue(victims > 20_000, "victims " + victims);
    }

    @Test
    void nothingIsAllocated() {
        Numbers p =
                Numbers.of(new long[] {0, 1000, 5000, 200}, 100, 0, 300, 1e5).launching(50);
        Policy[] policies = {Policies.guided(), Policies.stealing(), Policies.guided(8), Policies.stealing(8)};
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long sum = ask(p, policies); // loads what there is to load
        long before = threads.getThreadAllocatedBytes(self);
        for (int i = 0; i < 10_000; i++) {
            sum += ask(p, policies);
        }
        long allocated = threads.getThreadAllocatedBytes(self) - before;
        assertTrue(sum > 0);
        assertTrue(allocated < 10_000, "allocated " + allocated + " bytes in 10,000 rounds");
    }

    private static long ask(Numbers p, Policy[] policies) {
        int victim = Stealing.victim(p, 0);
        long sum = victim + Stealing.amount(p, 0, victim);
        for (Policy policy : policies) {
            sum += policy.chunk(p, 1);
        }
        return sum;
    }
}
