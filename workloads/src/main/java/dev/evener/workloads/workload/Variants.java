package dev.evener.workloads.workload;

import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;

/** How the kernels of this package are launched: one way on CPUs, another on everything else. */
final class Variants {
    private static final int CPU_GROUP = 64;
    private static final int OTHER_GROUP = 256;

    private Variants() {}

    /**
     * One work-item for each unit, in groups of a fixed size: PoCL compiles a kernel anew for every group size that it meets,
     * and left to itself takes another for every chunk. The kernel must guard against the excess of the last group.
     */
    static Job.Builder itemForEachUnit(Job.Builder job) {
        return add(job, Variant.itemsPerUnit(1, CPU_GROUP), Variant.itemsPerUnit(1, OTHER_GROUP));
    }

    /** Gives the builder's present phase both. */
    static Job.Builder add(Job.Builder job, Variant cpu, Variant other) {
        return job.variant(DeviceKind.CPU, cpu).variant(DeviceKind.GPU, other).variant(DeviceKind.ACCELERATOR, other);
    }
}
