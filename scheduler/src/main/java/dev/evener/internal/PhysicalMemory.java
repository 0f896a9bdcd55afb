package dev.evener.internal;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How much memory the machine has. Stateless. */
public final class PhysicalMemory {
    private static final long BYTES = ask();

    private PhysicalMemory() {}

    /** Bytes that this machine, or the container around this process, has; {@link Long#MAX_VALUE} where the JVM does not say. */
    public static long bytes() {
        return BYTES;
    }

    private static long ask() {
        try {
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            long bytes = system == null ? 0 : system.getTotalMemorySize();
            return bytes > 0 ? bytes : Long.MAX_VALUE;
        } catch (LinkageError | RuntimeException e) { // another JVM than HotSpot, or one without its management
            return Long.MAX_VALUE;
        }
    }
}
