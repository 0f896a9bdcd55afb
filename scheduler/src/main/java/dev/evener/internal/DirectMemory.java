package dev.evener.internal;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** How much memory outside of the heap this JVM allows. Stateless. */
public final class DirectMemory {
    private DirectMemory() {}

    /**
     * Most bytes that all direct buffers together may take, or {@link Long#MAX_VALUE} where this JVM does not say. Asked before
     * gigabytes are allocated one piece after another, only to find at the last one that there is no room.
     */
    public static long limit() {
        try {
            HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            if (vm == null) {
                return Long.MAX_VALUE;
            }
            long set = Long.parseLong(vm.getVMOption("MaxDirectMemorySize").getValue());
            return set > 0 ? set : Runtime.getRuntime().maxMemory();
        } catch (LinkageError | RuntimeException e) { // another JVM than HotSpot, or one without its management
            return Long.MAX_VALUE;
        }
    }
}
