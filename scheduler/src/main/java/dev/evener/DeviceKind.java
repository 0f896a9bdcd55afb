package dev.evener;

/** The class of a device, for which a kernel may have a variant of its own. */
public enum DeviceKind {
    CPU,
    GPU,
    ACCELERATOR,
    /** Threads of this JVM, running the Java form of a kernel. */
    JVM;

    /** Whether it computes on the host's own cores, where kernels and the host's steps compete. */
    public boolean isHostProcessor() {
        return this == CPU || this == JVM;
    }
}
