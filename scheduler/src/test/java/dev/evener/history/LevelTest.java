package dev.evener.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** One damped estimate: steady under noise, quick when something really changes. */
class LevelTest {
    private long job;

    @Test
    void theFirstObservationIsTheEstimate() {
        Level level = new Level(false);
        see(level, 100, 1000);
        assertEquals(1000, level.nanos(), 1e-6);
        assertEquals(2000, level.nanos(200), 1e-6);
        assertEquals(0, level.spread());
        assertEquals(1, level.samples());
    }

    @Test
    void theFirstRunsStartUpCostsAreForgotten() {
        Level level = new Level(false);
        see(level, 1000, 50_000_000);
        see(level, 1000, 5000);
        assertEquals(5000, level.nanos(), 1e-6);
    }

    @Test
    void whatOtherSizesLetExpectOutweighsAFirstObservation() {
        Level level = new Level(false);
        level.seed(1000, 5000);
        see(level, 1000, 50_000_000);
        assertEquals(6000, level.nanos(), 1);
        see(level, 1000, 5000);
        assertTrue(level.nanos() < 5600, "nanos " + level.nanos());
        see(level, 1000, 5000);
        assertTrue(level.nanos() < 5400, "nanos " + level.nanos());
    }

    @Test
    void aMeasuredTimeOfNothingIsStillATime() {
        Level level = new Level(false);
        for (int i = 0; i < 10; i++) {
            see(level, 100, 0);
        }
        assertTrue(level.nanos() >= 1);
    }

    @Test
    void noiseIsAveraged() {
        Random random = new Random(1);
        for (double noise : new double[] {0.03, 0.1, 0.3}) {
            Level level = new Level(false);
            double least = Double.MAX_VALUE;
            double most = 0;
            for (int i = 0; i < 2000; i++) {
                see(level, 1000, 5000 * Math.exp(noise * random.nextGaussian()));
                if (i >= 100) {
                    least = Math.min(least, level.nanos());
                    most = Math.max(most, level.nanos());
                }
            }
            assertTrue(most / least < 1 + 2 * noise, "noise " + noise + ": from " + least + " to " + most);
            assertEquals(noise, level.spread(), 0.4 * noise);
        }
    }

    @Test
    void aSingleOutlierMovesTheEstimateLittle() {
        for (double factor : new double[] {0.01, 0.25, 4, 1000}) {
            Level level = settled(5000);
            see(level, 1000, 5000 * factor);
            assertEquals(5000, level.nanos(), 0.05 * 5000, "factor " + factor);
            for (int i = 0; i < 10; i++) {
                see(level, 1000, 5000);
            }
            assertEquals(5000, level.nanos(), 0.02 * 5000, "factor " + factor);
        }
    }

    @Test
    void outliersToBothSidesAreNotALastingChange() {
        Level level = settled(5000);
        double shifts = 0;
        for (int i = 0; i < 20; i++) {
            shifts += Math.abs(see(level, 1000, i % 2 == 0 ? 20_000 : 1250));
        }
        assertEquals(0, shifts);
        assertEquals(5000, level.nanos(), 0.1 * 5000);
    }

    @Test
    void aLargeLastingChangeIsSeenInTwoJobsAndLearntByHalves() {
        for (double factor : new double[] {0.25, 0.5, 2, 4}) {
            Level level = settled(5000);
            assertEquals(0, see(level, 1000, 5000 * factor));
            double shift = see(level, 1000, 5000 * factor);
            assertEquals(Math.log(factor), shift, 0.06, "the change is reported");
            assertEquals(5000 * Math.sqrt(factor), level.nanos(), 0.06 * 5000 * factor, "factor " + factor);
            for (int i = 0; i < 6; i++) {
                see(level, 1000, 5000 * factor);
            }
            assertEquals(5000 * factor, level.nanos(), 0.1 * 5000 * factor, "factor " + factor);
        }
    }

    @Test
    void aSmallerLastingChangeIsLearntFromThree() {
        Level level = settled(5000);
        assertEquals(0, see(level, 1000, 6500));
        assertEquals(0, see(level, 1000, 6500));
        assertEquals(Math.log(1.3), see(level, 1000, 6500), 0.03);
        assertEquals(Math.sqrt(5000.0 * 6500), level.nanos(), 0.05 * 6500, "half of it");
    }

    @Test
    void aSlowDriftIsFollowed() {
        Level level = settled(5000);
        double now = 5000;
        for (int i = 0; i < 60; i++) {
            now *= 1.02;
            see(level, 1000, now);
        }
        assertEquals(now, level.nanos(), 0.06 * now);
    }

    @Test
    void aSmallChangeIsFoundByGrowingSteps() {
        Level level = settled(5000);
        for (int i = 0; i < 12; i++) {
            see(level, 1000, 5500);
        }
        assertEquals(5500, level.nanos(), 0.02 * 5500);
    }

    @Test
    void afterALongTimeOneObservationIsNewsAndAnotherConfirmsIt() {
        Level level = settled(5000);
        job += 100;
        assertEquals(0, see(level, 1000, 2500), "nothing is said of others yet");
        assertEquals(2500, level.nanos(), 50);
        assertEquals(1, level.samples());
        assertEquals(Math.log(0.5), see(level, 1000, 2500), 0.02);
        assertEquals(2, level.samples());
    }

    @Test
    void afterALongTimeAnOutlierIsTakenBack() {
        Level level = settled(5000);
        job += 100;
        see(level, 1000, 20_000);
        assertEquals(0, see(level, 1000, 5000));
        assertEquals(5000, level.nanos(), 50);
    }

    @Test
    void afterALongTimeASmallChangeCountsHalf() {
        Level level = settled(5000);
        job += 100;
        see(level, 1000, 5900);
        assertEquals(5430, level.nanos(), 50);
    }

    @Test
    void afterALongTimeTheUsualIsNoNewsButCountsAsFew() {
        Level level = settled(5000);
        job += 100;
        assertEquals(0, see(level, 1000, 5300));
        assertEquals(2, level.samples());
    }

    @Test
    void aDoubtedLevelFollowsTheNextObservation() {
        Level level = settled(5000);
        level.doubt(Math.log(4));
        assertEquals(20_000, level.nanos(), 100);
        assertEquals(1, level.samples());
        see(level, 1000, 5000);
        assertEquals(5000, level.nanos(), 1);
    }

    @Test
    void timesThatHangOnSizeLessThanInProportionAreFitted() {
        Random random = new Random(2);
        Level level = new Level(true);
        for (int i = 0; i < 300; i++) {
            double units = 1000 + random.nextInt(1000);
            see(level, units, (50_000 + units) * Math.exp(0.02 * random.nextGaussian()));
        }
        assertEquals(51_000, level.nanos(1000), 0.05 * 51_000);
        assertEquals(52_000, level.nanos(2000), 0.05 * 52_000);
        Level proportional = new Level(true);
        for (int i = 0; i < 300; i++) {
            double units = 1000 + random.nextInt(1000);
            see(proportional, units, 7 * units * Math.exp(0.02 * random.nextGaussian()));
        }
        assertEquals(7000, proportional.nanos(1000), 0.05 * 7000);
        assertEquals(14_000, proportional.nanos(2000), 0.05 * 14_000);
    }

    @Test
    void whateverIsSeenTheEstimateIsANumber() {
        Random random = new Random(3);
        double[] odd = {0, Double.MIN_VALUE, 1e300, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN};
        for (int round = 0; round < 500; round++) {
            Level level = new Level(round % 2 == 0);
            for (int i = 0; i < 60; i++) {
                double units = 1 + random.nextInt(1 << random.nextInt(30));
                double nanos = i % 7 == 0 ? odd[random.nextInt(odd.length)] : random.nextInt(1 << random.nextInt(30));
                job += random.nextInt(30);
                double shift = level.observe(units, nanos, job, (1 + random.nextInt(4)) / 4.0);
                assertTrue(Double.isFinite(shift));
                assertTrue(level.nanos() >= 1 && level.nanos() < 1e60, () -> "nanos " + level.nanos());
                assertTrue(level.nanos(units) > 0 && Double.isFinite(level.nanos(units)));
                assertTrue(Double.isFinite(level.spread()) && level.spread() <= 1);
            }
        }
    }

    /** Half the units of a part that has grown cost three times as much: the jobs of the new plan count once together. */
    @Test
    void aPartThatMovedIsNoNewsOfTheDevice() {
        Level level = settled(5000);
        level.observe(1000, 5000, job++, 0.5);
        double before = level.nanos(1000);
        assertEquals(0, level.observe(1500, 15_000, job++, 0.75), "as if the device had changed");
        double once = level.nanos(1000);
        assertTrue(once > 1.005 * before && once < 1.5 * before, before + ", then " + once);
        for (int i = 0; i < 3; i++) {
            assertEquals(0, level.observe(1500, 15_000, job++, 0.75));
            assertEquals(once, level.nanos(1000), 1e-6 * once);
        }
        // Later jobs with that part are news again: the device has become slower.
        double shift = 0;
        for (int i = 0; i < 4; i++) {
            shift += level.observe(1500, 15_000, job++, 0.75);
        }
        assertTrue(shift > 0 && level.nanos(1000) > 1.3 * once, shift + ", " + level.nanos(1000));
    }

    @Test
    void aSavedStateGoesOnWhereItWas() {
        Level level = settled(5000);
        see(level, 1500, 9000);
        level.observeOverhead(123);
        Level restored = new Level(false, level.state());
        assertEquals(level.nanos(), restored.nanos(), 1e-6);
        assertEquals(level.units(), restored.units(), 1e-6);
        assertEquals(level.spread(), restored.spread(), 1e-9);
        assertEquals(level.overheadNanos(), restored.overheadNanos());
        see(level, 1300, 7000);
        restored.observe(1300, 7000, job);
        assertEquals(level.nanos(), restored.nanos(), 0.01 * level.nanos());
        assertEquals(level.samples(), restored.samples());
    }

    private double see(Level level, double units, double nanos) {
        return level.observe(units, nanos, job++);
    }

    private Level settled(double nanos) {
        Level level = new Level(false);
        Random random = new Random(4);
        for (int i = 0; i < 40; i++) {
            see(level, 1000, nanos * Math.exp(0.02 * random.nextGaussian()));
        }
        return level;
    }
}
