package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Chunks from one common range. */
class GuidedPolicyTest {
    private final Policy guided = Policies.guided();

    @Test
    void everyLaneForWhichThereIsAGranuleTakesPart() {
        Plan plan = guided.plan(snapshot(10, 1e9, 1, 1));
        assertEquals(Plan.Sharing.POOLED, plan.sharing());
        assertArrayEquals(new long[] {4, 3, 3}, plan.shares());
        assertArrayEquals(
                new long[] {1, 1, 0}, guided.plan(snapshot(2, 1, 1, 1)).shares());
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
        p.launch[0] = 0; // unknown, so taken to be 100 us
        p.pool = 100_000;
        p.nanosPerGranule[0] = 100;
        p.nanosPerGranule[1] = 100;
        assertEquals(25_000, guided.chunk(p, 0));
        p.pool = 40_000;
        assertEquals(20_000, guided.chunk(p, 0));
    }

    @Test
    void aLaneOfUnknownSpeedBeginsWithAProbe() {
        Numbers p = Numbers.pool(6400, 0, 0);
        assertEquals(100, guided.chunk(p, 0));
        p.weight[0] = 3;
        assertEquals(150, guided.chunk(p, 0));
        p.pool = 3;
        assertEquals(1, guided.chunk(p, 0));
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
            p.pool = (long) Math.pow(10, random.nextDouble() * 12);
            int chunks = 0;
            while (p.pool > 0) {
                int lane = random.nextInt(p.lanes());
                long chunk = guided.chunk(p, lane);
                assertTrue(chunk >= 1);
                p.pool -= Math.min(p.pool, chunk);
                p.nanosPerGranule[lane] = p.nanosPerGranule[lane] == 0 ? 50 : p.nanosPerGranule[lane];
                chunks++;
                assertTrue(chunks < 100_000, "chunks without end");
            }
        }
    }

    private static Snapshot snapshot(long granules, double... weights) {
        List<Snapshot.LaneView> lanes = java.util.Arrays.stream(weights)
                .mapToObj(w -> new Snapshot.LaneView("x", w, Snapshot.Cost.UNKNOWN))
                .toList();
        return new Snapshot(granules, 1, lanes, Experience.NONE);
    }
}
