package dev.evener.simulation.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.evener.DeviceInfo;
import dev.evener.DeviceKind;
import dev.evener.History;
import dev.evener.MadeUpDevices;
import dev.evener.event.RunEvent;
import dev.evener.policy.Policy;
import dev.evener.simulation.DeviceModel;
import dev.evener.simulation.KernelModel;
import dev.evener.simulation.KernelWork;
import dev.evener.simulation.Machine;
import dev.evener.simulation.MachineEvent;
import dev.evener.simulation.SimulatedJob;
import dev.evener.simulation.Simulator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Jobs that cannot be cut, on lanes of which each takes so many nanoseconds for a kind of job; nothing scatters, and lanes do not slow
 * each other down.
 *
 * @param nanos by lane, then by kind
 */
@SuppressWarnings("ArrayRecordComponent") // which nobody changes
record Fleet(long[][] nanos) {
    static final long MILLI = 1_000_000;

    /** Lanes of these speeds, for kinds of these lengths. */
    static Fleet of(double[] speeds, long... lengths) {
        long[][] nanos = new long[speeds.length][lengths.length];
        for (int lane = 0; lane < speeds.length; lane++) {
            for (int kind = 0; kind < lengths.length; kind++) {
                nanos[lane][kind] = Math.round(lengths[kind] / speeds[lane]);
            }
        }
        return new Fleet(nanos);
    }

    private static String kernel(int kind) {
        return "k" + kind;
    }

    private Machine machine() {
        List<DeviceModel> devices = new ArrayList<>();
        Map<String, KernelWork> work = new HashMap<>();
        for (int lane = 0; lane < nanos.length; lane++) {
            Map<String, KernelModel> kernels = new HashMap<>();
            for (int kind = 0; kind < nanos[lane].length; kind++) {
                kernels.put(
                        kernel(kind),
                        KernelModel.of(0, (double) nanos[lane][kind]).withLaunch(2_000, 2_000, 2_000));
                work.put(kernel(kind), KernelWork.EVEN);
            }
            int speed = (int) Math.round(1000.0 * nanos[0][0] / nanos[lane][0]);
            devices.add(DeviceModel.of(device("0." + lane, speed), kernels)
                    .withMemory("m" + lane)
                    .withWake(10_000));
        }
        return new Machine(devices, work);
    }

    /** One of a class by its clock, by which it promises its speed at the first kind of job. */
    private static DeviceInfo device(String id, int megahertz) {
        return new DeviceInfo(
                id,
                MadeUpDevices.POCL,
                "cpu at " + megahertz,
                DeviceKind.CPU,
                "1.0",
                4,
                1L << 30,
                1L << 28,
                128,
                64,
                16,
                megahertz,
                true,
                "cpu " + id);
    }

    /** One job. */
    record Task(int kind, long arrival, List<Integer> behind) {
        static Task of(int kind) {
            return new Task(kind, 0, List.of());
        }
    }

    /** When the last of some jobs ends, decided by a policy and by what a history knows, in nanoseconds. */
    double makespan(Policy policy, History history, List<Task> tasks) {
        long[] ends = ends(policy, history, tasks);
        return ends[ends.length - 1];
    }

    /** When jobs end, the first one in front. */
    long[] ends(Policy policy, History history, List<Task> tasks, MachineEvent... events) {
        List<RunEvent.Ended> ended = new ArrayList<>();
        Simulator simulator = new Simulator(machine()).history(history).listener(event -> {
            if (event instanceof RunEvent.Ended end) {
                ended.add(end);
            }
        });
        for (MachineEvent event : events) {
            simulator.event(event);
        }
        for (Task task : tasks) {
            simulator.submit(SimulatedJob.of(kernel(task.kind), 1, 1, policy)
                    .at(task.arrival)
                    .behind(task.behind, 0));
        }
        simulator.run().forEach(outcome -> assertNull(outcome.failure()));
        assertEquals(tasks.size(), ended.size());
        return ended.stream().mapToLong(RunEvent.Ended::at).sorted().toArray();
    }
}
