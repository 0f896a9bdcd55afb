package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The Kalman filter, against an example by hand and against what must hold of any. */
class BeliefTest {
    private static final double[] BOTH = {1, 1};

    /** a is 1 with variance 4, b is 2 with variance 1. */
    private static Belief two() {
        Belief belief = new Belief();
        belief.place("a", 1, 4);
        belief.place("b", 2, 1);
        return belief;
    }

    @Test
    void termsHavePlaces() {
        Belief belief = two();
        assertEquals(2, belief.size());
        assertEquals(List.of("a", "b"), belief.terms());
        assertEquals(0, belief.find("a"));
        assertEquals(1, belief.find("b"));
        assertEquals(-1, belief.find("c"));
        assertEquals(0, belief.covariance(0, 1));
        belief.observe(BOTH, 0, 1, new int[] {0});
        double before = belief.covariance(0, 1);
        assertEquals(2, belief.place("c", 3, 9));
        assertEquals(before, belief.covariance(0, 1));
        assertEquals(before, belief.covariance(1, 0));
        assertEquals(0, belief.covariance(2, 0));
        assertEquals(9, belief.covariance(2, 2));
        assertEquals(0, belief.place("a", 17, 17), "it is there already");
        assertEquals(1, belief.mean(0));
    }

    @Test
    void anObservationOfASumMovesItsTermsByTheirDoubts() {
        Belief belief = two();
        assertEquals(5, belief.variance(BOTH));
        // 6 was seen where 3 was expected, with a variance of 1: gains are 4 / 6 and 1 / 6.
        assertEquals(9 / 6.0, belief.observe(BOTH, 3, 1, new int[] {0}), 1e-12, "the noise is a sixth of the variance");
        assertEquals(1 + 3 * 4 / 6.0, belief.mean(0), 1e-12);
        assertEquals(2 + 3 * 1 / 6.0, belief.mean(1), 1e-12);
        assertEquals(4 - 4 * 4 / 6.0, belief.covariance(0, 0), 1e-12);
        assertEquals(1 - 1 * 1 / 6.0, belief.covariance(1, 1), 1e-12);
        assertEquals(-4 / 6.0, belief.covariance(0, 1), 1e-12);
        assertEquals(-4 / 6.0, belief.covariance(1, 0), 1e-12);
        assertEquals(5 / 6.0, belief.variance(BOTH), 1e-12, "1 / (1 / 5 + 1 / 1)");
    }

    @Test
    void aTermThatIsSeveralTimesInASumCountsSoOften() {
        Belief belief = two();
        double[] factors = {0.5, 2};
        assertEquals(0.25 * 4 + 4, belief.variance(factors));
        belief.observe(factors, 1.5, 1, new int[] {0});
        assertEquals(1 + 1.5 * 0.5 * 4 / 6, belief.mean(0), 1e-12);
        assertEquals(2 + 1.5 * 2 / 6, belief.mean(1), 1e-12);
        assertEquals(4 - 2 * 2 / 6.0, belief.covariance(0, 0), 1e-12);
        assertEquals(-2 * 2 / 6.0, belief.covariance(0, 1), 1e-12);
        assertEquals(1 - 2 * 2 / 6.0, belief.covariance(1, 1), 1e-12);
        assertEquals(9 * belief.covariance(1, 1), belief.variance(new double[] {0, 3}), 1e-12);
    }

    @Test
    void whatTermsHaveInCommonMovesThemBoth() {
        Belief belief = two();
        belief.observe(BOTH, 0, 1, new int[] {0});
        double expected = belief.covariance(0, 1) / (belief.covariance(1, 1) + 1);
        double before = belief.mean(0);
        belief.observe(new double[] {0, 1}, 0.5, 1, new int[] {1});
        assertEquals(before + 0.5 * expected, belief.mean(0), 1e-12, "if b is more, a was less");
        assertTrue(belief.mean(0) < before);
    }

    @Test
    void aSurpriseIsHalfADisturbanceAndHalfAChange() {
        Belief belief = two();
        assertEquals(2.5 * 2.5, belief.observe(BOTH, 10, 1, new int[] {1}), 1e-12, "no more counts for the noise");
        assertEquals(1, belief.mean(0));
        assertEquals(4, belief.covariance(0, 0));
        assertEquals(2 + 10 / 2.0, belief.mean(1), 1e-12);
        assertEquals(1 + 10 * 10 / 4.0, belief.covariance(1, 1), 1e-12);
        assertEquals(0, belief.covariance(0, 1));
        belief.observe(BOTH, -20, 1, new int[] {0});
        assertEquals(1 - 10, belief.mean(0), 1e-12);
    }

    @Test
    void theObservationAfterASurpriseDecides() {
        for (double change : new double[] {1.4, 0}) {
            Belief belief = new Belief();
            belief.place("a", 0, 0.01);
            double[] once = {1};
            belief.observe(once, 1.4, 0.01, new int[] {0});
            assertEquals(0.7, belief.mean(0), 1e-12);
            belief.observe(once, change - belief.mean(0), 0.01, new int[] {0});
            assertEquals(change, belief.mean(0), 0.05);
        }
    }

    @Test
    void theCovarianceStaysOneWhateverIsObserved() {
        Random random = new Random(3);
        for (int round = 0; round < 100; round++) {
            Belief belief = new Belief();
            int terms = 2 + random.nextInt(6);
            for (int i = 0; i < terms; i++) {
                belief.place("t" + i, random.nextGaussian(), Math.min(50, Math.exp(4 * random.nextGaussian())));
            }
            for (int step = 0; step < 200; step++) {
                double[] row =
                        random.doubles(terms, -1, 2).map(d -> Math.max(0, d)).toArray();
                belief.observe(row, 3 * random.nextGaussian(), Math.exp(random.nextInt(12) - 9.0), new int[] {
                    random.nextInt(terms)
                });
                belief.doubt(random.nextInt(terms), 0.0005);
                assertSound(belief, random);
            }
        }
    }

    private static void assertSound(Belief belief, Random random) {
        for (int i = 0; i < belief.size(); i++) {
            assertTrue(Double.isFinite(belief.mean(i)));
            assertTrue(belief.covariance(i, i) > 0);
            for (int j = 0; j < i; j++) {
                double both = belief.covariance(i, i) * belief.covariance(j, j);
                assertEquals(belief.covariance(i, j), belief.covariance(j, i), 1e-9 * Math.sqrt(both));
                assertTrue(Math.abs(belief.covariance(i, j)) <= Math.sqrt(both) * (1 + 1e-6));
            }
        }
        assertTrue(belief.variance(random.doubles(belief.size(), -2, 2).toArray()) >= 0);
    }

    @Test
    void aCopyIsItsOwn() {
        Belief belief = two();
        Belief copy = belief.copy();
        copy.observe(BOTH, 1, 1, new int[] {0});
        copy.place("c", 0, 1);
        assertEquals(1, belief.mean(0));
        assertEquals(4, belief.covariance(0, 0));
        assertEquals(2, belief.size());
        assertEquals(-1, belief.find("c"));
        assertEquals(2, copy.find("c"));
    }

    @Test
    void itGoesOnFromWhatWasKept() {
        Belief belief = two();
        belief.observe(BOTH, 3, 1, new int[] {0});
        Belief other = new Belief();
        for (int i = 0; i < 2; i++) {
            double[] row = new double[i + 1];
            for (int j = 0; j <= i; j++) {
                row[j] = belief.covariance(i, j);
            }
            other.restore(belief.terms().get(i), belief.mean(i), row);
        }
        assertEquals(belief.terms(), other.terms());
        for (int i = 0; i < 2; i++) {
            assertEquals(belief.mean(i), other.mean(i));
            for (int j = 0; j < 2; j++) {
                assertEquals(belief.covariance(i, j), other.covariance(i, j));
            }
        }
    }

    @Test
    void numbersThatNoObservationLeadsToBecomeTheNearestThatOneDoes() {
        for (double extreme : new double[] {-1e100, 0, 1e100}) {
            Belief belief = new Belief();
            belief.restore("a", extreme, new double[] {extreme});
            belief.restore("b", extreme, new double[] {extreme, extreme});
            assertSound(belief, new Random(4));
            for (int i = 0; i < 10; i++) {
                belief.observe(BOTH, extreme / 1e90, 0.01, new int[] {0});
                assertSound(belief, new Random(5));
                assertTrue(Double.isFinite(Math.exp(4 * belief.mean(0))));
            }
        }
    }
}
