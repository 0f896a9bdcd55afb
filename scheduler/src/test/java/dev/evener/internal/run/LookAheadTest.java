package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.model.LaneEstimate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much of a chunk's time is kept in reserve for enqueuing the next. */
class LookAheadTest {
    private static final double PREDICTED = 10_000_000;

    private final LookAhead lookAhead = new LookAhead();

    @BeforeEach
    void phaseTwo() {
        lookAhead.restart(2);
    }

    /** Before its end, by what is kept in reserve; from the end of the one that it followed on the device, where that is known. */
    @Test
    void aChunkIsFollowedUpBeforeItsExpectedEndByTheReserve() {
        LaneEstimate estimate = new LaneEstimate();
        estimate.expect(new LaneEstimate.Prior(1000, 0, 1, Math.log(100), 1, Double.POSITIVE_INFINITY, 0.01, 0, true));
        ChunkInFlight chunk = new ChunkInFlight();
        chunk.work = 100_000;
        chunk.since = 5_000;
        double expected = 100_000 * estimate.nanosPerUnit() + estimate.fixedNanos();
        double wait = expected - lookAhead.reserveNanos(expected);
        assertTrue(wait > expected / 2 && wait < 0.8 * expected, () -> wait + " of " + expected);
        assertEquals(5_000 + wait, lookAhead.due(chunk, estimate, 9_000), 1);
        assertEquals(expected, chunk.expected, 1);
        chunk.followed = true;
        assertEquals(9_000 + wait, lookAhead.due(chunk, estimate, 9_000), 1);
        assertEquals(5_000 + wait, lookAhead.due(chunk, estimate, 0), 1);
    }

    @Test
    void anUntriedPredictionIsTrustedByThreeQuarters() {
        assertEquals(PREDICTED / 4 + 100_000, lookAhead.reserveNanos(PREDICTED), 1);
    }

    @Test
    void goodPredictionsLeaveLittleReserve() {
        for (int i = 0; i < 40; i++) {
            lookAhead.compare(2, PREDICTED, PREDICTED);
            lookAhead.prepared(0, 30_000);
        }
        double reserve = lookAhead.reserveNanos(PREDICTED);
        assertTrue(reserve > 30_000 && reserve < 40_000, () -> "reserve of " + reserve);
    }

    @Test
    void badPredictionsLeaveTheNextChunkTakenAtOnce() {
        for (int i = 0; i < 2; i++) {
            lookAhead.compare(2, PREDICTED, PREDICTED / 10);
        }
        assertTrue(lookAhead.reserveNanos(PREDICTED) > PREDICTED);
        lookAhead.restart(2);
        assertEquals(PREDICTED / 4 + 100_000, lookAhead.reserveNanos(PREDICTED), 1);
    }

    @Test
    void chunksOfEarlierPhasesAndThoseOfUnknownCostTellNothing() {
        lookAhead.compare(1, PREDICTED, 10 * PREDICTED);
        lookAhead.compare(2, 0, PREDICTED);
        assertEquals(PREDICTED / 4 + 100_000, lookAhead.reserveNanos(PREDICTED), 1);
    }

    @Test
    void whatWasRefusedInOnePhaseIsTriedInTheNext() {
        lookAhead.refusals = 2;
        assertFalse(lookAhead.pays());
        lookAhead.restart(3);
        assertTrue(lookAhead.pays());
    }

    @Test
    void oneDisturbedChunkDoesNotUndoAllTrust() {
        for (int i = 0; i < 40; i++) {
            lookAhead.compare(2, PREDICTED, PREDICTED);
        }
        lookAhead.compare(2, PREDICTED, 1000 * PREDICTED);
        for (int i = 0; i < 6; i++) {
            lookAhead.compare(2, PREDICTED, PREDICTED);
        }
        assertTrue(lookAhead.reserveNanos(PREDICTED) < PREDICTED / 2);
    }

    @Test
    void whatEnqueuingTakesIsKeptInReserveWithItsScatter() {
        for (int i = 0; i < 100; i++) {
            lookAhead.compare(2, PREDICTED, PREDICTED);
            lookAhead.prepared(0, i % 2 == 0 ? 20_000 : 60_000);
        }
        double reserve = lookAhead.reserveNanos(PREDICTED);
        assertTrue(reserve > 60_000 && reserve < 160_000, () -> "reserve of " + reserve);
    }
}
