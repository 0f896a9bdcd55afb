package dev.evener.kernels.map;

import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;

/** What the jobs of this package share: how {@code map.cl} is built and launched. */
final class ElementWise {
    private static final KernelSource SOURCE = KernelSource.resource(
                    ElementWise.class, "/dev/evener/kernels/store.cl", "map.cl")
            .withTrialLaunch();

    private static final int VECTOR_BYTES = 16;

    private ElementWise() {}

    /** A job over so many elements, ready for the kernel's arguments. */
    static JobBuilder job(String name, String kernel, ElementType type, long elements, Tuning tuning) {
        int item = tuning.value(Parameter.MAP_CPU_BYTES) / type.bytes();
        Variant cpu = Variant.unitsPerItem(item).withGroupSize(1).withOptions("-D ITEM=" + item);
        Variant other =
                Variant.unitsPerItem(VECTOR_BYTES / type.bytes()).withGroupSize(tuning.value(Parameter.MAP_GROUP));
        return Forms.add(Job.named(name).source(SOURCE).units(elements).kernel(kernel), cpu, other);
    }
}
