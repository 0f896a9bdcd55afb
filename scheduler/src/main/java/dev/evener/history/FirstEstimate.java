package dev.evener.history;

import dev.evener.Access;
import dev.evener.DeviceInfo;
import dev.evener.DeviceProbe;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.policy.Snapshot.Estimate;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job that was never observed should take on a device, from the declarations of its buffers and what the device was
 * measured to do: launches, bytes transferred over the speed of the way there, bytes touched over the speed of the memory.
 * As nothing is known of what is computed, the last is a lower bound of the time that kernels take (the memory roof of
 * Williams, Waterman and Patterson, Roofline, 2009).
 *
 * <p>Collects over the phases of one job; used once, by one thread.
 */
final class FirstEstimate {
    private final DeviceProbe probe;
    private final DeviceProbe.@Nullable Transfers way; // null if none is needed
    private final Set<HostBuffer> there = Collections.newSetFromMap(new IdentityHashMap<>());
    private double fixed;
    private double kernel;
    private double transfer;

    private FirstEstimate(DeviceProbe probe, DeviceProbe.@Nullable Transfers way) {
        this.probe = probe;
        this.way = way;
    }

    /** {@link Estimate#UNKNOWN} without a probe, and where transfers are needed and were not measured. */
    static Estimate of(Job job, DeviceInfo device, @Nullable DeviceProbe probe) {
        if (probe == null || (!device.sharesHostMemory() && probe.pinned() == null)) {
            return Estimate.UNKNOWN;
        }
        // What is allocated for such a device is page-locked; what is brought to it goes through such memory.
        FirstEstimate sum = new FirstEstimate(probe, device.sharesHostMemory() ? null : probe.pinned());
        job.phases().forEach(sum::add);
        return new Estimate(sum.fixed, sum.kernel, sum.transfer);
    }

    private void add(Job.Phase phase) {
        fixed += probe.launchNanos().median() * phase.passes().size();
        double read = 0;
        double written = 0;
        List<Job.Argument> arguments = phase.arguments();
        for (Job.Argument argument : arguments) {
            Job.Argument memory =
                    argument instanceof Job.Argument.Again again ? arguments.get(again.argument()) : argument;
            if (memory instanceof Job.Argument.Temporary t) { // written by one pass, read by the next
                boolean first = argument == memory;
                written += first ? t.memory().bytesPerUnit() : 0;
                read += first ? 0 : t.memory().bytesPerUnit();
            } else if (memory instanceof Job.Argument.Buffer b) {
                double perUnit = bytesPerUnit(b);
                read += b.read() ? perUnit : 0;
                written += b.written() ? perUnit : 0;
                if (b.access() instanceof Access.Whole) {
                    fixed += nanos((double) b.buffer().byteSize(), probe.readBytesPerSecond());
                }
                if (argument == memory) {
                    transfer(b, perUnit);
                }
            }
        }
        double both = Math.min(read, written);
        kernel += nanos(2 * both + (written - both), probe.copyBytesPerSecond())
                + nanos(read - both, probe.readBytesPerSecond());
    }

    /** What a phase finds on the device, because an earlier one read or wrote it there, is not sent again. */
    private void transfer(Job.Argument.Buffer b, double perUnit) {
        if (way == null) {
            return;
        }
        if (there.add(b.buffer()) && b.read()) {
            if (b.access() instanceof Access.Whole) {
                fixed += nanos((double) b.buffer().byteSize(), way.toDevice());
            } else {
                transfer += nanos(perUnit, way.toDevice());
            }
        }
        if (b.written()) {
            transfer += nanos(perUnit, way.fromDevice());
        }
    }

    /** How many results are appended depends on the data, and partial results do not grow with the job. */
    private static double bytesPerUnit(Job.Argument.Buffer b) {
        int bytes = b.buffer().type().bytes();
        if (b.access() instanceof Access.Slice s) {
            return (double) s.elementsPerUnit() * bytes;
        }
        return b.access() instanceof Access.Halo h ? (double) h.elementsPerUnit() * bytes : 0;
    }

    private static double nanos(double bytes, DeviceProbe.Figure bytesPerSecond) {
        return 1e9 * bytes / bytesPerSecond.median();
    }
}
