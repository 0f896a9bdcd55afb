package dev.evener.kernels;

import dev.evener.DeviceKind;
import dev.evener.JobBuilder;
import dev.evener.Variant;

/**
 * Which form of a kernel a class of devices gets. Kernels know it as the macro {@code FORM}: 1 on CPUs, where a group is one
 * work-item; 2 on GPUs and accelerators, whose groups share local memory. Where lanes of a warp can exchange values, {@code
 * warp.cl} makes 3 of 2.
 */
public final class Forms {
    private Forms() {}

    /** Gives the builder's present kernel both. */
    public static JobBuilder add(JobBuilder job, Variant cpu, Variant other) {
        Variant groups = form(2, other);
        return job.variant(DeviceKind.CPU, form(1, cpu))
                .variant(DeviceKind.GPU, groups)
                .variant(DeviceKind.ACCELERATOR, groups);
    }

    private static Variant form(int form, Variant variant) {
        return variant.withOptions(("-D FORM=" + form + " " + variant.options()).strip());
    }
}
