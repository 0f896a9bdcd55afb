package dev.evener.internal.opencl;

/**
 * Lays a device's profiling clock on {@link System#nanoTime}. Each command's QUEUED time is taken while the host is inside
 * the enqueue call, so the host times around that call bracket it; the tightest bracket seen lately gives the offset, with
 * an error of at most half its width. Belongs to one lane's thread.
 */
final class ClClock {
    /** After this long a bracket is replaced by the next, since clocks drift. */
    private static final long LIFETIME_NANOS = 2_000_000_000L;

    private long offset;
    private long width = Long.MAX_VALUE;
    private long taken;

    /** Learns from one command. */
    void observe(long hostBefore, long hostAfter, long deviceQueued) {
        long newWidth = hostAfter - hostBefore;
        if (newWidth <= width || hostAfter - taken > LIFETIME_NANOS) {
            width = newWidth;
            taken = hostAfter;
            offset = hostBefore + newWidth / 2 - deviceQueued;
        }
    }

    /** A device time in host nanoseconds. */
    long toHost(long deviceNanos) {
        return deviceNanos + offset;
    }
}
