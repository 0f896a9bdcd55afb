package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.internal.JobSpec;

/** A device on a virtual clock, whose chunks take what a test says and nothing else but a launch of microseconds. */
record ModelledDevice(DeviceInfo device, long startNanos, KernelTime kernel) implements VirtualDevice {

    /** Nanoseconds that a kernel takes for so many units. */
    interface KernelTime {
        double of(JobSpec.Phase phase, long units);
    }

    @Override
    public int memory() {
        return 0;
    }

    @Override
    public long wakeNanos() {
        return 10_000;
    }

    @Override
    public void run(JobSpec job, JobSpec.Phase phase, long firstUnit, long units, Cost into) {
        into.submitNanos = 2_000;
        into.startNanos = startNanos;
        into.kernelNanos = kernel.of(phase, units);
        into.transferNanos = 0;
        into.overlapNanos = 0;
        into.noticeNanos = 1_000;
        into.slowdown = 1;
        into.bytesIn = 0;
        into.bytesOut = 0;
    }
}
