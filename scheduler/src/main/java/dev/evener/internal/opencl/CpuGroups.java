package dev.evener.internal.opencl;

/**
 * Group sizes for kernels that leave them to the runtime, on CPU devices. PoCL compiles a kernel anew for every group size
 * it meets (0.1 to 0.5 s each), and its own choice is a divisor of the launch's size, so another for nearly every chunk
 * and for every job whose shares moved a little. Powers of two are few.
 */
final class CpuGroups {
    /** From here on a group's own cost does not show any more, even with a kernel as short as saxpy. */
    static final int MOST = 64;

    /** Groups for each compute unit that a launch is to have before they grow. */
    private static final int GROUPS_PER_UNIT = 4;

    private CpuGroups() {}

    /**
     * The group size of a launch: the largest power of two that divides it, up to {@link #MOST}, and leaves every core a few
     * groups.
     *
     * @param items work-items, at least 1
     * @param computeUnits the device's
     */
    static long size(long items, int computeUnits) {
        long most = Math.min(MOST, items / ((long) GROUPS_PER_UNIT * Math.max(1, computeUnits)));
        return Math.min(Long.lowestOneBit(items), Long.highestOneBit(Math.max(1, most)));
    }
}
