package dev.evener.workloads.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.workloads.document.Statistics.Estimate;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatisticsTest {

    @Test
    void theMedianIsTheMiddleInAnyOrder() {
        assertEquals(3, Statistics.median(new double[] {9, 1, 3}));
        assertEquals(2, Statistics.median(new double[] {3, 1, 100, 1}));
        assertEquals(7, Statistics.median(new double[] {7}));
        assertEquals(4, Statistics.median(List.of("four", "longer", "one"), String::length));
        assertEquals(0, Statistics.median(List.<String>of(), String::length));
    }

    @Test
    void quantilesAreInterpolated() {
        double[] values = {40, 10, 30, 20};
        assertEquals(10, Statistics.quantile(values, 0));
        assertEquals(17.5, Statistics.quantile(values, 0.25));
        assertEquals(25, Statistics.quantile(values, 0.5));
        assertEquals(40, Statistics.quantile(values, 1));
        assertEquals(40, values[0], "the values stay as they were");
    }

    /** One value that is far off moves it as little as any other. */
    @Test
    void theDeviationIsTheMedianDistance() {
        assertEquals(1, Statistics.medianAbsoluteDeviation(new double[] {1, 2, 3, 4, 5000}));
        assertEquals(0, Statistics.medianAbsoluteDeviation(new double[] {4}));
    }

    @Test
    void ratiosArePaired() {
        // The machine is ten times slower in the last rounds: the ratio does not notice.
        Estimate ratio = Statistics.medianRatio(new double[] {2, 2.2, 20, 22}, new double[] {1, 1.1, 10, 11});
        assertEquals(2, ratio.value(), 1e-12);
        assertEquals(2, ratio.low(), 1e-12);
        assertEquals(2, ratio.high(), 1e-12);
        assertThrows(IllegalArgumentException.class, () -> Statistics.medianRatio(new double[2], new double[3]));
        assertThrows(IllegalArgumentException.class, () -> Statistics.medianRatio(new double[0], new double[0]));
    }

    /** Ranks from tables of the sign test at 5 %. */
    @ParameterizedTest
    @CsvSource({"1,0", "2,0", "5,0", "6,0", "8,0", "9,1", "12,2", "15,3", "17,4", "20,5", "25,7", "50,17", "100,39"})
    void theIntervalLeavesOutWhatTheBinomialDistributionSays(int n, int outside) {
        assertEquals(outside, Statistics.outside(n));
    }

    @Test
    void theIntervalOfManyIsThatOfTheNormalDistribution() {
        int outside = Statistics.outside(1_000_001);
        assertEquals(500_000 - 0.98 * 1000, outside, 2);
    }

    /** The true median lies within the interval about 95 times in 100. */
    @Test
    void theIntervalHoldsTheMedian() {
        Random random = new Random(5);
        int within = 0;
        for (int trial = 0; trial < 2000; trial++) {
            double[] values = new double[25];
            double[] ones = new double[25];
            Arrays.setAll(values, i -> Math.exp(random.nextGaussian())); // skewed, median 1
            Arrays.fill(ones, 1);
            Estimate estimate = Statistics.medianRatio(values, ones);
            within += estimate.low() <= 1 && estimate.high() >= 1 ? 1 : 0;
            assertTrue(estimate.low() <= estimate.value() && estimate.value() <= estimate.high());
        }
        assertTrue(within >= 1880 && within <= 1960, Integer.toString(within));
    }

    /** Nine patients before and after a treatment, as in Hollander and Wolfe, 1973: V is 40, and 0.0391 on two sides. */
    @Test
    void signedRanksAreThePublishedOnes() {
        double[] before = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
        double[] after = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
        double[] differences = new double[before.length];
        Arrays.setAll(differences, i -> before[i] - after[i]);
        Statistics.SignedRanks ranks = Statistics.signedRanks(differences);
        assertEquals(0.0390625, ranks.chance(), 1e-12);
        assertEquals((40 - 5) / 45.0, ranks.effect(), 1e-12);
        Arrays.setAll(differences, i -> after[i] - before[i]);
        assertEquals(-ranks.effect(), Statistics.signedRanks(differences).effect(), 1e-12);
        assertEquals(ranks.chance(), Statistics.signedRanks(differences).chance(), 1e-12);
    }

    @Test
    void equalDifferencesShareTheirRank() {
        assertEquals(
                2 / 16.0, Statistics.signedRanks(new double[] {2, 2, 2, 0, 2}).chance(), 1e-12);
        Statistics.SignedRanks ranks = Statistics.signedRanks(new double[] {1, 1, -1}); // ranks of 2 each
        assertEquals(1 / 3.0, ranks.effect(), 1e-12);
        assertEquals(1, ranks.chance(), 1e-12);
        assertEquals(new Statistics.SignedRanks(0, 1), Statistics.signedRanks(new double[] {0, 0}));
    }

    /** What is exact for a hundred differences is about normal for one more. */
    @Test
    void manyDifferencesGoOnWhereFewEnd() {
        double[] few = new double[100];
        Arrays.setAll(few, i -> (i % 5 < 2 ? -1 : 1) * (1 + i * 37 % 100));
        double[] many = Arrays.copyOf(few, 101);
        double exact = Statistics.signedRanks(few).chance();
        assertEquals(exact, Statistics.signedRanks(many).chance(), 0.001, "a difference of 0 counts for nothing");
        many[100] = 0.5;
        double normal = Statistics.signedRanks(many).chance();
        assertTrue(exact > 0.001 && exact < 0.9 && Math.abs(normal / exact - 1) < 0.05, exact + " and " + normal);
    }

    @Test
    void manyChancesAreCorrectedByHolm() {
        double[] corrected = Statistics.holm(new double[] {0.01, 0.04, 0.03, 0.005});
        assertEquals(0.03, corrected[0], 1e-12);
        assertEquals(0.06, corrected[1], 1e-12);
        assertEquals(0.06, corrected[2], 1e-12);
        assertEquals(0.02, corrected[3], 1e-12);
    }

    /** Where groups differ and their members do not, the interval tells of the groups. */
    @Test
    void theBootstrapDrawsGroupsAndMembers() {
        assertEquals(new Estimate(4, 4, 4), Statistics.bootstrap(List.of(new double[] {4, 4}, new double[] {4})));
        List<double[]> groups = List.of(new double[] {1, 1, 1}, new double[] {2, 2, 2}, new double[] {3, 3, 3});
        Estimate estimate = Statistics.bootstrap(groups);
        assertEquals(new Estimate(2, 1, 3), estimate);
        assertEquals(estimate, Statistics.bootstrap(groups), "the same again");
    }
}
