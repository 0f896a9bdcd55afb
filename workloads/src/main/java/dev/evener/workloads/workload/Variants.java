package dev.evener.workloads.workload;

import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;

/** How the kernels of this package are launched: one way on CPUs, another on everything else. */
final class Variants {
    private Variants() {}

    /** Gives the builder's present phase both. */
    static Job.Builder add(Job.Builder job, Variant cpu, Variant other) {
        return job.variant(DeviceKind.CPU, cpu).variant(DeviceKind.GPU, other).variant(DeviceKind.ACCELERATOR, other);
    }
}
