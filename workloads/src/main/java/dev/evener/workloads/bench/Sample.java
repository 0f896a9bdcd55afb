package dev.evener.workloads.bench;

import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.workloads.bench.Case.Timing;
import org.jspecify.annotations.Nullable;

/**
 * What one turn of a contender took.
 *
 * @param wallNanos from the devices being free to the complete result
 * @param kernelNanos in kernels, of the device that was longest in them
 * @param bytes read and written; 0 if that is not known
 * @param report of the job; null where the work is none
 * @param latencyNanos mean time of a frame in a stream of them; else 0
 * @param note in place of the report's explanation; may be empty
 */
record Sample(
        double wallNanos,
        double kernelNanos,
        double bytes,
        @Nullable Report report,
        double latencyNanos,
        String note) {

    /** Of a job that read and wrote so much. */
    static Sample of(Report report, double bytes) {
        double kernels = report.devices().stream()
                .mapToLong(DeviceUse::kernelNanos)
                .max()
                .orElse(0);
        return new Sample(report.wallNanos(), kernels, bytes, report, 0, "");
    }

    /** Of work that is no job. */
    static Sample of(double nanos, double bytes) {
        return new Sample(nanos, nanos, bytes, null, 0, "");
    }

    /** The time that counts. */
    double nanos(Timing timing) {
        return timing == Timing.KERNELS ? kernelNanos : wallNanos;
    }
}
