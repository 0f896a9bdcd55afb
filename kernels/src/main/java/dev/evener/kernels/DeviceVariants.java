package dev.evener.kernels;

import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;

/** The two classes of devices that kernels here are written for: CPUs, and everything that runs many work-items at once. */
public final class DeviceVariants {
    private DeviceVariants() {}

    /** Gives the builder's present phase both. */
    public static Job.Builder add(Job.Builder job, Variant cpu, Variant other) {
        return job.variant(DeviceKind.CPU, cpu).variant(DeviceKind.GPU, other).variant(DeviceKind.ACCELERATOR, other);
    }
}
