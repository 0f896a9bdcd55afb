package dev.evener.simulation;

import dev.evener.DeviceKind;
import dev.evener.MadeUpDevices;
import java.util.Map;

/** Machines to simulate on. */
final class Beds {
    private Beds() {}

    static DeviceModel device(String id, Map<String, KernelModel> kernels) {
        return DeviceModel.of(
                MadeUpDevices.device(id, "made up", "device " + id, DeviceKind.CPU, 1, 1, 16, id), kernels);
    }

    static DeviceModel device(String id, KernelModel k) {
        return device(id, Map.of("k", k));
    }

    /** Two devices of different speed that scatter, launch and hinder one another, and kernels {@code k} and {@code after}. */
    static Machine uneven() {
        KernelModel fast = KernelModel.of(2000, 10)
                .withSpread(0.05)
                .withLaunch(300, 900, 2500)
                .withSlowdown(1.3);
        KernelModel slow = KernelModel.of(5000, 31)
                .withSpread(0.1)
                .withLaunch(800, 700, 4000)
                .withSlowdown(1.2);
        return Machine.of(
                device("0.0", Map.of("k", fast, "after", fast)).withWake(20_000),
                device("0.1", Map.of("k", slow, "after", slow)).withWake(30_000));
    }
}
