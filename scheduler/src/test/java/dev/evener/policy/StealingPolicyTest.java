package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Equal shares and the chunks taken from them. */
class StealingPolicyTest {
    private final Policy stealing = Policies.stealing();

    @Test
    void sharesAreEqualWhateverTheSpeeds() {
        Plan plan = stealing.plan(Costs.of(100, 1e-3, 1).snapshot(100, 1));
        assertEquals(Plan.Sharing.STEALING, plan.sharing());
        assertArrayEquals(new long[] {50, 50}, plan.shares());
    }

    @Test
    void chunksHalveTheRangeDownToWhatIsWorthALaunch() {
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 1000).launching(2000);
        assertEquals(500, stealing.chunk(p, 0));
        p.left[0] = 70;
        assertEquals(40, stealing.chunk(p, 0));
        p.left[0] = 59; // would leave less than half a floor
        assertEquals(59, stealing.chunk(p, 0));
    }

    @Test
    void theLessIsKnownTheSmallerTheChunk() {
        Numbers p = Numbers.of(new long[] {3200, 3200}, 1, 1).unknown();
        assertEquals(1600, stealing.chunk(p, 0));
        long doubted = stealing.chunk(p.doubting(1), 0);
        long never = stealing.chunk(p.doubting(4), 0);
        assertTrue(doubted < 1600 && never < doubted, doubted + ", then " + never);
        assertTrue(never >= 1 && never < 3200 / 10, "of a job never seen: " + never);
    }

    @Test
    void chunksHalveTheWorkNotTheGranules() {
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 1000).costing(3, 1, 1, 1);
        assertEquals(
                250.0, (double) stealing.chunk(p, 0), 1); // 1,333 and 667 are left, of which half a lane's part is 500
    }

    /** Its share is equal whatever its speed, and a chunk cannot be taken back. */
    @Test
    void aLaneTakesHalfOfWhatItDoesByWhatIsKnown() {
        Numbers p = Numbers.of(new long[] {1000, 1000}, 1000, 100_000);
        assertEquals(10.0, (double) stealing.chunk(p, 1), 1); // half of a 101st of 2,000
        assertEquals(500, stealing.chunk(p, 0));
        p.left[0] = 0;
        assertEquals(5.0, (double) stealing.chunk(p, 1), 1);
    }

    @Test
    void aNumberOfChunksGivesEqualOnes() {
        Numbers p = Numbers.of(new long[] {50, 50}, 1, 1000);
        assertEquals(4, Policies.stealing(32).chunk(p, 0));
        assertEquals(4, Policies.stealing(32).chunk(p, 1));
        assertThrows(IllegalArgumentException.class, () -> Policies.stealing(-3));
    }
}
