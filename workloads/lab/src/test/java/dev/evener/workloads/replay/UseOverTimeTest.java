package dev.evener.workloads.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.policy.Policies;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MakespanBound;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Bounds of a live run, by what its devices took: here of one whose machine is known. */
class UseOverTimeTest {
    private static DeviceModel device(String id, double perUnit) {
        DeviceInfo info = new DeviceInfo(id, "simulated", id, DeviceKind.CPU, "", 1, 0, 0, 1, 0, 1, 1000, true, id);
        return DeviceModel.of(info, Map.of("k", KernelModel.of(1000, perUnit))).withMemory("own " + id);
    }

    @Test
    void boundsOfALiveRunAreThoseOfItsMachine() {
        Machine machine = Machine.of(device("0.0", 10), device("0.1", 30));
        List<DeviceInfo> devices =
                machine.devices().stream().map(DeviceModel::device).toList();
        List<SimulatedJob> jobs = new ArrayList<>();
        List<Map.Entry<Long, List<Integer>>> asked = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            List<Integer> before = i % 5 > 0 ? List.of(i - 1) : List.of(); // chains of five
            jobs.add(SimulatedJob.of("k", 20_000 + 1000 * (i % 7), 10, Policies.guided())
                    .at(100_000L * i)
                    .behind(before, 0));
            asked.add(Map.entry(100_000L * i, before));
        }
        UseOverTime use = UseOverTime.live();
        UseOverTime plain = new UseOverTime();
        Simulator simulator = new Simulator(machine).seed(1).listener(use).listener(plain);
        jobs.forEach(simulator::submit);
        double makespan = simulator.run().stream()
                .mapToDouble(o -> o.submitted()
                        + (double) o.report().queuedNanos()
                        + o.report().wallNanos())
                .max()
                .orElseThrow();
        MakespanBound said = use.bound(devices, asked);
        MakespanBound is = MakespanBound.of(machine, jobs);
        assertNotNull(said);
        assertEquals(is.areaNanos(), said.areaNanos(), 0.01 * is.areaNanos());
        assertEquals(is.longestNanos(), said.longestNanos(), 0.01 * is.longestNanos());
        assertTrue(said.nanos() <= makespan, () -> said + " and " + makespan);
        assertNull(plain.bound(devices, asked), "only where events are kept");
        assertNull(use.bound(devices, asked.subList(0, 3)), "those of others were among them");
        MakespanBound atOnce = use.bound(devices);
        assertNotNull(atOnce, "of a record's jobs");
        assertEquals(atOnce.longestNanos(), atOnce.pathNanos(), 1, "pauses between them may have been for data");
        assertNull(UseOverTime.live().bound(devices), "nothing ran");
    }
}
