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

    /**
     * Gives it both where units are done one by one: each by a CPU's work-item, and by so many work-items of other devices.
     *
     * @param options of both
     * @param rounds of the loops of a CPU's work-item
     * @param more options of the others
     */
    public static JobBuilder perUnit(JobBuilder job, String options, long rounds, int items, int group, String more) {
        return add(
                job,
                Variant.unitsPerItem(1).withGroupSize(1).withOptions(options).withRounds(rounds),
                Variant.itemsPerUnit(items).withGroupSize(group).withOptions(options + more));
    }

    private static Variant form(int form, Variant variant) {
        return variant.withOptions(("-D FORM=" + form + " " + variant.options()).strip());
    }
}
