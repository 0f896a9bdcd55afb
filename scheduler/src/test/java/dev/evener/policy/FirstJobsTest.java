package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.policy.Beds.Bed;
import dev.evener.policy.Beds.Weather;
import dev.evener.policy.Beds.Work;
import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.Estimate;
import dev.evener.policy.Snapshot.LaneView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What devices were measured to do decides the first jobs of a kind, and no more than those. */
class FirstJobsTest {
    private static final long CPU = 1;
    private static final long BOTH = 3;

    /** A CPU, and a GPU whose memory is forty times as fast, behind a link eight times as slow as the CPU's memory. */
    private static Machine slowLink() {
        return new Machine(1, new double[] {1, 1 / 8.0}, new double[] {5_000, 60_000});
    }

    private static final Estimate[] OF_SLOW_LINK = {new Estimate(5_000, 1, 0), new Estimate(60_000, 1 / 40.0, 8)};

    /** What a GPU's clock and compute units promise. */
    private static Simulation simulation(Estimate... estimates) {
        return new Simulation(slowLink(), Policies.adaptive(), 256)
                .withWeights(1, 100)
                .withEstimates(estimates);
    }

    @Test
    void aSmallJobStartsOnTheDeviceThatIsDoneFirst() {
        Simulation.Result blind = simulation().run(1 << 14);
        Simulation.Result told = simulation(OF_SLOW_LINK).run(1 << 14);
        assertEquals(BOTH, blind.set());
        assertEquals(CPU, told.set());
        assertTrue(told.wall() < 0.5 * blind.wall(), told.wall() + " instead of " + blind.wall());
        assertTrue(told.reason().contains("probed"), told.reason());
        Decision decision = told.plan().decision();
        assertNotNull(decision);
        assertTrue(decision.considered().get(decision.chosen()).probed());
    }

    @Test
    void aGpuBehindASlowLinkDoesNotGetHalfOfALargeJob() {
        long units = 1 << 24;
        Simulation.Result blind = simulation().run(units);
        Simulation.Result told = simulation(OF_SLOW_LINK).run(units);
        long granules = units / 256;
        assertTrue(blind.plan().shares()[1] > granules / 2);
        assertTrue(
                told.plan().shares()[1] < granules / 6,
                () -> "of " + granules + ": " + told.plan().shares()[1]);
        assertTrue(told.plan().shares()[1] > granules / 16, "its part it gets");
        assertTrue(told.wall() < 1.1 * units / (1 + 1 / 8.0), told.wall() + " after " + blind.wall());
    }

    /** What kernels compute nobody knows: a job that may take long is not left to one device. */
    @Test
    void aJobThatMayTakeLongUsesAllDevices() {
        Estimate hopeless = new Estimate(60_000, 1, 1_000);
        assertEquals(BOTH, simulation(OF_SLOW_LINK[0], hopeless).run(1 << 24).set());
        assertEquals(CPU, simulation(OF_SLOW_LINK[0], hopeless).run(1 << 16).set());
    }

    @Test
    void observationsReplaceEstimates() {
        Simulation sim = simulation(OF_SLOW_LINK);
        for (int i = 0; i < 12; i++) {
            sim.run(1 << 20);
        }
        Decision decision = sim.run(1 << 20).plan().decision();
        assertNotNull(decision);
        for (Decision.Candidate candidate : decision.considered()) {
            assertFalse(candidate.probed(), decision::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"10, 1", "0.1, 1", "1, 10", "1, 0.1", "10, 0.1", "0.1, 10", "0.02, 0.02"})
    void aWrongEstimateIsOvercome(double first, double second) {
        List<String> misses = new ArrayList<>();
        for (Bed bed : Bed.values()) {
            for (long units : new long[] {64, 1 << 14, 1 << 18, 1 << 22, 1 << 25}) {
                double single = Beds.bestSingle(bed, Work.EVEN, Weather.CALM, units, 1, 11);
                double split = Beds.bestStatic(bed, Work.EVEN, Weather.CALM, units, 1, 31);
                Simulation sim = wrong(bed, units, first, second);
                double early = 0;
                for (int i = 0; i < 20; i++) {
                    early += sim.run(units).wall() / 20;
                }
                double late = sim.median(units, 40, 101);
                if (early > (units >= 1 << 18 ? 1.35 : 2) * single || late > split / 0.97) {
                    misses.add(bed + ", " + units + " units: " + early / single + ", then " + late / split);
                }
            }
        }
        assertEquals(List.of(), misses);
    }

    private static Simulation wrong(Bed bed, long units, double first, double second) {
        Simulation sim = Beds.simulation(bed, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 1);
        double[] off = {first, second};
        Estimate[] estimates = new Estimate[2];
        for (int i = 0; i < 2; i++) {
            estimates[i] = new Estimate(off[i] * sim.machine.launch[i], off[i] / sim.machine.speed[i], 0);
        }
        return sim.withEstimates(estimates);
    }

    @ParameterizedTest
    @EnumSource(Bed.class)
    void rightEstimatesDoNotMakeTheFirstJobsSlower(Bed bed) {
        for (long units : new long[] {1 << 14, 1 << 18, 1 << 22, 1 << 25}) {
            Simulation blind = Beds.simulation(bed, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 1);
            Simulation told = wrong(bed, units, 1, 1);
            double without = 0;
            double with = 0;
            for (int i = 0; i < 10; i++) {
                without += blind.run(units).wall();
                with += told.run(units).wall();
            }
            assertTrue(with < 1.05 * without, bed + ", " + units + " units: " + with / without);
        }
    }

    // ---- what estimates are compared with ----

    private static long[] shares(LaneView... lanes) {
        return Policies.history()
                .plan(new Snapshot(10_000, 1, List.of(lanes), Experience.NONE))
                .shares();
    }

    private static LaneView lane(Cost known, Estimate estimate) {
        return new LaneView("x", 1, known, true, estimate);
    }

    @Test
    void kernelsAreTakenToBeAsMuchSlowerAsOnTheLaneThatRanThem() {
        // Computes five times as long as it touches memory: so it will on the other, but for the transfers.
        LaneView ran = lane(new Cost(0, 5, 9), new Estimate(0, 1, 0));
        long[] shares = shares(ran, lane(Cost.UNKNOWN, new Estimate(0, 0.1, 2)));
        assertEquals(2.5 / 5, shares[1] > 0 ? (double) shares[0] / shares[1] : 0, 0.01);
    }

    @Test
    void estimatesAreNotHeldAgainstGuessesOfAnotherKind() {
        LaneView unmeasured = lane(Cost.UNKNOWN, Estimate.UNKNOWN);
        assertEquals(5_000, shares(lane(Cost.UNKNOWN, new Estimate(0, 1e-6, 0)), unmeasured)[0]);
        // The only lane that ran was not measured: nothing says how much slower than their bound kernels are.
        assertEquals(
                5_000, shares(lane(new Cost(0, 5, 9), Estimate.UNKNOWN), lane(Cost.UNKNOWN, new Estimate(0, 1, 0)))[0]);
    }
}
