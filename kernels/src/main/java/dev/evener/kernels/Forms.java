package dev.evener.kernels;

import dev.evener.DeviceKind;
import dev.evener.Job;
import dev.evener.Variant;
import java.util.function.BinaryOperator;

/**
 * Which form of a kernel a class of devices gets. Kernels know it as the macro {@code FORM}: 1 on CPUs, where a group is one
 * work-item; 2 on GPUs and accelerators, whose groups share local memory. Where lanes of a warp can exchange values, {@code
 * warp.cl} makes 3 of 2.
 */
public final class Forms {
    /** What CPUs get of the variants for CPUs and for other devices, in jobs made by this thread. Only tests change it. */
    static final ThreadLocal<BinaryOperator<Variant>> CPU_CHOICE = ThreadLocal.withInitial(() -> (cpu, other) -> cpu);

    private Forms() {}

    /** Gives the builder's present kernel both. */
    public static Job.Builder add(Job.Builder job, Variant cpu, Variant other) {
        Variant groups = form(2, other);
        return job.variant(DeviceKind.CPU, CPU_CHOICE.get().apply(form(1, cpu), groups))
                .variant(DeviceKind.GPU, groups)
                .variant(DeviceKind.ACCELERATOR, groups);
    }

    private static Variant form(int form, Variant variant) {
        return variant.withOptions(("-D FORM=" + form + " " + variant.options()).strip());
    }
}
