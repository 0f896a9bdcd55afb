package dev.evener.kernels.map;

import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.DeviceVariants;

/** What the jobs of this package share: how {@code map.cl} is built and launched. */
final class ElementWise {
    private static final KernelSource SOURCE = KernelSource.resource(ElementWise.class, "map.cl");

    /** Bytes of each buffer that a CPU's work-item touches: enough to hide its launch, few enough to balance. */
    private static final int BYTES_PER_ITEM = 64 * 1024;

    private static final int VECTOR_BYTES = 16;
    private static final int GROUP = 256;

    private ElementWise() {}

    /**
     * A job over so many elements, ready for the kernel's arguments.
     *
     * @param asGpu whether CPUs run what GPUs do, for tests
     */
    static Job.Builder job(String name, String kernel, ElementType type, long elements, boolean asGpu) {
        int item = BYTES_PER_ITEM / type.bytes();
        Variant cpu = Variant.unitsPerItem(item, 1).withOptions("-D ITEM=" + item);
        Variant other = Variant.unitsPerItem(VECTOR_BYTES / type.bytes(), GROUP);
        return DeviceVariants.add(
                Job.named(name).source(SOURCE).units(elements).kernel(kernel),
                asGpu ? other.withOptions("-D AS_GPU") : cpu,
                other);
    }
}
