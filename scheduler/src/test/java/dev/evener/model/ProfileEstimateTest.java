package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.WorkProfile;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** Where the work is, from what chunks of a lane took. */
class ProfileEstimateTest {
    /** Work up to a place: the first quarter of the units is four fifths of it. */
    private static double steep(double u) {
        return u < 0.25 ? 3.2 * u : 0.8 + (u - 0.25) * 0.2 / 0.75;
    }

    /** Chunks between these places, of a lane that takes the same for all work; scattered by so much. */
    private static void observe(
            ProfileEstimate estimate, DoubleUnaryOperator work, double[] places, double scatter, Random random) {
        WorkProfile known = estimate.profile();
        for (int i = 1; i < places.length; i++) {
            double from = places[i - 1];
            double to = places[i];
            double took =
                    (work.applyAsDouble(to) - work.applyAsDouble(from)) * Math.exp(scatter * random.nextGaussian());
            double expected = known.even() ? to - from : known.work(from, to - from, 1);
            estimate.observe(from, to, Math.log(took / expected), 0.001 + scatter * scatter);
        }
        estimate.settle();
    }

    private static double[] equal(int chunks) {
        double[] places = new double[chunks + 1];
        Arrays.setAll(places, i -> (double) i / chunks);
        return places;
    }

    @Test
    void untilSomethingWasSeenEveryUnitCostsTheSame() {
        ProfileEstimate estimate = new ProfileEstimate();
        assertTrue(estimate.profile().even());
        estimate.settle();
        assertTrue(estimate.profile().even());
    }

    @Test
    void anUnevenProfileIsFound() {
        Random random = new Random(1);
        ProfileEstimate estimate = new ProfileEstimate();
        for (int job = 0; job < 20; job++) {
            // Cut elsewhere in each job, as thefts do.
            double[] places = random.doubles(20).sorted().toArray();
            places[0] = 0;
            places[places.length - 1] = 1;
            observe(estimate, ProfileEstimateTest::steep, places, 0.02, random);
        }
        WorkProfile found = estimate.profile();
        assertFalse(found.even());
        assertEquals(0.8, found.work(0, 0.25, 1), 0.05);
        assertEquals(0.1, found.work(0.25, 0.375, 1), 0.03);
        assertEquals(1, found.work(0, 1, 1), 1e-9);
    }

    @Test
    void scatterIsNoProfile() {
        Random random = new Random(2);
        ProfileEstimate estimate = new ProfileEstimate();
        for (int job = 0; job < 200; job++) {
            observe(estimate, u -> u, equal(8), 0.03, random);
        }
        assertTrue(estimate.profile().even());
    }

    @Test
    void aChangeOfWhereTheWorkIsIsFollowed() {
        Random random = new Random(3);
        ProfileEstimate estimate = new ProfileEstimate();
        for (int job = 0; job < 50; job++) {
            observe(estimate, ProfileEstimateTest::steep, equal(32), 0.02, random);
        }
        assertEquals(0.8, estimate.profile().work(0, 0.25, 1), 0.05);
        for (int job = 0; job < 100; job++) {
            observe(estimate, u -> 1 - steep(1 - u), equal(32), 0.02, random);
        }
        assertEquals(0.8, estimate.profile().work(0.75, 0.25, 1), 0.1);
    }

    @Test
    void onlyRatiosCount() {
        ProfileEstimate estimate = new ProfileEstimate();
        for (int job = 0; job < 30; job++) {
            for (int i = 0; i < 16; i++) { // a lane that has become three times slower
                estimate.observe(i / 16.0, (i + 1) / 16.0, Math.log(3), 0.01);
            }
            estimate.settle();
        }
        assertTrue(estimate.profile().even());
    }

    @Test
    void evidenceFades() {
        ProfileEstimate estimate = new ProfileEstimate();
        observe(estimate, ProfileEstimateTest::steep, equal(64), 0, new Random(4));
        double after = estimate.state()[ProfileEstimate.PARTS];
        estimate.settle();
        double later = estimate.state()[ProfileEstimate.PARTS];
        assertTrue(after < 0.01 && later > after);
        for (int job = 0; job < 10_000; job++) {
            estimate.settle();
        }
        assertEquals(
                new ProfileEstimate().state()[ProfileEstimate.PARTS], estimate.state()[ProfileEstimate.PARTS], 1e-12);
    }

    @Test
    void itGoesOnFromItsState() {
        ProfileEstimate estimate = new ProfileEstimate();
        observe(estimate, ProfileEstimateTest::steep, equal(64), 0, new Random(5));
        ProfileEstimate other = new ProfileEstimate();
        other.restore(estimate.state());
        assertFalse(other.profile().even());
        for (int i = 0; i <= 16; i++) {
            assertEquals(
                    estimate.profile().work(0, i / 16.0, 1), other.profile().work(0, i / 16.0, 1), 1e-9);
        }
    }

    @Test
    void numbersThatNoObservationLeadsToBecomeTheNearestThatOneDoes() {
        for (double extreme : new double[] {-1e100, 1e100}) {
            double[] state = new ProfileEstimate().state();
            state[0] = extreme;
            state[ProfileEstimate.PARTS] = extreme;
            ProfileEstimate estimate = new ProfileEstimate();
            estimate.restore(state);
            double part = estimate.profile().work(0, 1.0 / ProfileEstimate.PARTS, 1);
            assertTrue(part > 0 && part < 1, "part " + part);
            observe(estimate, u -> u, equal(16), 0, new Random(6));
            for (double each : estimate.state()) {
                assertTrue(Double.isFinite(each));
            }
        }
    }
}
