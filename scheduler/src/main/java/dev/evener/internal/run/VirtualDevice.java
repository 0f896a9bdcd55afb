package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.internal.JobSpec;

/** What a {@link VirtualLane} asks in place of a device. For one thread. */
public interface VirtualDevice {

    /** Whom it stands for. */
    DeviceInfo device();

    /** Devices with the same number take time from one another where a chunk says so. */
    int memory();

    /** Whether it takes a chunk while it runs another. */
    default boolean takesAnother() {
        return false;
    }

    /** From being called to being at work, in nanoseconds. */
    long wakeNanos();

    /**
     * What a chunk will take.
     *
     * @param into filled in completely
     */
    void run(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, Cost into);

    /** What one chunk takes, in nanoseconds and bytes, on a device that is disturbed by nobody. Reused. */
    final class Cost {
        /** From taking it until the host has kept a copy of what it updates. */
        public long saveNanos;
        /** From there until its commands are enqueued. */
        public long submitNanos;
        /** From there until the device begins. */
        public long startNanos;
        /** In kernels. */
        public double kernelNanos;
        /** In transfers. */
        public double transferNanos;
        /** Of these two, what goes on at once. */
        public double overlapNanos;
        /** From the end until the lane takes notice. */
        public long noticeNanos;
        /** From there until it has read the chunk's times and can tell others. */
        public long settleNanos;
        /** How many times longer it takes while one other device works on the same memory, at least 1; two slow it twice as much. */
        public double slowdown;
        /** Bytes sent to the device. */
        public long bytesIn;
        /** Bytes fetched from it. */
        public long bytesOut;

        double busyNanos() {
            return Math.max(1, kernelNanos + transferNanos - overlapNanos);
        }
    }
}
