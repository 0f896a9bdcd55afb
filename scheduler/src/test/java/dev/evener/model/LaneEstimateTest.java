package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.model.LaneEstimate.Prior;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a lane's chunks say of it within a phase. */
class LaneEstimateTest {
    private static final double FIXED = 40_000;
    private static final double PER_UNIT = 10;

    /** As the model has it before it saw the lane launch anything. */
    private static Prior vague(double fixed, double perUnit) {
        return prior(0, fixed, 2, perUnit, 4, 0.002);
    }

    /** As the model has it of a lane that it knows. */
    private static Prior sure() {
        return prior(FIXED / 2, FIXED / 2, 0.04, PER_UNIT, 0.001, 0.001);
    }

    private static Prior prior(
            double launch,
            double fixed,
            double varianceOfFixed,
            double perUnit,
            double varianceOfPerUnit,
            double noise) {
        return new Prior(
                launch,
                Math.log(fixed),
                varianceOfFixed,
                Math.log(perUnit),
                varianceOfPerUnit,
                Double.POSITIVE_INFINITY,
                noise,
                0.01,
                true);
    }

    private static LaneEstimate expecting(Prior prior) {
        LaneEstimate estimate = new LaneEstimate();
        estimate.expect(prior);
        return estimate;
    }

    private static void observe(LaneEstimate estimate, double units, double slower) {
        estimate.observe(units, slower * (FIXED + units * PER_UNIT), 0);
    }

    @Test
    void atFirstNothingIsKnown() {
        LaneEstimate estimate = expecting(Prior.UNKNOWN);
        assertFalse(estimate.known());
        assertEquals(0, estimate.nanosPerUnit());
        assertTrue(estimate.fixedNanos() > 0);
        estimate.observe(1000, 1_000_000, 0);
        assertTrue(estimate.known());
        assertEquals(1000, estimate.nanosPerUnit(), 100);
        assertTrue(estimate.variance() > 1, "all of it may be fixed: " + estimate.variance());
        assertTrue(estimate.leastUnits() > 2000, "more would show: " + estimate.leastUnits());
    }

    /** A chunk that took less than a launch should still tells of work. */
    @Test
    void theFirstChunkIsWorthItsLaunch() {
        LaneEstimate estimate = expecting(Prior.UNKNOWN);
        estimate.observe(10, 100, 0);
        assertEquals(
                100, estimate.fixedNanos() + 10 * estimate.nanosPerUnit(), 30); // seen once, and not what was believed
        assertTrue(estimate.nanosPerUnit() > 0);
        LaneEstimate none = expecting(Prior.UNKNOWN);
        none.observe(10, 0, 0);
        assertTrue(none.nanosPerUnit() > 0);
    }

    @Test
    void chunksOfTwoSizesTellTheFixedCostFromTheUnits() {
        for (double wrong : new double[] {0.1, 10}) {
            LaneEstimate estimate = expecting(vague(FIXED * wrong, PER_UNIT / wrong));
            for (int i = 0; i < 12; i++) {
                estimate.observe(i % 2 == 0 ? 200 : 40_000, FIXED + (i % 2 == 0 ? 200 : 40_000) * PER_UNIT, 0);
            }
            assertEquals(FIXED, estimate.fixedNanos(), 0.25 * FIXED, "from " + wrong);
            assertEquals(PER_UNIT, estimate.nanosPerUnit(), 0.1 * PER_UNIT, "from " + wrong);
            assertTrue(estimate.variance() < 0.01);
        }
    }

    @Test
    void chunksOfOneSizeTellOnlyTheirTime() {
        LaneEstimate estimate = expecting(vague(FIXED / 4, PER_UNIT * 4));
        for (int i = 0; i < 12; i++) {
            observe(estimate, 4000, 1);
        }
        double expected = FIXED + 4000 * PER_UNIT;
        assertEquals(expected, estimate.fixedNanos() + 4000 * estimate.nanosPerUnit(), 0.05 * expected);
    }

    /** A GPU that works in waves takes as long for a few groups as for many; a filter that thinks that little would take for ever. */
    @Test
    void aFewChunksThatTakeAboutAsLongShowTheFixedCost() {
        LaneEstimate estimate = expecting(prior(0, 5_000, 9, 500, 0.1, 0.001));
        double fixed = 1_000_000;
        for (int round = 1; round <= 2; round++) {
            for (double units : new double[] {2000, 1000, 500}) {
                estimate.observe(units, fixed + units, 0);
            }
            assertEquals(fixed, estimate.fixedNanos(), 0.3 / round * fixed);
        }
        assertTrue(estimate.nanosPerUnit() < 100, "a tenth of a chunk at most: " + estimate.nanosPerUnit());
        assertTrue(estimate.variance() > 1, "it may be nothing at all");
    }

    @Test
    void aLaneThatHasBecomeSlowerIsBelievedWithinTwoChunks() {
        for (double slower : new double[] {4, 0.25}) {
            LaneEstimate estimate = expecting(sure());
            for (int i = 0; i < 5; i++) {
                observe(estimate, 50_000, 1);
            }
            assertEquals(PER_UNIT, estimate.nanosPerUnit(), 0.1 * PER_UNIT);
            estimate.observe(50_000, FIXED + 50_000 * PER_UNIT * slower, 0);
            estimate.observe(50_000, FIXED + 50_000 * PER_UNIT * slower, 0);
            assertEquals(0, Math.log(estimate.nanosPerUnit() / (slower * PER_UNIT)), 0.2);
        }
    }

    @Test
    void scatterIsAveraged() {
        Random random = new Random(5);
        LaneEstimate estimate = expecting(prior(FIXED, 1, 0.01, PER_UNIT, 4, 0.04));
        for (int i = 0; i < 40; i++) { // no chunk so far off that it would be a surprise
            observe(estimate, 50_000, Math.exp(0.4 * (random.nextDouble() - 0.5)));
        }
        assertEquals(PER_UNIT, estimate.nanosPerUnit(), 0.15 * PER_UNIT);
        assertTrue(estimate.variance() < 0.04 / 5, "forty chunks say more than one, though they fade");
    }

    @Test
    void aPhaseBeginsWithWhatTheModelKnows() {
        LaneEstimate estimate = expecting(sure());
        assertTrue(estimate.known());
        assertEquals(PER_UNIT, estimate.nanosPerUnit(), 1e-9);
        assertEquals(FIXED, estimate.fixedNanos(), 1);
        observe(estimate, 1000, 3);
        estimate.expect(sure());
        assertEquals(PER_UNIT, estimate.nanosPerUnit(), 1e-9);
        assertEquals(FIXED, estimate.fixedNanos(), 1);
        assertEquals(0.001, estimate.variance(), 1e-9);
        estimate.expect(Prior.UNKNOWN);
        assertFalse(estimate.known());
    }

    @Test
    void aChunkThatIsOverdueSaysSoBeforeItEnds() {
        LaneEstimate estimate = expecting(sure());
        assertEquals(PER_UNIT, estimate.overdue(PER_UNIT, 1000, FIXED), "it is not late");
        assertEquals(5 * PER_UNIT, estimate.overdue(PER_UNIT, 1000, FIXED + 5000 * PER_UNIT), 1e-9);
        assertEquals(FIXED + 1000 * PER_UNIT, estimate.busyNanos(PER_UNIT, 1000, 0), 1e-6);
        assertEquals(1000 * PER_UNIT, estimate.busyNanos(PER_UNIT, 1000, FIXED), 1e-6);
        assertEquals(7000, estimate.busyNanos(PER_UNIT, 1000, FIXED + 1000 * PER_UNIT + 7000), 1e-6, "as long again");
    }
}
