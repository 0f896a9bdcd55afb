package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeanRanksTest {
    /** Tables of chi squared, and of Nemenyi's test in Demšar, 2006 (table 5a). */
    @Test
    void criticalFiguresAreThoseOfTables() {
        double[][] tables = {{1, 3.841}, {2, 5.991}, {3, 7.815}, {4, 9.488}, {7, 14.067}, {10, 18.307}};
        for (double[] each : tables) {
            assertEquals(0.05, MeanRanks.chiSquaredTail(each[1], (int) each[0]), 2e-5, "of " + each[0]);
        }
        assertEquals(1, MeanRanks.chiSquaredTail(0, 3), 1e-8);
        assertEquals(1, MeanRanks.chiSquaredTail(0, 4));
        double[] nemenyi = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
        for (int i = 0; i < nemenyi.length; i++) {
            assertEquals(nemenyi[i], MeanRanks.studentizedRange(i + 2) / Math.sqrt(2), 0.001, "of " + (i + 2));
        }
    }

    /**
     * Four classifiers on fourteen data sets, the greater the better: Demšar, 2006, whose chi squared is 9.28 without a
     * correction for ties. Two accuracies are apart by digits that are not printed, as its ranks say.
     */
    @Test
    void demsarsExample() {
        double[][] accuracies = {
            {0.763, 0.768, 0.771, 0.798}, {0.599, 0.591, 0.590, 0.569}, {0.954, 0.971, 0.968, 0.967},
            {0.628, 0.661, 0.654, 0.657}, {0.882, 0.888, 0.886, 0.898}, {0.936, 0.931, 0.916, 0.931},
            {0.661, 0.668, 0.609, 0.685}, {0.583, 0.583, 0.563, 0.625}, {0.775, 0.838, 0.866, 0.875},
            {1.000, 1.000, 1.000, 1.000}, {0.940, 0.962, 0.965, 0.962}, {0.619, 0.666, 0.614, 0.669},
            {0.972, 0.981, 0.9751, 0.975}, {0.957, 0.978, 0.946, 0.970}
        };
        List<double[]> cases = new ArrayList<>();
        for (double[] each : accuracies) {
            double[] errors = new double[each.length];
            for (int i = 0; i < errors.length; i++) {
                errors[i] = 1 - each[i];
            }
            cases.add(errors);
        }
        MeanRanks found = MeanRanks.of(List.of("C4.5", "+m", "+cf", "+m+cf"), cases);
        double[] ranks = {3.143, 2.000, 2.893, 1.964};
        assertEquals(ranks[0], found.ranks().get("C4.5"), 0.001);
        assertEquals(ranks[1], found.ranks().get("+m"), 0.001);
        assertEquals(ranks[2], found.ranks().get("+cf"), 0.001);
        assertEquals(ranks[3], found.ranks().get("+m+cf"), 0.001);
        assertEquals(1.25, found.difference(), 0.005);
        double ties = 3.0 * 6 + 60; // groups of two and one of four: t^3 - t
        assertEquals(9.28 / (1 - ties / (14 * (64 - 4))), found.statistic(), 0.01);
        assertEquals(List.of(List.of("+m+cf", "+m", "+cf", "C4.5")), found.alike());
    }

    @Test
    void policiesThatAreAlwaysEqualAreNotToldApart() {
        MeanRanks found = MeanRanks.of(List.of("a", "b", "c"), List.of(new double[] {1, 1, 1}, new double[] {2, 2, 2}));
        assertEquals(1, found.chance());
        assertEquals(List.of(List.of("a", "b", "c")), found.alike());
    }

    /**
     * Always in the same order on twenty: ranks of 1, 2 and 3 are told apart, as 3.314 / sqrt(2) sqrt(12 / 120) is
     * 0.74.
     */
    @Test
    void policiesThatAreAlwaysInOneOrderAreToldApart() {
        List<double[]> cases = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            cases.add(new double[] {3 * i, i, 2 * i});
        }
        MeanRanks found = MeanRanks.of(List.of("a", "b", "c"), cases);
        assertEquals(40, found.statistic(), 1e-9, "n (k - 1)");
        assertEquals(Math.exp(-20), found.chance(), 1e-15);
        assertEquals(0.741, found.difference(), 0.001);
        assertEquals(List.of(List.of("b"), List.of("c"), List.of("a")), found.alike());
    }
}
