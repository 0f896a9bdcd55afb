package dev.evener.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Snapshot.Cost;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Predictions for sizes that were not seen. */
class CurveTest {

    @Test
    void octavesBeginAtPowersOfTwo() {
        assertEquals(0, Curve.octave(0));
        assertEquals(0, Curve.octave(1));
        assertEquals(1, Curve.octave(3));
        assertEquals(10, Curve.octave(1024));
        assertEquals(10, Curve.octave(2047));
        assertEquals(62, Curve.octave(Long.MAX_VALUE));
    }

    @Test
    void nothingSeenPredictsNothing() {
        assertEquals(Cost.UNKNOWN, new Curve(false).line(10));
    }

    @Test
    void oneSizePredictsInProportion() {
        Curve curve = curve(1 << 20, 5e6);
        assertEquals(5e6 / 1024, curve.line(10).predict(1024), 1);
        assertEquals(2 * 5e6, curve.line(21).predict(1 << 21), 1);
    }

    @Test
    void twoSizesTellTheLaunchFromTheSlope() {
        Curve curve = curve(1 << 10, 100_000 + 1024, 1 << 20, 100_000 + (1 << 20));
        for (int octave : new int[] {2, 12, 15, 19, 24}) {
            double units = 1L << octave;
            assertEquals(100_000 + units, curve.line(octave).predict(units), 0.02 * (100_000 + units));
        }
        assertEquals(0, curve.line(20).fixedNanos(), "at a size that was seen the line goes through the origin");
    }

    @Test
    void unitsThatGrowDearerWithSizeAreCarriedOver() {
        Curve curve = curve(1 << 10, 1024, 1 << 20, 10.0 * (1 << 20)); // out of the cache
        assertEquals(1024 / 4.0, curve.line(8).predict(256), 1);
        assertEquals(10.0 * (1 << 22), curve.line(22).predict(1 << 22), 1000);
        double between = curve.line(15).nanosPerUnit();
        assertEquals(Math.sqrt(10), between, 0.01);
    }

    @Test
    void theNearestTwoSizesCount() {
        Curve curve = curve(1 << 5, 20_000, 1 << 10, 21_000, 1 << 20, 1e9);
        assertEquals(20_000, curve.line(3).predict(8), 0.3 * 20_000);
        assertTrue(curve.line(21).predict(1 << 21) > 1.9e9);
    }

    @Test
    void predictionsGrowWithTheSizeAndStayNumbers() {
        Random random = new Random(1);
        for (int round = 0; round < 2000; round++) {
            Curve curve = new Curve(random.nextBoolean());
            for (int i = 0; i < 8; i++) {
                long units = 1 + (long) Math.pow(2, random.nextDouble() * 40);
                curve.levelAt(Curve.octave(units), (double) units)
                        .observe((double) units, 1 + 1e9 * random.nextDouble(), i);
            }
            for (int octave = 0; octave < 62; octave++) {
                Cost line = curve.line(octave);
                assertTrue(line.nanosPerUnit() > 0 && Double.isFinite(line.nanosPerUnit()), line::toString);
                assertTrue(line.fixedNanos() >= 0 && Double.isFinite(line.fixedNanos()), line::toString);
            }
        }
    }

    @Test
    void distanceAndNearestCountOctaves() {
        Curve curve = curve(1 << 5, 20_000, 1 << 10, 21_000);
        assertEquals(0, curve.distance(10));
        assertEquals(2, curve.distance(12));
        assertEquals(3, curve.distance(2));
        assertEquals(21_000, curve.nearest(8).nanos(), 1);
        assertEquals(20_000, curve.nearest(7).nanos(), 1);
        assertEquals(Integer.MAX_VALUE, new Curve(false).distance(3));
    }

    private static Curve curve(double... unitsAndNanos) {
        Curve curve = new Curve(false);
        for (int i = 0; i < unitsAndNanos.length; i += 2) {
            int octave = Curve.octave((long) unitsAndNanos[i]);
            Level level = curve.levelAt(octave, unitsAndNanos[i]);
            for (int k = 0; k < 30; k++) {
                level.observe(unitsAndNanos[i], unitsAndNanos[i + 1], k);
            }
        }
        return curve;
    }
}
