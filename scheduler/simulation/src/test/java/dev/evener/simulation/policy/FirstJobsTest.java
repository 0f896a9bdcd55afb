package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.simulation.policy.Beds.Bed;
import dev.evener.simulation.policy.Beds.Weather;
import dev.evener.simulation.policy.Beds.Work;
import dev.evener.simulation.policy.Regret.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the first jobs of a kind do, of which nothing is known but what kinds of devices there are. */
class FirstJobsTest {
    // ---- the first one ----

    @ParameterizedTest
    @EnumSource(Bed.class)
    void theFirstJobStartsOnOneDeviceAndTheOtherHelpsIfItIsLongEnough(Bed bed) {
        for (long units : new long[] {64, 1 << 14, 1 << 18, 1 << 22}) {
            Series.Done first = Beds.series(bed, Work.EVEN, Weather.CALM, Policies.adaptive(), units, 1)
                    .run(1)
                    .get(0);
            assertEquals(1, first.set(), bed + ", " + units + " units");
            assertEquals(
                    "first job of its kind: others help if it is long enough",
                    first.decision().reason());
            int others = first.report().devices().get(1).chunks();
            if (units < 1 << 14) {
                assertEquals(0, others, bed + ", " + units + " units: done before another could have begun");
            } else if (units >= 1 << 22) {
                assertTrue(others > 0, bed + ", " + units + " units: nobody helped");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Bed.class)
    void itsFirstChunksAreSmallAndDevicesThatAreDoneSteal(Bed bed) {
        long units = 1 << 22;
        List<RunEvent> events = firstJob(bed.machine(Work.EVEN, 0), units, Math.max(16, units / 512));
        for (int device = 0; device < 2; device++) {
            int of = device;
            RunEvent.Chunk first = events.stream()
                    .filter(RunEvent.Chunk.class::isInstance)
                    .map(RunEvent.Chunk.class::cast)
                    .filter(chunk -> chunk.device() == of)
                    .findFirst()
                    .orElseThrow();
            assertTrue(first.units() <= units / 16, () -> "device " + of + " began with " + first.units());
        }
        if (bed == Bed.UNEQUAL) {
            assertTrue(
                    events.stream().anyMatch(e -> e instanceof RunEvent.Stolen stolen && stolen.thief() == 0),
                    "the fast one helps the slow one");
        }
    }

    private static List<RunEvent> firstJob(Machine machine, long units, long granule) {
        List<RunEvent> events = new ArrayList<>();
        Simulator simulator = new Simulator(machine).listener(events::add);
        simulator.submit(SimulatedJob.of(Beds.KERNEL, units, granule, Policies.adaptive()));
        simulator.run();
        return events;
    }

    // ---- devices that are not what they promise ----

    private static DeviceInfo device(int number, DeviceKind kind, int computeUnits) {
        String name = kind.name();
        return new DeviceInfo(
                Beds.id(number), "p", name, kind, "1", computeUnits, 1 << 30, 1 << 30, 64, 64, 8, 1000, true, name);
    }

    /** A CPU that needs a nanosecond for each unit, and a GPU that is not as fast as its compute units promise. */
    private static void isFoundOut(int promised, double speed, double most) {
        DeviceInfo cpu = device(0, DeviceKind.CPU, 16);
        DeviceInfo gpu = device(1, DeviceKind.GPU, promised);
        assertEquals(promised, gpu.roughSpeed() / cpu.roughSpeed());
        Machine machine = Beds.machine(
                Work.EVEN,
                Beds.device(0, cpu, Beds.kernel(1, 5_000, 0)),
                Beds.device(1, gpu, Beds.kernel(speed, 60_000, 0)));
        long units = 1 << 24;
        double ideal = units / (1 + speed);
        Series series = new Series(machine, Policies.adaptive(), units, 256, 1);
        String what = promised + " promised, " + speed + " delivered: ";
        double first = series.mean(1) / ideal;
        assertTrue(first < most, what + "the first job took " + first + " times as long as it might");
        double then = series.medianAfter(5, 9) / ideal;
        assertTrue(then < 1.1, what + "the next took " + then + " times as long as they might");
    }

    /** All of it may be left to that device: what the other is thought to do meanwhile is less than a launch there may take. */
    @Test
    void aDeviceThatPromisesMuchDoesNotHoldUpTheFirstJob() {
        isFoundOut(10, 1, 2.2);
    }

    @Test
    void aDeviceThatPromisesLittleHelpsInTheFirstJob() {
        isFoundOut(1, 10, 1.4);
    }

    /** What it is late with is done again by all that have nothing else to do; by one of them a look took 3.3 times as long. */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.03, 0.01})
    void whatADeviceIsLateWithIsSharedByTheOthers(double speed) {
        DeviceModel[] devices = new DeviceModel[8];
        Arrays.setAll(devices, i -> Beds.device(i, device(i, DeviceKind.CPU, 16), Beds.kernel(1, 5_000, 0.02)));
        devices[7] = Beds.device(7, device(7, DeviceKind.GPU, 16), Beds.kernel(speed, 5_000, 0.02));
        long units = 1 << 24;
        double ideal = units / (7 + speed);
        for (long seed = 1; seed <= 5; seed++) {
            Series series = new Series(Beds.machine(Work.EVEN, devices), Policies.adaptive(), units, 256, seed);
            for (int i = 0; i < 10; i++) {
                double over = series.run(1).get(0).wall() / ideal;
                String what = speed + " delivered, seed " + seed + ", job " + i + ": ";
                assertTrue(over < (i == 0 ? 2.5 : 2), what + over + " times as long as it might");
            }
        }
    }

    // ---- fixed cost that is taken for units ----

    /** Chunks of one size tell nothing of it: such jobs had 125,000 chunks of a unit, and took a million times as long. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16, 300})
    void aFixedCostIsNotTakenForUnits(int promised) {
        Machine machine = Beds.machine(
                Work.EVEN,
                Beds.device(0, device(0, DeviceKind.CPU, 16), Beds.kernel(1 / 5.6, 5_000, 0.02)),
                Beds.device(1, device(1, DeviceKind.GPU, promised), Beds.kernel(1 / 40.0, 4.5e6, 0.02)));
        long units = 125_000;
        double best = new Series(machine, Policies.single(0), units, 1, 1).median(9);
        List<Series.Done> jobs = new Series(machine, Policies.adaptive(), units, 1, 1).run(100);
        for (int i = 0; i < jobs.size(); i++) {
            Series.Done job = jobs.get(i);
            String what = promised + " promised, job " + i + ": ";
            assertTrue(job.wall() < 10 * best, what + job.wall() / best + " times as long as by the best split");
            int chunks = job.report().devices().stream()
                    .mapToInt(device -> device.chunks())
                    .sum();
            assertTrue(chunks <= 200, what + chunks + " chunks");
        }
    }

    /** What a chunk takes whatever its size is not what its units take: 500 µs and 2.5 ns, of which small jobs have next to none. */
    @ParameterizedTest
    @ValueSource(doubles = {0.02, 0.1})
    void aHundredTimesAsManyUnitsAreNoSurprise(double noise) {
        Machine machine = Beds.machine(
                Work.EVEN,
                Beds.device(0, Beds.kernel(1 / 2.5, 500_000, noise)),
                Beds.device(1, Beds.kernel(1 / 2.5, 500_000, noise)));
        for (long small : new long[] {2_000, 20_000, 200_000}) {
            long large = 100 * small;
            double best = Math.min(
                    new Series(machine, Policies.fixed(), large, 1, 1).mean(50),
                    new Series(machine, Policies.single(0), large, 1, 1).mean(50));
            for (long seed = 1; seed <= 3; seed++) {
                Series series = new Series(machine, Policies.adaptive(), small, 1, seed);
                series.run(300);
                series.resize(large);
                double[] over = series.run(30).stream()
                        .mapToDouble(job -> job.wall() / best)
                        .toArray();
                String what = small + " units, then " + large + ", seed " + seed + ": ";
                assertTrue(over[0] <= 2, what + "the first took " + over[0] + " times as long as it might");
                double mean = Regret.mean(over, 0, 30);
                assertTrue(mean <= 1.15, what + "30 took " + mean + " times as long as they might");
            }
        }
    }

    // ---- machines of Regret ----

    private static Scenario scenario(String name) {
        return Regret.scenarios().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.02, 0.1, 0.3})
    void aMuchFasterGpuCostsLittleInTheFirstJob(double noise) {
        double[] firsts = new double[20];
        for (int seed = 0; seed < firsts.length; seed++) {
            firsts[seed] = Regret.run(scenario("GPU 30 times faster"), noise, Policies.adaptive(), 1, seed + 1)[0];
        }
        double first = Regret.mean(firsts, 0, firsts.length);
        assertTrue(first < 1.5, "the first job took " + first + " times as long as by the best split");
    }

    @ParameterizedTest
    @ValueSource(strings = {"four GPUs", "eight GPUs", "four GPUs, dear in the middle"})
    void equalGpusAllWorkFromTheBeginning(String name) {
        Scenario scenario = scenario(name);
        for (double noise : new double[] {0.02, 0.1}) {
            Series series = new Series(scenario.machine(noise), Policies.adaptive(), Regret.UNITS, 1, 1);
            List<Series.Done> jobs = series.run(3);
            assertEquals((1L << scenario.lanes()) - 1, jobs.get(2).set(), "noise " + noise);
        }
    }
}
