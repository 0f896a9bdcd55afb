package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Chunks from one common range. */
class GuidedPolicyTest {
    private final Policy guided = Policies.guided();

    @Test
    void everyLaneForWhichThereIsAGranuleTakesPart() {
        Costs costs = Costs.of(10, 1e-9, 1, 1);
        Plan plan = guided.plan(costs.snapshot(10, 1));
        assertEquals(Plan.Sharing.POOLED, plan.sharing());
        assertArrayEquals(new long[] {4, 3, 3}, plan.shares());
        assertArrayEquals(
                new long[] {1, 1, 0}, guided.plan(costs.snapshot(2, 1)).shares());
    }

    @Test
    void aChunkIsHalfOfTheLanesPartOfTheRest() {
        Numbers p = Numbers.pool(8000, 1000, 3000).launching(1);
        assertEquals(3000, guided.chunk(p, 0));
        assertEquals(1000, guided.chunk(p, 1));
    }

    @Test
    void lanesThatFailedAreNotWaitedFor() {
        Numbers p = Numbers.pool(8000, 1000, 1000).launching(1);
        p.active[1] = false;
        assertEquals(4000, guided.chunk(p, 0));
    }

    @Test
    void noChunkIsSmallerThanItsLaunchIsWorthAndNoRestEither() {
        Numbers p = Numbers.pool(100, 1000, 1000).launching(1000);
        assertEquals(25, guided.chunk(p, 0));
        p.pool = 60;
        assertEquals(20, guided.chunk(p, 0));
        p.pool = 30;
        assertEquals(20, guided.chunk(p, 0));
        p.pool = 29;
        assertEquals(29, guided.chunk(p, 0));
    }

    @Test
    void theLessIsKnownTheSmallerTheChunk() {
        Numbers p = Numbers.pool(6400, 1000, 1000);
        long last = guided.chunk(p, 0);
        assertEquals(1600, last);
        for (double variance : new double[] {0.1, 0.5, 1, 2, 4}) {
            long chunk = guided.chunk(p.doubting(variance), 0);
            assertTrue(chunk <= last, () -> chunk + " with a variance of " + variance);
            last = chunk;
        }
        assertTrue(last > 0 && last < 6400 / 20, "of a job never seen: " + last);
        // Relative speeds count as well as times do, but nobody knows what is worth a launch.
        p.unknown().launching(1e9).nanosPerGranule[0] = 1000.0 / 3;
        long faster = guided.chunk(p, 0);
        assertTrue(faster > last && faster < 2400, faster + " after " + last);
    }

    /** Of three equal lanes the two others are together half as doubtful as one of them. */
    @Test
    void doubtsOfSeveralLanesEvenOut() {
        double variance = 0.25;
        Numbers p = Numbers.pool(9000, 1000, 1000, 1000).doubting(variance);
        double others = Math.exp(2 * Math.sqrt(variance + variance / 2));
        assertEquals(3000 / (1 / 3.0 + 2 / 3.0 * others), guided.chunk(p, 0), 1);
    }

    @Test
    void chunksAreCutByWork() {
        Numbers p = Numbers.pool(8000, 1000, 1000).costing(1, 1, 1, 1, 3, 3, 3, 3);
        assertEquals(4000.0, (double) guided.chunk(p, 0), 1); // a quarter of the work
        p.pool = 4000;
        assertEquals(1000.0, (double) guided.chunk(p, 0), 1); // of the dear half, all of which costs the same
    }

    @Test
    void aNumberOfChunksGivesEqualOnes() {
        Policy eight = Policies.guided(8);
        Numbers p = Numbers.pool(100, 1000, 9000);
        assertEquals(13, eight.chunk(p, 0));
        assertEquals(13, eight.chunk(p, 1));
        assertEquals(1, eight.chunk(Numbers.pool(3, 1, 1), 0));
        assertThrows(IllegalArgumentException.class, () -> Policies.guided(0));
    }

    @Test
    void anyPoolIsUsedUpInFewChunks() {
        Random random = new Random(1);
        for (int round = 0; round < 2000; round++) {
            Numbers p = Numbers.any(random);
            Arrays.fill(p.left, 0);
            p.pool = (long) Math.pow(10, random.nextDouble() * 12);
            p.granules = p.pool;
            int chunks = 0;
            while (p.pool > 0) {
                int lane = random.nextInt(p.lanes());
                long chunk = guided.chunk(p, lane);
                assertTrue(chunk >= 0 && chunk <= p.pool, () -> chunk + " of " + p.pool);
                p.pool -= Math.max(1, chunk); // as the runtime does
                chunks++;
                assertTrue(chunks < 100_000, "chunks without end");
            }
        }
    }
}
