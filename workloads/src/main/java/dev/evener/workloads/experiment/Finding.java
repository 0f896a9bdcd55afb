package dev.evener.workloads.experiment;

import dev.evener.DeviceInfo;
import dev.evener.workloads.experiment.Experiment.Cell;
import org.jspecify.annotations.Nullable;

/**
 * What one way achieved at one value of an experiment, on one device.
 *
 * @param device which device
 * @param cell what was run
 * @param items how many items
 * @param bytesPerItem bytes read and written for an item
 * @param kernelNanos time in kernels, for each round
 * @param wallNanos wall time, for each round
 * @param problem why there are no times, or what was wrong about the result; null if all is well
 */
public record Finding(
        DeviceInfo device,
        Cell cell,
        long items,
        double bytesPerItem,
        double[] kernelNanos,
        double[] wallNanos,
        @Nullable String problem) {

    /** Whether there are times. */
    public boolean measured() {
        return kernelNanos.length > 0;
    }
}
