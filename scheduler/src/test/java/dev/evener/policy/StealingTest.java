package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is stolen from, and how much. */
class StealingTest {

    @Test
    void twoEqualLanesShareWhatIsLeft() {
        Numbers p = Numbers.of(new long[] {0, 1000}, 1e6, 1e6);
        assertEquals(1, Stealing.victim(p, 0));
        assertEquals(500, Stealing.amount(p, 0, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothFinishTogetherByTheirSpeedsLaunchesAndWhatTheyAreAt(boolean even) {
        Random random = new Random(1);
        int stolen = 0;
        for (int round = 0; round < 20_000; round++) {
            Numbers p = Numbers.of(new long[] {0, 1000 + random.nextInt(1_000_000)}, speed(random), speed(random));
            double[] density =
                    even ? new double[] {1} : random.doubles(20, 0.2, 1).toArray();
            p.costing(even ? new double[0] : density);
            p.fixed[0] = Math.pow(10, random.nextDouble() * 6);
            p.busy[1] = random.nextBoolean() ? 0 : Math.pow(10, random.nextDouble() * 6);
            long x = Stealing.amount(p, 0, 1);
            if (x == 0 || x >= p.left[1] - 1) { // all of it, but for rounding: the victim is long busy
                continue;
            }
            double all = p.work(1);
            double loot = p.profile.work((double) (p.left[1] - x), (double) x, (double) p.granules);
            double thief = p.fixed[0] + loot * p.nanosPerGranule[0];
            double victim = p.busy[1] + (all - loot) * p.nanosPerGranule[1];
            double dearest = Arrays.stream(density).max().orElseThrow()
                    / Arrays.stream(density).average().orElseThrow();
            double granule = dearest * (p.nanosPerGranule[0] + p.nanosPerGranule[1]);
            assertTrue(Math.abs(thief - victim) <= granule * 1.001, () -> x + " of " + p.left[1]);
            stolen++;
        }
        assertTrue(stolen > 10_000, "stolen " + stolen);
    }

    /** Two lanes at work for other jobs: the later one is stolen from, and as much as if it were in a chunk so long. */
    @Test
    void aLaneThatIsAtWorkForAnotherJobIsTheVictim() {
        Numbers p = Numbers.of(new long[] {0, 500, 500}, 1e6, 1e6, 1e6);
        p.away[2] = 100e6;
        assertEquals(2, Stealing.victim(p, 0));
        assertEquals(300, Stealing.amount(p, 0, 2));
    }

    @Test
    void aThiefLooksAgainWhenTheOthersShouldBeDone() {
        Numbers p = Numbers.of(new long[] {0, 5, 7}, 1e6, 1e6, 1e6);
        p.busy[1] = 4e6;
        p.fixed[0] = 1000;
        assertEquals(9e6, Stealing.nanosToNextLook(p, 0));
        p.fixed[0] = 1e6;
        assertEquals(20e6, Stealing.nanosToNextLook(p, 0), "no sooner than what is worth a launch");
        p.left[1] = 0;
        p.left[2] = 0;
        assertTrue(Stealing.nanosToNextLook(p, 0) < 0, "nothing is left to steal");
    }

    @Test
    void whatIsStolenIsWorkNotGranules() {
        // The last quarter is three times as dear as the rest: it has half of the work.
        Numbers p = Numbers.of(new long[] {0, 1000}, 1e6, 1e6).costing(1, 1, 1, 3);
        assertEquals(250.0, (double) Stealing.amount(p, 0, 1), 1);
        // Half of the granules are left to lane 1, but the dear ones to lane 2.
        Numbers three = Numbers.of(new long[] {0, 500, 500}, 1e6, 1e6, 1e6).costing(1, 1, 3, 3);
        assertEquals(2, Stealing.victim(three, 0));
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
    void whatAFailedLaneLeftBehindAndOneThatBuildsHasComesFirstAndWhole() {
        Numbers p =
                Numbers.of(new long[] {0, 1_000_000, 1, 3}, 100, 100, 100, 100).launching(1e9);
        p.active[2] = false;
        p.ready[3] = false;
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
        p.left[1] = 290; // 95 granules would save 9.5 us
        assertEquals(0, Stealing.amount(p, 0, 1));
        p.left[1] = 310;
        assertEquals(105, Stealing.amount(p, 0, 1));
        assertEquals(1, Stealing.victim(p, 0));
    }

    /** Of a thief of which nothing was seen, what a chunk may cost decides. */
    @Test
    void aThiefThatMayTakeLongToBeginStealsNoSoonerThanThatPays() {
        Numbers p = Numbers.of(new long[] {0, 310}, 100, 100).launching(10_000);
        assertEquals(105, Stealing.amount(p, 0, 1));
        p.mostFixed = 1e6;
        assertEquals(-1, Stealing.victim(p, 0));
        p.left[1] = 30_100;
        assertEquals(10_050, Stealing.amount(p, 0, 1));
        p.known = false; // and where nothing is known in nanoseconds, no launch counts
        assertEquals(15_050, Stealing.amount(p, 0, 1));
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
    void withNoTimeKnownRelativeSpeedsDecideAlone() {
        Numbers p = Numbers.of(new long[] {0, 100}, 1, 3).launching(1e9).unknown();
        p.busy[1] = 1e9;
        assertEquals(75, Stealing.amount(p, 0, 1));
        assertEquals(1, Stealing.victim(p, 0));
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
                p.fixed[random.nextInt(p.lanes())] = odd[random.nextInt(odd.length)];
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
        Numbers p = Numbers.of(new long[] {0, 1000, 5000, 200}, 100, 50, 300, 1e5)
                .launching(50)
                .doubting(0.1);
        Policy[] policies = {
            Policies.adaptive(), Policies.guided(), Policies.stealing(), Policies.guided(8), Policies.stealing(8)
        };
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
