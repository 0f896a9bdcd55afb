package dev.evener.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.policy.Beds.Bed;
import dev.evener.policy.Beds.Weather;
import dev.evener.policy.Beds.Work;
import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.Estimate;
import dev.evener.policy.Snapshot.LaneView;
import dev.evener.simulation.Machine;
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

    private static final Estimate[] OF_SLOW_LINK = {new Estimate(5_000, 1, 0), new Estimate(60_000, 1 / 40.0, 8)};

    /**
     * {@code adaptive}, told what the devices were measured to do. The runtime tells it by the declarations of the job's
     * buffers, of which simulated jobs have none.
     */
    private record Told(Policy policy, List<Estimate> estimates) implements Policy {
        @Override
        public String name() {
            return policy.name();
        }

        @Override
        public Plan plan(Snapshot snapshot) {
            List<LaneView> lanes = new ArrayList<>();
            for (int i = 0; i < estimates.size(); i++) {
                LaneView lane = snapshot.lanes().get(i);
                lanes.add(new LaneView(lane.id(), lane.weight(), lane.cost(), lane.available(), estimates.get(i)));
            }
            return policy.plan(
                    new Snapshot(snapshot.granules(), snapshot.unitsPerGranule(), lanes, snapshot.experience()));
        }

        @Override
        public long chunk(Progress progress, int lane) {
            return policy.chunk(progress, lane);
        }
    }

    private static Policy told(Estimate... estimates) {
        return new Told(Policies.adaptive(), List.of(estimates));
    }

    /**
     * A CPU, and a GPU whose memory is forty times as fast and whose clock and compute units promise a hundred times as much,
     * behind a link eight times as slow as the CPU's memory.
     */
    private static Series slowLink(long units, Policy policy) {
        DeviceInfo cpu = new DeviceInfo(
                Beds.id(0), "made up", "cpu", DeviceKind.CPU, "1", 16, 1 << 30, 1 << 30, 64, 64, 8, 1000, true, "cpu");
        DeviceInfo gpu = new DeviceInfo(
                Beds.id(1), "made up", "gpu", DeviceKind.GPU, "1", 100, 1 << 30, 1 << 30, 64, 64, 8, 1000, true, "gpu");
        Machine machine = Beds.machine(
                Work.EVEN,
                Beds.device(0, cpu, Beds.kernel(1, 5_000, 0)),
                Beds.device(1, gpu, Beds.kernel(1 / 8.0, 60_000, 0)));
        return new Series(machine, policy, units, 256, 1);
    }

    private static Series.Done first(long units, Policy policy) {
        return slowLink(units, policy).run(1).get(0);
    }

    @Test
    void aSmallJobStartsOnTheDeviceThatIsDoneFirst() {
        Series.Done blind = first(1 << 14, Policies.adaptive());
        Series.Done told = first(1 << 14, told(OF_SLOW_LINK));
        assertEquals(BOTH, blind.set());
        assertEquals(CPU, told.set());
        assertTrue(told.wall() < 0.5 * blind.wall(), told.wall() + " instead of " + blind.wall());
        Decision decision = told.decision();
        assertTrue(decision.reason().contains("probed"), decision.reason());
        assertTrue(decision.considered().get(decision.chosen()).probed());
    }

    @Test
    void aGpuBehindASlowLinkDoesNotGetHalfOfALargeJob() {
        long units = 1 << 24;
        Series.Done blind = first(units, Policies.adaptive());
        Series.Done told = first(units, told(OF_SLOW_LINK));
        assertTrue(blind.share(1) > units / 2);
        assertTrue(told.share(1) < units / 6, () -> "of " + units + ": " + told.share(1));
        assertTrue(told.share(1) > units / 16, "its part it gets");
        assertTrue(told.wall() < 1.1 * units / (1 + 1 / 8.0), told.wall() + " after " + blind.wall());
    }

    /** What kernels compute nobody knows: a job that may take long is not left to one device. */
    @Test
    void aJobThatMayTakeLongUsesAllDevices() {
        Policy hopeless = told(OF_SLOW_LINK[0], new Estimate(60_000, 1, 1_000));
        assertEquals(BOTH, first(1 << 24, hopeless).set());
        assertEquals(CPU, first(1 << 16, hopeless).set());
    }

    @Test
    void observationsReplaceEstimates() {
        Decision decision =
                slowLink(1 << 20, told(OF_SLOW_LINK)).run(13).get(12).decision();
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
                Series series = estimated(bed, units, first, second);
                double early = series.mean(20);
                double late = series.medianAfter(40, 101);
                if (early > (units >= 1 << 18 ? 1.35 : 2) * single || late > split / 0.97) {
                    misses.add(bed + ", " + units + " units: " + early / single + ", then " + late / split);
                }
            }
        }
        assertEquals(List.of(), misses);
    }

    /** Estimates that are so many times what each device takes. */
    private static Series estimated(Bed bed, long units, double... off) {
        Estimate[] estimates = new Estimate[2];
        for (int i = 0; i < 2; i++) {
            estimates[i] = new Estimate(off[i] * bed.launch(i), off[i] / bed.speed(i), 0);
        }
        return Beds.series(bed, Work.EVEN, Weather.CALM, told(estimates), units, 1);
    }

    @ParameterizedTest
    @EnumSource(Bed.class)
    void rightEstimatesDoNotMakeTheFirstJobsSlower(Bed bed) {
        for (long units : new long[] {1 << 14, 1 << 18, 1 << 22, 1 << 25}) {
            double without = Beds.series(bed, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 1)
                    .mean(10);
            double with = estimated(bed, units, 1, 1).mean(10);
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
