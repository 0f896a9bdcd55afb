package dev.evener.simulation.policy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import dev.evener.simulation.policy.Beds.Work;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines of any number of devices: those a word of 64 apart are two as any others are. */
@InTurn(3)
class ManyDevicesTest {
    private static final int UNITS = 1 << 20;

    /** Devices of which each five take 1 to 5 ns for a unit. */
    private static Machine machine(int devices, double noise) {
        DeviceModel[] all = new DeviceModel[devices];
        Arrays.setAll(all, i -> Beds.device(i, Beds.kernel(1.0 / nanosPerUnit(i), 5_000, noise)));
        return Beds.machine(Work.EVEN, all);
    }

    private static int nanosPerUnit(int device) {
        return 1 + device % 5;
    }

    private static double units(Series.Done job, int device) {
        return job.report().devices().get(device).units();
    }

    @ParameterizedTest
    @ValueSource(ints = {62, 63, 64, 65, 128})
    void adaptiveSharesAJobByTheirSpeeds(int devices) {
        Series series = new Series(machine(devices, 0.02), Policies.adaptive(), 64L * UNITS, 64, 3);
        series.run(80);
        double rates = 0;
        for (int i = 0; i < devices; i++) {
            rates += 1.0 / nanosPerUnit(i);
        }
        double ideal = 64L * UNITS / rates + Beds.WAKE + Beds.HOST;
        double took = series.median(11); // of many that are 2 % off by chance the last one is later by 5 %
        assertTrue(took < 1.08 * ideal, "it takes " + took + ", the best split " + ideal);
        List<Series.Done> jobs = series.run(21); // some of which are looks
        for (int i = 0; i < devices; i++) {
            int device = i;
            double units = jobs.stream()
                    .mapToDouble(job -> units(job, device))
                    .sorted()
                    .skip(10)
                    .findFirst()
                    .orElseThrow();
            if (units > 0
                    || nanosPerUnit(i) < 3) { // without one of the others a job takes less than a hundredth longer
                assertEquals(1, units * rates * nanosPerUnit(i) / (64.0 * UNITS), 0.2, "device " + i);
            }
        }
    }

    /** Whatever the policy, with a device lost in mid-job and another one slowed, whose numbers are a word apart. */
    @ParameterizedTest
    @ValueSource(ints = {65, 128})
    void everyUnitIsRunOnce(int devices) {
        for (Policy policy : List.of(
                Policies.adaptive(),
                Policies.guided(),
                Policies.stealing(),
                Policies.history(),
                Policies.fixed(),
                Policies.single(devices - 1))) {
            List<RunEvent.Chunk> chunks = new ArrayList<>();
            Simulator simulator = new Simulator(machine(devices, 0.05))
                    .listener(event -> {
                        if (event instanceof RunEvent.Chunk chunk) {
                            chunks.add(chunk);
                        }
                    })
                    .event(new MachineEvent(Beds.id(devices - 65), MachineEvent.Kind.SLOWED, 0, Long.MAX_VALUE, 3))
                    .event(MachineEvent.parse(Beds.id(devices - 2) + " lost at 100 ms"));
            for (int i = 0; i < 4; i++) {
                simulator.submit(SimulatedJob.of(Beds.KERNEL, UNITS, 1, policy).at(i * 99_950_000L / 3));
            }
            for (Simulator.Outcome outcome : simulator.run()) {
                assertNull(outcome.failure(), policy.name());
            }
            Map<Long, byte[]> hits = new TreeMap<>();
            for (RunEvent.Chunk chunk : chunks) {
                byte[] own = hits.computeIfAbsent(chunk.job(), job -> new byte[UNITS]);
                for (long i = 0; i < chunk.units(); i++) {
                    own[(int) (chunk.firstUnit() + i)]++;
                }
            }
            assertEquals(4, hits.size());
            byte[] once = new byte[UNITS];
            Arrays.fill(once, (byte) 1);
            hits.values().forEach(each -> assertArrayEquals(once, each, policy.name()));
        }
    }

    /** One lane that is far faster than the rest is found, and its evidence counts for no other. */
    @ParameterizedTest
    @ValueSource(ints = {3, 67})
    void theFastestIsFoundWhateverItsNumber(int fastest) {
        DeviceModel[] all = new DeviceModel[128];
        Arrays.setAll(all, i -> Beds.device(i, Beds.kernel(i == fastest ? 1 : 1 / 5000.0, 20_000, 0.02)));
        Series series = new Series(Beds.machine(Work.EVEN, all), Policies.adaptive(), UNITS, 1, 1);
        series.run(60);
        for (Series.Done job : series.run(20)) {
            assertTrue(units(job, fastest) > 0.9 * UNITS, () -> units(job, fastest) + " of " + job.plan());
            assertTrue(job.report().devices().get(fastest).aloneNanos() > 0);
        }
    }

    /** Guards against a device whose disturbances are those of another, in the same run or in that of the next seed. */
    @Test
    void devicesAreDisturbedEachInItsOwnWay() {
        DeviceModel[] all = new DeviceModel[192];
        Arrays.setAll(all, i -> Beds.device(i, Beds.kernel(0.01, 0, 0.3)));
        Series series = new Series(Beds.machine(Work.EVEN, all), Policies.fixed(), all.length, 1, 1);
        List<Long> busy = new ArrayList<>();
        for (int seed = 0; seed < 2; seed++) {
            series.run(1).get(0).report().devices().forEach(use -> busy.add(use.kernelNanos()));
        }
        for (int i = 0; i + 20 <= busy.size(); i++) {
            for (int j = 0; j < i; j++) {
                assertNotEquals(busy.subList(i, i + 20), busy.subList(j, j + 20), j + " and " + i);
            }
        }
    }

    @Test
    void aFileHoldsAsMany(@TempDir Path folder) throws Exception {
        Machine machine = machine(128, 0);
        machine.write(folder.resolve("m.json"));
        Machine read = Machine.read(folder.resolve("m.json"));
        for (int i = 0; i < 128; i++) {
            assertEquals(Beds.id(i), read.devices().get(i).device().id());
            assertEquals(
                    machine.devices().get(i).kernels(), read.devices().get(i).kernels());
        }
    }
}
