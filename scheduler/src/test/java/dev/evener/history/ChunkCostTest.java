package dev.evener.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Snapshot.Cost;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A start is seen where there is one, and nowhere else. Sizes are those that {@code adaptive} makes: each 0.6 of the last. */
class ChunkCostTest {
    private static final double LAUNCH = 10;

    private static ChunkCost fresh(double start, boolean test) {
        ChunkCost cost = new ChunkCost();
        cost.expect(new Cost(0, 1, 9), LAUNCH, start, test);
        return cost;
    }

    /** Chunks that get smaller and smaller, each taking so long for its size. */
    private static void observe(ChunkCost cost, double first, int chunks, DoubleUnaryOperator nanos) {
        double size = first;
        for (int i = 0; i < chunks; i++) {
            long units = Math.round(size);
            cost.observe(units, nanos.applyAsDouble((double) units), LAUNCH);
            size *= 0.6;
        }
    }

    @Test
    void whatChunksTakeWhateverTheirSizeIsSeen() {
        ChunkCost cost = fresh(0, false);
        observe(cost, 1000, 3, units -> 5000);
        assertEquals(0, cost.startNanos(), "two pairs may be chance");
        assertFalse(cost.tested());
        observe(cost, 216, 1, units -> 5000);
        assertTrue(cost.startNanos() > 3000 && cost.startNanos() <= 5000, "start " + cost.startNanos());
        assertTrue(cost.tested());
        assertEquals(LAUNCH + cost.startNanos(), cost.chunkNanos(), 1e-9);
    }

    @Test
    void aPartThatDoesNotDependOnTheSizeIsSeenOnceItIsMostOfAChunk() {
        ChunkCost cost = fresh(0, false);
        observe(cost, 100_000, 5, units -> 500 + units);
        assertEquals(0, cost.startNanos(), "in large chunks nothing shows");
        observe(cost, 100, 5, units -> 500 + units);
        assertTrue(cost.startNanos() > 300 && cost.startNanos() <= 500, "start " + cost.startNanos());
    }

    @Test
    void unitsAreFasterThanTheStartMakesThemLook() {
        ChunkCost cost = fresh(3000, false);
        for (int i = 0; i < 20; i++) {
            cost.observe(1000, 4000, LAUNCH);
        }
        assertEquals(LAUNCH + 3000 + 1000, cost.busyNanos(1000, 0), 1);
        assertEquals(1, cost.nanosPerUnit(), 1e-3);
        assertEquals(1, cost.nanosPerUnit(1000, 3500), 1e-3, "not overdue yet");
        assertEquals(5, cost.nanosPerUnit(1000, LAUNCH + 8000), 1e-3);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.03, 0.05})
    void scatterFeignsNoStart(double noise) {
        Random random = new Random(7);
        for (int job = 0; job < 1000; job++) {
            ChunkCost cost = fresh(0, false);
            observe(cost, 1e6, 12, units -> units * Math.exp(noise * random.nextGaussian()));
            assertTrue(cost.startNanos() == 0, "job " + job + ": " + cost.startNanos());
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.3, 1.7, 2, 3, 4, 10})
    void aDeviceThatSlowsDownWithinAChunkHasNoStart(double factor) {
        for (double part = 0; part <= 1; part += 0.01) {
            ChunkCost cost = fresh(0, false);
            observe(cost, 1e6, 4, units -> units);
            double straddling = part + (1 - part) * factor;
            observe(cost, 129_600, 1, units -> straddling * units);
            for (double next = 77_760, size = next; size > 1000; size *= 0.5) {
                cost.observe((long) size, factor * size, LAUNCH);
            }
            assertEquals(0, cost.startNanos(), "slower from " + part + " of a chunk on");
        }
    }

    @Test
    void unitsThatGetDearerAreNoStart() {
        ChunkCost cost = fresh(0, false);
        double at = 0;
        for (double size = 0.4;
                size > 0.001;
                size *= 0.6) { // twice the mean at the end of the range, nothing at its start
            double to = at + size;
            cost.observe(Math.round(1e6 * size), 1e6 * (to * to - at * at), LAUNCH);
            at = to;
        }
        assertEquals(0, cost.startNanos());
    }

    @Test
    void largeChunksDoNotRefuteAStartAndSmallOnesDo() {
        ChunkCost cost = fresh(5000, false);
        observe(cost, 1e6, 4, units -> units);
        assertEquals(5000, cost.startNanos());
        observe(cost, 20_000, 6, units -> units);
        assertTrue(cost.startNanos() < 2500, "start " + cost.startNanos());
    }

    @Test
    void aTestReckonsWithNoStartUntilOneIsSeen() {
        ChunkCost cost = fresh(5000, true);
        assertEquals(LAUNCH, cost.chunkNanos());
        observe(cost, 1e6, 2, units -> units);
        assertEquals(LAUNCH, cost.chunkNanos());
        assertEquals(5000, cost.startNanos(), "what was known is not forgotten for want of proof");
        observe(cost, 1000, 4, units -> 5000);
        assertEquals(LAUNCH + cost.startNanos(), cost.chunkNanos());
        assertTrue(cost.startNanos() > 3000, "start " + cost.startNanos());
    }
}
