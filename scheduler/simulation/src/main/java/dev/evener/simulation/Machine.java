package dev.evener.simulation;

import dev.evener.EvenerException;
import dev.evener.policy.Policies;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A machine to simulate jobs on: its devices, and what the kernels are that they run. Made by {@link Models#fit} of what a
 * real one did, or from a file, or by hand. Immutable.
 *
 * @param devices at least 1, in lane order
 * @param kernels what is the same of a kernel on all devices, by its name; kernels that are not here are {@link
 *     KernelWork#EVEN}
 * @param planNanos from a job's turn until its devices are called, while it is decided how it is cut, by the policy's name;
 *     a policy that is not here takes what the middle one of these does, and no time if there are none
 */
public record Machine(List<DeviceModel> devices, Map<String, KernelWork> kernels, Map<String, Times> planNanos) {
    /** @throws IllegalArgumentException if there are no devices, or two with the same id */
    public Machine {
        devices = List.copyOf(devices);
        kernels = Collections.unmodifiableMap(new TreeMap<>(kernels));
        planNanos = Collections.unmodifiableMap(new TreeMap<>(planNanos));
        if (devices.isEmpty()) {
            throw new IllegalArgumentException("a machine of 0 devices: there must be 1 at least");
        }
        Set<String> ids = new HashSet<>();
        for (DeviceModel each : devices) {
            if (!ids.add(each.device().id())) {
                throw new IllegalArgumentException(
                        "two devices with the id " + each.device().id() + ": each needs one of its own");
            }
        }
    }

    /** One that cuts jobs in no time. */
    public Machine(List<DeviceModel> devices, Map<String, KernelWork> kernels) {
        this(devices, kernels, Map.of());
    }

    /** Kernels without host steps, whose units are alike. */
    public static Machine of(DeviceModel... devices) {
        return new Machine(List.of(devices), Map.of());
    }

    /** Whether anything takes another time now and then: if not, all seeds give the same. */
    public boolean scatters() {
        Stream<Times> ofKernels = devices.stream()
                .flatMap(d -> Stream.concat(d.kernels().values().stream(), d.alone().values().stream()))
                .flatMap(KernelModel::times);
        Stream<Times> ofDevices =
                devices.stream().flatMap(d -> Stream.of(d.wakeNanos(), d.link().factor()));
        return Stream.of(planNanos.values().stream(), ofDevices, ofKernels)
                .flatMap(times -> times)
                .anyMatch(times -> times.quantiles().size() > 1);
    }

    /** What a policy takes to cut a job, however it is set. */
    Times planNanos(String policy) {
        Times own = planNanos.get(Policies.nameOf(policy));
        if (own != null || planNanos.isEmpty()) {
            return own == null ? Times.NONE : own;
        }
        return planNanos.values().stream()
                .sorted(Comparator.comparingDouble(Times::median))
                .skip(planNanos.size() / 2)
                .findFirst()
                .orElse(Times.NONE);
    }

    /**
     * The machine that a file describes: docs/records.md has the format.
     *
     * @throws EvenerException if it describes none; the message names the file, the place in it and the reason
     * @throws IOException if it cannot be read
     */
    public static Machine read(Path file) throws IOException {
        return MachineFile.read(file);
    }

    /** Writes it to a file, all or nothing. */
    public void write(Path file) throws IOException {
        MachineFile.write(this, file);
    }
}
