package dev.evener.internal.opencl;

/**
 * Lays a device's profiling clock on {@link System#nanoTime}. A command was queued after the host began to enqueue it and
 * before that call returned, and had ended when the host's wait for it returned; these bound the offset between the clocks
 * from both sides, also where a driver runs the kernel inside the enqueue call. The tightest bounds seen lately give the
 * offset, with an error of at most half their distance. Belongs to one lane's thread.
 */
final class ClClock {
    /** After this long any bounds replace the old ones, since clocks drift. */
    private static final long LIFETIME_NANOS = 5_000_000_000L;

    private long offset;
    private long width = Long.MAX_VALUE;
    private long taken;
    private long ended = Long.MIN_VALUE;
    private long endedOnDevice = Long.MIN_VALUE;

    /**
     * Learns from one command.
     *
     * @param hostBefore host time before the enqueue call
     * @param hostAfter host time after it
     * @param hostReturned host time when the wait had returned
     * @param deviceQueued the command's QUEUED time
     * @param deviceEnd the END time of the last command waited for
     */
    void observe(long hostBefore, long hostAfter, long hostReturned, long deviceQueued, long deviceEnd) {
        long least = hostBefore - deviceQueued;
        long most = Math.min(hostAfter - deviceQueued, hostReturned - deviceEnd);
        long newWidth = Math.max(0, most - least);
        if (newWidth <= width || hostReturned - taken > LIFETIME_NANOS) {
            width = newWidth;
            taken = hostReturned;
            offset = least + newWidth / 2;
        }
    }

    /** A chunk has ended at a host time; that of the chunk before. */
    long ended(long now) {
        long before = ended;
        ended = now;
        return before;
    }

    /** A chunk has ended at a device time; that of the chunk before. */
    long endedOnDevice(long deviceEnd) {
        long before = endedOnDevice;
        endedOnDevice = deviceEnd;
        return before;
    }

    /** A device time in host nanoseconds. */
    long toHost(long deviceNanos) {
        return deviceNanos + offset;
    }
}
