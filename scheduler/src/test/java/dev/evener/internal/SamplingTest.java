package dev.evener.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceProbe.Figure;
import java.util.ArrayList;
import java.util.List;
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
    void sizesGrowFromTheLeastAndNotBeyondTheMost() {
        List<Long> sizes = new ArrayList<>();
        Figure rate = Sampling.bytesPerSecond(16, 64, bytes -> {
            sizes.add(bytes);
            return times -> {};
        });
        assertEquals(16L, sizes.get(0));
        for (int i = 1; i < sizes.size(); i++) {
            assertEquals(2 * sizes.get(i - 1), sizes.get(i));
        }
        assertTrue(sizes.get(sizes.size() - 1) <= 64, sizes::toString);
        assertTrue(rate.median() > 0 && rate.samples() >= 3, rate::toString);
    }

    @Test
    void eachSampleOfALaunchIsOneLaunch() {
        List<Integer> asked = new ArrayList<>();
        Figure nanos = Sampling.nanos(asked::add);
        assertTrue(asked.stream().allMatch(times -> times == 1));
        assertTrue(nanos.samples() < asked.size(), "the first few are not counted");
    }
}
