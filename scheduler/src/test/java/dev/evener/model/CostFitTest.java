package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is fixed in a chunk's time, and what a unit takes, from chunks of all sizes. */
class CostFitTest {
    private static final double NOISE = 0.01;
    private static final double FIXED = 500_000;

    private static final double PER_UNIT = 2.5;

    private static CostFit expecting(double fixed, double perUnit) {
        CostFit fit = new CostFit();
        fit.expect(Math.log(fixed), LaneModel.START_VARIANCE, Math.log(perUnit), LaneModel.UNKNOWN);
        return fit;
    }

    private static void observe(CostFit fit, double units, double nanos, double job) {
        fit.observe(Math.log(units), Math.log(nanos), NOISE, job);
    }

    private static void observe(CostFit fit, double units, double job) {
        observe(fit, units, FIXED + units * PER_UNIT, job);
    }

    private static double line(CostFit fit, double units) {
        return Math.exp(fit.logFixed()) + units * Math.exp(fit.logPerUnit());
    }

    private static void assertAbout(double expected, double actual, double part) {
        assertEquals(expected, actual, part * expected);
    }

    // ---- what is fixed, and what is not ----

    @Test
    void beforeAnythingWasSeenItExpectsWhatItWasTold() {
        CostFit fit = expecting(20_000, 3);
        assertTrue(fit.isEmpty());
        assertAbout(20_000, Math.exp(fit.logFixed()), 1e-9);
        assertAbout(3, Math.exp(fit.logPerUnit()), 1e-9);
        assertAbout(LaneModel.START_VARIANCE, fit.varianceOfFixed(), 1e-9);
        assertAbout(LaneModel.UNKNOWN, fit.varianceOfPerUnit(), 1e-9);
        assertEquals(0, fit.offLine(5, 1));
    }

    /** Of more sizes than it keeps, the one that was seen longest ago is forgotten, and not what was learnt last. */
    @Test
    void theSizeThatWasSeenLongestAgoIsForgotten() {
        CostFit fit = expecting(FIXED, PER_UNIT);
        int sizes = 0;
        for (; sizes < 2 || fit.knows(Math.log(100)); sizes++) {
            assertTrue(sizes < 100, "all are kept");
            observe(fit, 100 * Math.pow(2, sizes), sizes);
        }
        for (int i = 1; i < sizes; i++) {
            assertTrue(fit.knows(Math.log(100 * Math.pow(2, i))), "size " + i + " of " + sizes);
        }
    }

    @Test
    void chunksOfTwoSizesTellBoth() {
        for (double wrong : new double[] {0.03, 1, 30}) {
            CostFit oneJob = expecting(FIXED * wrong, PER_UNIT / wrong);
            CostFit jobs = expecting(FIXED * wrong, PER_UNIT * wrong);
            for (int i = 0; i < 10; i++) {
                observe(oneJob, 20_000, i);
                observe(oneJob, 2_000_000, i);
                observe(jobs, i < 5 ? 20_000 : 2_000_000, i); // never beside each other
            }
            for (CostFit fit : new CostFit[] {oneJob, jobs}) {
                assertFalse(fit.isEmpty());
                assertAbout(FIXED, Math.exp(fit.logFixed()), 0.1);
                assertAbout(PER_UNIT, Math.exp(fit.logPerUnit()), 0.1);
                assertTrue(fit.varianceOfFixed() < 0.05, "fixed " + fit.varianceOfFixed());
                assertTrue(fit.varianceOfPerUnit() < 0.05, "a unit " + fit.varianceOfPerUnit());
            }
        }
    }

    @Test
    void scatterIsAveragedOverManySizes() {
        Random random = new Random(3);
        CostFit fit = expecting(20_000, 50);
        for (int i = 0; i < 400; i++) {
            double units = 20_000 * Math.exp(5 * random.nextDouble());
            observe(fit, units, (FIXED + units * PER_UNIT) * Math.exp(0.1 * random.nextGaussian()), i);
        }
        assertAbout(FIXED, Math.exp(fit.logFixed()), 0.15);
        assertAbout(PER_UNIT, Math.exp(fit.logPerUnit()), 0.15);
    }

    @Test
    void oneSizeTellsTheirSumAndTheRestIsBelief() {
        double units = 2000;
        double nanos = FIXED + units * PER_UNIT;
        CostFit mostlyUnits = expecting(20_000, nanos / units);
        CostFit mostlyFixed = expecting(nanos, PER_UNIT);
        for (int i = 0; i < 50; i++) {
            observe(mostlyUnits, units, i);
            observe(mostlyFixed, units, i);
        }
        assertAbout(nanos, line(mostlyUnits, units), 0.05);
        assertAbout(nanos, line(mostlyFixed, units), 0.05);
        assertAbout(20_000, Math.exp(mostlyUnits.logFixed()), 0.5);
        assertAbout(PER_UNIT, Math.exp(mostlyFixed.logPerUnit()), 0.5);
        // However often that was seen, nobody knows which it is.
        assertTrue(mostlyUnits.varianceOfPerUnit() > 1, "all may be fixed: " + mostlyUnits.varianceOfPerUnit());
        assertTrue(mostlyFixed.varianceOfPerUnit() > 1, "all may be fixed: " + mostlyFixed.varianceOfPerUnit());
        assertTrue(mostlyUnits.varianceOfFixed() > 1, "a tenth may be, or all: " + mostlyUnits.varianceOfFixed());
        // What such a chunk takes is known all the same.
        assertTrue(mostlyUnits.variance(Math.log(units), 50) < 0.01);
        assertTrue(mostlyUnits.variance(Math.log(100 * units), 50) > mostlyFixed.variance(Math.log(units), 50));
    }

    @Test
    void whatIsFixedIsNoMoreThanTheShortestChunk() {
        CostFit fit = expecting(20_000, 1);
        observe(fit, 100_000, 100_000, 0);
        double most = fit.logFixed() + 2 * Math.sqrt(fit.varianceOfFixed());
        assertTrue(most < Math.log(100_000 * 2), "it may be " + Math.exp(most));
    }

    @Test
    void largeJobsCorrectWhatSmallOnesLeftOpen() {
        CostFit fit = expecting(20_000, 50);
        for (int i = 0; i < 100; i++) {
            observe(fit, 2000, i);
        }
        assertAbout(20_000, Math.exp(fit.logFixed()), 0.9); // all of it is put down to units, mostly
        observe(fit, 200_000, 100);
        observe(fit, 200_000, 101);
        assertAbout(FIXED + 200_000 * PER_UNIT, line(fit, 200_000), 0.2);
        assertAbout(FIXED + 2000 * PER_UNIT, line(fit, 2000), 0.2);
    }

    /** A size that lies off the line, as caches and waves do it, is expected to go on so; others are not. */
    @Test
    void whatIsOffTheLineIsSoForItsSizeOnly() {
        CostFit fit = expecting(100_000, 2.5);
        for (int i = 0; i < 30; i++) {
            observe(fit, 1000, 100_000, i);
            observe(fit, 100_000, 400_000, i);
            observe(fit, 10_000_000, 20_000_000, i);
        }
        for (double units : new double[] {1000, 100_000, 10_000_000}) {
            double seen = units == 1000 ? 100_000 : units == 100_000 ? 400_000 : 20_000_000;
            double x = Math.log(units);
            assertAbout(seen, line(fit, units) * Math.exp(fit.offLine(x, 30)), 0.1);
            assertEquals(0, fit.offLine(x + 2, 30), 1e-12);
        }
    }

    @Test
    void ofTooManySizesTheOneThatWasSeenLongestAgoIsForgotten() {
        CostFit fit = expecting(FIXED, PER_UNIT);
        for (int i = 0; i < 40; i++) {
            observe(fit, Math.pow(2, i), i);
        }
        assertTrue(fit.state().length < 60, "numbers " + fit.state().length);
        assertAbout(PER_UNIT, Math.exp(fit.logPerUnit()), 0.1);
    }

    // ---- surprises ----

    private static CostFit sure() {
        CostFit fit = expecting(20_000, 5);
        for (int i = 0; i < 20; i++) {
            observe(fit, 1_000_000, 5_000_000, i);
        }
        return fit;
    }

    @Test
    void aSurpriseIsHalfBelievedAndTheNextDecides() {
        for (double factor : new double[] {4, 0.25}) {
            CostFit disturbed = sure();
            observe(disturbed, 1_000_000, 5_000_000 * factor, 20);
            double half = Math.log(line(disturbed, 1_000_000) / 5_000_000) / Math.log(factor);
            assertEquals(0.5, half, 0.1);
            assertTrue(disturbed.variance(Math.log(1_000_000), 20) > 0.1, "nobody knows");
            CostFit changed = copy(disturbed);
            observe(disturbed, 1_000_000, 5_000_000, 21);
            assertAbout(5_000_000, line(disturbed, 1_000_000), 0.1);
            observe(changed, 1_000_000, 5_000_000 * factor, 21);
            assertAbout(5_000_000 * factor, line(changed, 1_000_000), 0.1);
        }
    }

    /** As scatter is none. */
    @Test
    void whatIsOffByLittleMovesLittle() {
        CostFit fit = sure();
        observe(fit, 1_000_000, 5_500_000, 20);
        assertAbout(5_100_000, line(fit, 1_000_000), 0.03);
    }

    @Test
    void aSurpriseMakesOtherSizesDoubtful() {
        CostFit fit = expecting(20_000, 5);
        for (int i = 0; i < 20; i++) {
            observe(fit, 1_000_000, 5_000_000, i);
            observe(fit, 10_000, 70_000, i);
        }
        double before = fit.variance(Math.log(1_000_000), 20);
        observe(fit, 10_000, 700_000, 20);
        observe(fit, 10_000, 700_000, 21);
        assertTrue(fit.variance(Math.log(1_000_000), 22) > before, "the large ones may have changed too");
    }

    /** A device that is slowed gets smaller chunks: they may not look like a cost that is fixed. */
    @Test
    void smallerChunksThatTakeLongerAreAChange() {
        CostFit fit = expecting(20_000, 5);
        for (int i = 0; i < 20; i++) {
            observe(fit, 250_000, 1_270_000, i);
            observe(fit, 170_000, 870_000, i);
        }
        for (int i = 20; i < 23; i++) {
            observe(fit, 80_000, 80_000 * 20 + 20_000, i);
        }
        assertAbout(20, Math.exp(fit.logPerUnit()), 0.1);
        for (int i = 23; i < 26; i++) {
            observe(fit, 170_000, 870_000, i);
        }
        assertAbout(5, Math.exp(fit.logPerUnit()), 0.1);
    }

    @Test
    void evidenceAges() {
        CostFit fit = sure();
        double x = Math.log(1_000_000);
        assertTrue(fit.variance(x, 500) > fit.variance(x, 20) + 0.2);
        assertEquals(0, fit.age(19));
        assertAbout(LaneModel.FADE * 481, fit.age(500), 1e-9);
    }

    @Test
    void aShiftIsAFactorOfAllTimes() {
        CostFit fit = expecting(20_000, 50);
        for (int i = 0; i < 10; i++) {
            observe(fit, 20_000, i);
            observe(fit, 2_000_000, i);
        }
        CostFit shifted = copy(fit);
        shifted.shift(Math.log(1.5));
        for (double units : new double[] {1, 20_000, 2_000_000}) {
            assertAbout(1.5 * line(fit, units), line(shifted, units), 1e-6);
            double off = fit.offLine(Math.log(units), 10);
            assertEquals(off, shifted.offLine(Math.log(units), 10), 1e-9);
        }
        observe(shifted, 20_000, 1.5 * (FIXED + 20_000 * PER_UNIT), 11);
        assertAbout(1.5 * FIXED, Math.exp(shifted.logFixed()), 0.1);
    }

    // ---- its state ----

    @Test
    void itGoesOnFromItsState() {
        CostFit fit = expecting(20_000, 50);
        for (int i = 0; i < 10; i++) {
            observe(fit, 1000 << i % 4, i);
        }
        CostFit other = new CostFit();
        other.restore(fit.state());
        assertSame(fit, other);
        for (int i = 10; i < 30; i++) {
            observe(fit, 1000 << i % 7, 1.1 * FIXED, i);
            observe(other, 1000 << i % 7, 1.1 * FIXED, i);
        }
        assertSame(fit, other);
        CostFit copy = copy(fit);
        double before = copy.logFixed();
        observe(fit, 1, 1, 31);
        assertEquals(before, copy.logFixed(), 1e-12);
    }

    private static void assertSame(CostFit a, CostFit b) {
        assertArrayEquals(a.state(), b.state(), 2e-3);
        assertEquals(a.logFixed(), b.logFixed(), 2e-3);
        assertEquals(a.logPerUnit(), b.logPerUnit(), 2e-3);
        assertAbout(a.varianceOfFixed(), b.varianceOfFixed(), 1e-2);
        assertAbout(a.varianceOfPerUnit(), b.varianceOfPerUnit(), 1e-2);
    }

    @Test
    void aStateThatIsTooShortIsRefused() {
        for (int length = 0; length < 6; length++) {
            double[] state = new double[length];
            assertThrows(IllegalArgumentException.class, () -> new CostFit().restore(state));
        }
    }

    // ---- whatever comes ----

    private static double wild(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> 1;
            case 1 -> 1e15 * random.nextDouble();
            case 2 -> 1 + random.nextInt(3);
            case 3 -> Math.exp(40 * random.nextDouble());
            default -> 1e6 * Math.exp(0.3 * random.nextGaussian());
        };
    }

    private static void assertSound(CostFit fit, Random random, double now, String what) {
        assertTrue(Double.isFinite(fit.logFixed()) && Double.isFinite(fit.logPerUnit()), what);
        assertTrue(fit.varianceOfFixed() >= 0 && Double.isFinite(fit.varianceOfFixed()), what);
        assertTrue(fit.varianceOfPerUnit() >= 0 && Double.isFinite(fit.varianceOfPerUnit()), what);
        for (double x : new double[] {0, 14, 45, Math.log(wild(random))}) {
            double variance = fit.variance(x, now);
            assertTrue(variance >= 0 && Double.isFinite(variance), what + ": variance " + variance);
            assertTrue(Double.isFinite(fit.offLine(x, now)), what + ": off " + fit.offLine(x, now));
        }
        for (double each : fit.state()) {
            assertTrue(Double.isFinite(each), what);
        }
    }

    @Test
    void nothingThatIsObservedMakesItUnsound() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            CostFit fit = expecting(wild(random), Math.exp(60 * random.nextDouble() - 30));
            for (int i = 0; i < 100; i++) {
                double noise = Math.exp(-12 * random.nextDouble());
                fit.observe(Math.log(wild(random)), Math.log(wild(random)), noise, i);
                if (random.nextInt(10) == 0) {
                    fit.shift(4 * random.nextDouble() - 2);
                }
                assertSound(fit, random, i + random.nextInt(1000), "seed " + seed + ", " + i);
            }
        }
    }

    @Test
    void noStateMakesItUnsound() {
        double[] extremes = {0, -1, 1, 1e-320, 30, -1e99, 1e100, 1e15, -1e-100};
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            CostFit fit = sure();
            observe(fit, 1000, 20);
            double[] state = fit.state();
            for (int i = 0; i < state.length; i++) {
                if (random.nextInt(3) == 0) {
                    state[i] = extremes[random.nextInt(extremes.length)];
                }
            }
            CostFit read = new CostFit();
            read.restore(state);
            for (int i = 0; i < 20; i++) {
                assertSound(read, random, i, "seed " + seed + ", " + i);
                observe(read, wild(random), wild(random), 20 + i);
            }
        }
    }

    private static CostFit copy(CostFit fit) {
        CostFit copy = new CostFit();
        copy.restore(fit.state());
        return copy;
    }
}
