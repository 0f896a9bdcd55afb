package dev.evener.workloads.workload;

import dev.evener.Job;
import dev.evener.Variant;
import dev.evener.kernels.DeviceVariants;

/** How the kernels of this package are launched: one way on CPUs, another on everything else. */
final class Variants {
    private static final int CPU_GROUP = 64;
    private static final int OTHER_GROUP = 256;

    private Variants() {}

    /**
     * One work-item for each unit, in groups of a fixed size: PoCL compiles a kernel anew for every group size that it meets,
     * and left to itself takes another for every chunk. The kernel must guard against the excess of the last group.
     *
     * @param rounds of the kernel's loops, at most
     */
    static Job.Builder itemForEachUnit(Job.Builder job, long rounds) {
        return DeviceVariants.add(
                job, Variant.itemsPerUnit(1, CPU_GROUP).withRounds(rounds), Variant.itemsPerUnit(1, OTHER_GROUP));
    }
}
