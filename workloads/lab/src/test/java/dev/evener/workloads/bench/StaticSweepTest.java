package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.workloads.bench.Result.Timed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for the best static split, on devices that are formulas. */
class StaticSweepTest {
    private final List<List<Double>> measured = new ArrayList<>();

    /** The time of a job whose devices have these speeds, in jobs per second, and take so long to launch. */
    private static ToDoubleFunction<List<Double>> devices(double[] speeds, double[] launch) {
        return split -> {
            double longest = 0;
            for (int i = 0; i < speeds.length; i++) {
                double share = split.get(i);
                longest = Math.max(longest, share == 0 ? 0 : launch[i] + share / speeds[i]);
            }
            return longest;
        };
    }

    private StaticSweep sweep(int lanes, int steps, ToDoubleFunction<List<Double>> time) {
        return new StaticSweep(lanes, steps, splits -> {
            measured.addAll(splits);
            return splits.stream()
                    .map(s -> new Timed(s, s, time.applyAsDouble(s), 1))
                    .toList();
        });
    }

    @Test
    void oneDeviceNeedsNoSweep() {
        assertEquals(List.of(1.0), sweep(1, 17, s -> 1).search());
        assertEquals(List.of(), measured);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.2, 0.5, 0.731, 0.998})
    void twoDevicesAreFound(double best) {
        // No launch cost: the optimum is where the speeds say, off the grid.
        for (int steps : new int[] {2, 3, 17, 50}) {
            ToDoubleFunction<List<Double>> time = devices(new double[] {best, 1 - best}, new double[2]);
            assertEquals(1, time.applyAsDouble(sweep(2, steps, time).search()), 0.01, steps + " steps");
        }
    }

    /** Where theory, which knows the solo speeds only, is wrong: the two slow each other down. */
    @Test
    void theSweepBeatsTheoryWhereDevicesDisturbEachOther() {
        ToDoubleFunction<List<Double>> time = split -> {
            double a = split.get(0);
            double b = split.get(1);
            return a == 0 || b == 0 ? 1 : Math.max(a * 1.2, b * 1.9);
        };
        List<Double> best = sweep(2, 17, time).search();
        assertEquals(1.9 / 3.1, best.get(0), 1.0 / 256);
    }

    @Test
    void aDeviceThatIsNotWorthItsLaunchIsLeftOut() {
        ToDoubleFunction<List<Double>> time = devices(new double[] {1, 1, 1}, new double[] {0.1, 0.1, 5});
        assertEquals(0.0, sweep(3, 17, time).search().get(2));
        ToDoubleFunction<List<Double>> two = devices(new double[] {1, 1}, new double[] {0.1, 5});
        assertEquals(List.of(1.0, 0.0), sweep(2, 17, two).search());
    }

    @Test
    void manyDevicesAreFound() {
        double[] speeds = {1, 7, 0.5, 3};
        double[] launch = {0.001, 0.01, 0.002, 0.005};
        ToDoubleFunction<List<Double>> time = devices(speeds, launch);
        double together = (1 + 0.001 + 0.07 + 0.001 + 0.015) / 11.5; // (1 + sum of launch * speed) / sum of speeds
        assertEquals(together, time.applyAsDouble(sweep(4, 17, time).search()), 0.03 * together);
        for (List<Double> split : measured) {
            assertEquals(1, split.stream().mapToDouble(d -> d).sum(), 1e-9);
            assertTrue(split.stream().allMatch(d -> d >= 0 && d <= 1), split::toString);
        }
    }

    /** Noise decides between neighbours, but must not keep the search going for ever. */
    @Test
    void noiseEndsSomewhereNearTheBest() {
        Random noise = new Random(3);
        for (int lanes : new int[] {2, 3}) {
            double[] speeds = new double[lanes];
            Arrays.setAll(speeds, i -> 1.0 / (i + 1));
            ToDoubleFunction<List<Double>> exact = devices(speeds, new double[lanes]);
            List<Double> found = sweep(
                            lanes, 17, s -> exact.applyAsDouble(s) * (1 + 0.01 * Math.abs(noise.nextGaussian())))
                    .search();
            double ideal = 1 / Arrays.stream(speeds).sum();
            assertEquals(ideal, exact.applyAsDouble(found), 0.05 * ideal);
        }
        assertTrue(measured.size() < 300, () -> measured.size() + " measurements");
    }

    /** A job of one granule: all splits of the grid are one of two cuts. */
    @Test
    void cutsThatAreTheSameAreOne() {
        StaticSweep sweep = new StaticSweep(2, 17, splits -> {
            Set<Double> seen = new HashSet<>();
            return splits.stream()
                    .filter(s -> seen.add((double) Math.round(s.get(0))))
                    .map(s -> new Timed(s, s, s.get(0) < 0.5 ? 2 : 1, 1))
                    .toList();
        });
        assertEquals(1, Math.round(sweep.search().get(0)));
        assertTrue(sweep.tried().size() >= 3);
    }
}
