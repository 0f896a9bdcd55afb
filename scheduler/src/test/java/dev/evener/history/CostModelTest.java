package dev.evener.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Experience;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.policy.Snapshot;
import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.LaneView;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** The estimate by itself, and in a loop with the policy that acts on it: devices here are formulas. */
class CostModelTest {

    @Test
    void knowsNothingBeforeTheFirstObservation() {
        CostModel model = new CostModel();
        assertFalse(model.cost().known());
        assertEquals(0, model.spread());
        model.observe(100, 1000);
        assertTrue(model.cost().known());
        assertEquals(10, model.cost().nanosPerUnit(), 1e-9);
        assertEquals(0, model.spread());
    }

    @Test
    void aMeasuredTimeOfZeroIsStillATime() {
        CostModel model = new CostModel();
        for (int i = 0; i < 10; i++) {
            model.observe(100, 0);
        }
        assertTrue(model.cost().nanosPerUnit() > 0);
        assertTrue(Double.isFinite(model.cost().predict(1e9)));
    }

    @Test
    void convergesOnLaunchCostAndSlope() {
        CostModel model = new CostModel();
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            long units = 1000L + random.nextInt(100_000);
            model.observe(units, Math.round((40_000 + 3.0 * units) * noise(random, 0.02)));
        }
        assertEquals(3.0, model.cost().nanosPerUnit(), 0.15);
        assertEquals(340_000, model.cost().predict(100_000), 17_000);
        assertEquals(70_000, model.cost().predict(10_000), 17_000);
        assertTrue(model.spread() > 0 && model.spread() < 0.05, "spread " + model.spread());
    }

    @Test
    void equalSizesGiveALineThroughTheOrigin() {
        CostModel model = new CostModel();
        Random random = new Random(2);
        for (int i = 0; i < 100; i++) {
            model.observe(1000, Math.round(5000 * noise(random, 0.1)));
        }
        assertEquals(0, model.cost().fixedNanos());
        assertEquals(5, model.cost().nanosPerUnit(), 0.25);
        assertEquals(0.058, model.spread(), 0.03); // the standard deviation of a uniform +-10 %
    }

    @Test
    void neverPredictsNegativeTimes() {
        Random random = new Random(3);
        for (int round = 0; round < 500; round++) {
            CostModel model = new CostModel();
            for (int i = 0; i < 40; i++) {
                model.observe(1 + random.nextInt(1 << random.nextInt(30)), random.nextInt(1 << random.nextInt(30)));
                Cost cost = model.cost();
                assertTrue(cost.nanosPerUnit() > 0, cost.toString());
                assertTrue(cost.fixedNanos() >= 0, cost.toString());
                assertTrue(Double.isFinite(model.spread()));
            }
        }
    }

    @Test
    void theFirstRunsStartUpCostsAreForgotten() {
        CostModel model = new CostModel();
        model.observe(1000, 50_000_000);
        model.observe(1000, 5000);
        assertEquals(5, model.cost().nanosPerUnit(), 1e-9);
    }

    @Test
    void aSingleOutlierMovesTheEstimateLittle() {
        for (double factor : new double[] {0.01, 0.25, 4, 1000}) {
            CostModel model = settled(1000, 5000);
            model.observe(1000, Math.round(5000 * factor));
            assertEquals(5, model.cost().nanosPerUnit(), 0.05 * 5, "factor " + factor);
            for (int i = 0; i < 10; i++) {
                model.observe(1000, 5000);
            }
            assertEquals(5, model.cost().nanosPerUnit(), 0.015 * 5, "factor " + factor);
        }
    }

    @Test
    void outliersToBothSidesAreNotALastingChange() {
        CostModel model = settled(1000, 5000);
        for (int i = 0; i < 20; i++) {
            model.observe(1000, i % 2 == 0 ? 20_000 : 1250);
        }
        assertEquals(5, model.cost().nanosPerUnit(), 0.2 * 5);
    }

    @Test
    void aLastingChangeIsLearntWithinThreeJobs() {
        for (double factor : new double[] {0.25, 4}) {
            CostModel model = settled(1000, 5000);
            for (int i = 0; i < 3; i++) {
                model.observe(1000, Math.round(5000 * factor));
            }
            assertEquals(5 * factor, model.cost().nanosPerUnit(), 0.01 * 5 * factor, "factor " + factor);
        }
    }

    @Test
    void aSlowDriftIsFollowed() {
        CostModel model = settled(1000, 5000);
        double now = 5000;
        for (int i = 0; i < 60; i++) {
            now *= 1.02;
            model.observe(1000, Math.round(now));
        }
        assertEquals(now / 1000, model.cost().nanosPerUnit(), 0.2 * now / 1000);
    }

    @Test
    void aSavedStateGoesOnWhereItWas() {
        CostModel model = settled(1000, 5000);
        model.observe(7000, 30_000);
        CostModel restored = new CostModel(model.samples(), model.sums());
        assertEquals(model.cost(), restored.cost());
        assertEquals(model.spread(), restored.spread());
        model.observe(3000, 16_000);
        restored.observe(3000, 16_000);
        assertEquals(model.cost(), restored.cost());
    }

    // ---- in the loop with the policy ----

    /** A device that is a formula: busy nanoseconds of so many units. */
    private static final class SimulatedLane {
        final CostModel model = new CostModel();
        DoubleUnaryOperator nanos;

        SimulatedLane(double fixed, double perUnit) {
            behaves(fixed, perUnit);
        }

        void behaves(double fixed, double perUnit) {
            nanos = units -> fixed + units * perUnit;
        }
    }

    private static final long GRANULE = 32;

    /** Runs one job; the shares it was cut into. */
    private static long[] job(long granules, double noise, Random random, SimulatedLane... lanes) {
        Policy policy = Policies.history();
        List<LaneView> views = Arrays.stream(lanes)
                .map(l -> new LaneView("x", 1, l.model.cost()))
                .toList();
        long[] shares = policy.plan(new Snapshot(granules, GRANULE, views, Experience.NONE))
                .shares();
        for (int i = 0; i < lanes.length; i++) {
            if (shares[i] > 0) {
                long units = shares[i] * GRANULE;
                lanes[i].model.observe(
                        units, Math.round(lanes[i].nanos.applyAsDouble((double) units) * noise(random, noise)));
            }
        }
        return shares;
    }

    @Test
    void sharesDoNotOscillateUnderNoise() {
        Random random = new Random(4);
        SimulatedLane fast = new SimulatedLane(20_000, 1);
        SimulatedLane slow = new SimulatedLane(5_000, 3);
        long granules = 10_000;
        double least = 1;
        double most = 0;
        double sumOfSteps = 0;
        double before = -1;
        for (int i = 0; i < 1000; i++) {
            double share = job(granules, 0.1, random, fast, slow)[0] / (double) granules;
            if (i >= 10) {
                least = Math.min(least, share);
                most = Math.max(most, share);
                sumOfSteps += before < 0 ? 0 : Math.abs(share - before);
                before = share;
            }
        }
        assertEquals(0.75, (least + most) / 2, 0.03);
        assertTrue(most - least < 0.06, "shares from " + least + " to " + most);
        assertTrue(sumOfSteps / 990 < 0.006, "mean step " + sumOfSteps / 990);
    }

    @Test
    void sharesDoNotOscillateWhenSizesAlternate() {
        Random random = new Random(5);
        SimulatedLane fast = new SimulatedLane(20_000, 1);
        SimulatedLane slow = new SimulatedLane(5_000, 3);
        double least = 1;
        double most = 0;
        for (int i = 0; i < 1000; i++) {
            long granules = i % 2 == 0 ? 10_000 : 40_000;
            double share = job(granules, 0.1, random, fast, slow)[0] / (double) granules;
            if (i >= 20 && i % 2 == 0) {
                least = Math.min(least, share);
                most = Math.max(most, share);
            }
        }
        assertTrue(most - least < 0.12, "shares from " + least + " to " + most);
    }

    @Test
    void bothLanesEndWithinAFewPercentOfEachOther() {
        Random random = new Random(6);
        SimulatedLane fast = new SimulatedLane(0, 1);
        SimulatedLane slow = new SimulatedLane(0, 3);
        long[] shares = new long[2];
        for (int i = 0; i < 30; i++) {
            shares = job(10_000, 0.02, random, fast, slow);
        }
        double one = fast.nanos.applyAsDouble((double) (shares[0] * GRANULE));
        double other = slow.nanos.applyAsDouble((double) (shares[1] * GRANULE));
        assertEquals(1, one / other, 0.03);
    }

    @Test
    void aDeviceThatSlowsDownLosesItsShareWithinAFewJobs() {
        Random random = new Random(7);
        SimulatedLane steady = new SimulatedLane(0, 1);
        SimulatedLane fading = new SimulatedLane(0, 1);
        for (int i = 0; i < 30; i++) {
            job(10_000, 0.03, random, steady, fading);
        }
        fading.behaves(0, 4);
        long[] shares = new long[2];
        for (int i = 0; i < 6; i++) {
            shares = job(10_000, 0.03, random, steady, fading);
        }
        assertEquals(8000, (double) shares[0], 500);
    }

    @Test
    void aDeviceDownToOneGranuleIsLearntAgainWhenItGetsFaster() {
        for (double launch : new double[] {0, 50_000}) {
            Random random = new Random(8);
            SimulatedLane steady = new SimulatedLane(0, 1);
            SimulatedLane stalled = new SimulatedLane(launch, 1e6);
            long[] shares = new long[2];
            for (int i = 0; i < 50; i++) {
                shares = job(100_000, 0.03, random, steady, stalled);
            }
            assertEquals(1, shares[1], "a device that slow should be down to one granule");
            stalled.behaves(launch, 1);
            for (int i = 0; i < 25; i++) {
                shares = job(100_000, 0.03, random, steady, stalled);
            }
            assertEquals(50_000, (double) shares[1], 5_000, "launch cost " + launch);
        }
    }

    private static CostModel settled(long units, long nanos) {
        CostModel model = new CostModel();
        for (int i = 0; i < 30; i++) {
            model.observe(units, nanos);
        }
        return model;
    }

    private static double noise(Random random, double amplitude) {
        return 1 + amplitude * (2 * random.nextDouble() - 1);
    }
}
