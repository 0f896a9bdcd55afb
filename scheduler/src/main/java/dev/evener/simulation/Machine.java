package dev.evener.simulation;

import dev.evener.EvenerException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A machine to simulate jobs on: its devices, and what the kernels are that they run. Made by {@link Models#fit} of what a
 * real one did, or from a file, or by hand. Immutable.
 *
 * @param devices at least 1 and at most 62, in lane order
 * @param kernels what is the same of a kernel on all devices, by its name; kernels that are not here are {@link
 *     KernelWork#EVEN}
 */
public record Machine(List<DeviceModel> devices, Map<String, KernelWork> kernels) {
    private static final int MOST_DEVICES = 62;

    /** @throws IllegalArgumentException if there are no devices, too many, or two with the same id */
    public Machine {
        devices = List.copyOf(devices);
        kernels = Collections.unmodifiableMap(new TreeMap<>(kernels));
        if (devices.isEmpty() || devices.size() > MOST_DEVICES) {
            throw new IllegalArgumentException(
                    "a machine of " + devices.size() + " devices: there must be 1 to " + MOST_DEVICES);
        }
        Set<String> ids = new HashSet<>();
        for (DeviceModel each : devices) {
            if (!ids.add(each.device().id())) {
                throw new IllegalArgumentException(
                        "two devices with the id " + each.device().id() + ": each needs one of its own");
            }
        }
    }

    /** Kernels without host steps, whose units are alike. */
    public static Machine of(DeviceModel... devices) {
        return new Machine(List.of(devices), Map.of());
    }

    /**
     * The machine that a file describes: docs/simulation.md has the format.
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
