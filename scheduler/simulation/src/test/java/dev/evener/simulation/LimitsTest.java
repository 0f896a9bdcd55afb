package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.EvenerException;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policies;
import dev.evener.policy.Power;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What machines have so much of and no more: memory, devices at once, power. */
class LimitsTest {
    private static final KernelModel KERNEL = KernelModel.of(0, 1000);

    private static Machine lanes(int count) {
        DeviceModel[] devices = new DeviceModel[count];
        Arrays.setAll(devices, i -> Beds.device("0." + i, KERNEL).withMemory("m" + i));
        return Machine.of(devices);
    }

    /** A file says it, chunks keep to it, and what is simulated is fitted and written again. */
    @Test
    void chunksAreNoLargerThanMemory(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("small.json");
        Files.writeString(file, """
                {"format": "evener-machine", "version": 1, "devices": [{"id": "0.0", "kind": "gpu", "memory": "own",
                  "memoryBytes": 1200, "idleWatts": 30, "busyWatts": 200,
                  "link": {"bytesPerSecondIn": 1e9, "bytesPerSecondOut": 1e9},
                  "kernels": {"k": {"nanosPerUnit": 10, "bytesInPerUnit": 8, "bytesOutPerUnit": 4}}}]}
                """);
        Machine machine = Machine.read(file);
        List<Long> chunks = new ArrayList<>();
        Simulator simulator = new Simulator(machine).listener(event -> {
            if (event instanceof RunEvent.Chunk chunk) {
                chunks.add(chunk.units());
            }
        });
        simulator.submit(SimulatedJob.of("k", 1000, 1, Policies.named("static")));
        assertNull(simulator.run().get(0).failure());
        assertEquals(1000, chunks.stream().mapToLong(each -> each).sum());
        assertTrue(chunks.stream().allMatch(each -> each <= 100), chunks::toString);
        assertEquals(new Power(30, 200), machine.devices().get(0).power());
        machine.write(file);
        assertEquals(machine, Machine.read(file));
    }

    @Test
    void powerOfAFileIsChecked() {
        assertEquals(30 * 10 + 170 * 4, new Power(30, 200).joules(10, 4));
        String message = assertThrows(IllegalArgumentException.class, () -> new Power(30, 20))
                .getMessage();
        assertTrue(message.contains("busyWatts is 20"), message);
    }

    /** Jobs of 2, 3 and 1 devices at once on four: the second waits for the first, and the third does not pass it. */
    @Test
    void jobsThatNeedDevicesAtOnceWaitForThemInTurn() {
        Simulator simulator = new Simulator(lanes(4));
        int[] needs = {2, 3, 1};
        for (int need : needs) {
            simulator.submit(
                    SimulatedJob.of("k", 600, 1, Policies.named("adaptive")).atOnce(need));
        }
        List<Simulator.Outcome> outcomes = simulator.run();
        assertEquals(
                List.of(0L, 300_000L, 300_000L),
                outcomes.stream().map(Simulator.Outcome::submitted).toList());
        assertEquals(
                List.of(0L, 0L, 0L),
                outcomes.stream().map(Simulator.Outcome::arrived).toList());
        assertEquals(
                List.of(300_000L, 200_000L, 600_000L),
                outcomes.stream().map(o -> o.report().wallNanos()).toList());
    }

    /**
     * Whatever they need and when they come, no device has two of them at a time, and each has all of its devices from
     * the beginning.
     */
    @Test
    void noDeviceHasTwoOfThem() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 30; round++) {
            int lanes = 1 + random.nextInt(6);
            Simulator simulator = new Simulator(lanes(lanes));
            for (int i = 0; i < 20; i++) {
                int need = 1 + random.nextInt(lanes);
                simulator.submit(SimulatedJob.of("k", need * (1L + random.nextInt(50)), 1, Policies.named("static"))
                        .at(random.nextInt(200_000))
                        .atOnce(need));
            }
            List<Simulator.Outcome> outcomes = simulator.run();
            for (Simulator.Outcome each : outcomes) {
                assertNull(each.failure());
                assertEquals(0, each.report().queuedNanos());
                assertEquals(each.job().atOnce(), used(each).size());
                assertEquals(
                        1000L * each.job().units() / each.job().atOnce(),
                        each.report().wallNanos());
                long end = each.submitted() + each.report().wallNanos();
                outcomes.stream()
                        .filter(other ->
                                !other.equals(each) && other.submitted() >= each.submitted() && other.submitted() < end)
                        .forEach(other -> assertTrue(used(other).stream().noneMatch(used(each)::contains)));
            }
        }
    }

    private static List<String> used(Simulator.Outcome of) {
        return of.report().devices().stream()
                .filter(d -> d.chunks() > 0)
                .map(d -> d.id())
                .toList();
    }

    @Test
    void moreThanThereAreIsRefused() {
        Simulator simulator = new Simulator(lanes(2));
        simulator.submit(SimulatedJob.of("k", 600, 1, Policies.named("static")).atOnce(3));
        String message = assertThrows(EvenerException.class, simulator::run).getMessage();
        assertTrue(message.contains("needs 3 devices at once, and may use [0.0, 0.1]"), message);
    }
}
