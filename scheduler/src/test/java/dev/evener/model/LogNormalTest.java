package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two chunks of different sizes say of what a chunk takes whatever its size. */
class LogNormalTest {
    private static LogNormal belief(double value, double variance) {
        LogNormal belief = new LogNormal();
        belief.set(Math.log(value), variance);
        return belief;
    }

    private static void chunks(LogNormal belief, double start, double noise) {
        belief.observeLine(start + 100, start + 1000, 0.1, noise, noise);
    }

    @ParameterizedTest
    @ValueSource(doubles = {300, 5_000, 100_000, 80_000_000})
    void aValueFarFromWhatWasBelievedIsFound(double start) {
        LogNormal belief = belief(5_000, 16);
        for (int i = 0; i < 6; i++) {
            chunks(belief, start, 0.0004);
        }
        assertEquals(start, Math.exp(belief.mean), 0.1 * start);
        assertTrue(belief.variance < 0.1);
    }

    @Test
    void whatIsLostInNoiseSaysNothing() {
        LogNormal belief = belief(5_000, 0.25);
        belief.observe(1e6, 1e8);
        assertEquals(Math.log(5_000), belief.mean, 0.01);
        assertEquals(0.25, belief.variance, 0.01);
    }

    @Test
    void whatContradictsSomethingKnownWellIsADisturbance() {
        LogNormal belief = belief(5_000, 0.01);
        chunks(belief, 3e6, 0.0004);
        assertEquals(5_000, Math.exp(belief.mean), 500);
    }

    @Test
    void aSmallChunkThatTakesLongerShowsThatTheDeviceHasBecomeSlower() {
        LogNormal belief = belief(5_000, 16);
        belief.observeLine(4e6, 1e6, 0.3, 0.0004, 0.0004);
        assertEquals(Math.log(5_000), belief.mean);
        assertEquals(16, belief.variance);
    }

    @Test
    void timesThatMeetBelowZeroShowThatItIsLittle() {
        LogNormal belief = belief(5_000, 16);
        belief.observeLine(10_000, 1_000_000, 0.02, 0.0004, 0.0004);
        assertTrue(Math.exp(belief.mean) < 1000, "it is " + Math.exp(belief.mean));
        assertTrue(belief.variance > 1, "how little is not known");
    }
}
