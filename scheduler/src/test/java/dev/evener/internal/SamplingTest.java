package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceProbe.Figure;
import org.junit.jupiter.api.Test;

/** What is made of measured values, and over which sizes they are taken. */
class SamplingTest {
    @Test
    void medianAndSpreadHardlySeeOutliers() {
        assertEquals(new Figure(10, 0.1, 5), Sampling.figure(new double[] {10, 11, 9, 1000, 9}));
        assertEquals(new Figure(3, 0.5, 4), Sampling.figure(new double[] {1, 2, 4, 100}));
        assertEquals(new Figure(7, 0, 1), Sampling.figure(new double[] {7}));
    }

    @Test
    void aRateIsOfTheBytesOfEachRun() {
        int[] runs = new int[1];
        Figure rate = Sampling.bytesPerSecond(64, () -> {
            runs[0]++;
            return 4;
        });
        assertEquals(16e9, rate.median());
        assertTrue(rate.samples() >= 3 && rate.samples() < runs[0], "the first few are not counted");
    }

    @Test
    void whatTakesNoTimeAtAllIsTakenForANanosecond() {
        assertEquals(1, Sampling.nanos(() -> 0).median());
    }
}
