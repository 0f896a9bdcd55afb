package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.Report;
import dev.evener.Report.DeviceUse;
import dev.evener.workloads.experiment.Experiment.Cell;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one way achieved at one value of an experiment, on one device.
 *
 * @param device which device
 * @param cell what was run
 * @param items how many items
 * @param bytesPerItem bytes read and written for an item
 * @param reports one for each round, in order; none if it was not measured
 * @param problem why there are no times, or what was wrong about the result; null if all is well
 */
public record Finding(
        DeviceInfo device,
        Cell cell,
        long items,
        double bytesPerItem,
        List<Report> reports,
        @Nullable String problem) {
    public Finding {
        reports = List.copyOf(reports);
    }

    /** Time in kernels of each round. */
    public double[] kernelNanos() {
        return reports.stream()
                .mapToDouble(r ->
                        r.devices().stream().mapToLong(DeviceUse::kernelNanos).sum())
                .toArray();
    }

    /** Wall time of each round. */
    public double[] wallNanos() {
        return Outcome.nanos(reports);
    }

    /** The times that an experiment compares. */
    public double[] nanos(Experiment experiment) {
        return experiment.timing() == Experiment.Timing.KERNELS ? kernelNanos() : wallNanos();
    }

    /** Whether there are times. */
    public boolean measured() {
        return !reports.isEmpty();
    }
}
