package dev.evener.workloads.bench;

import dev.evener.DeviceInfo;
import dev.evener.kernels.tuning.Parameter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came out for one parameter on one device.
 *
 * @param device where
 * @param parameter which
 * @param standard what it is where nothing was measured: the default, or what suits such devices better
 * @param candidates one for each of the parameter's values, in their order
 * @param best the fastest value, the standard if none is faster
 * @param gain how many times as fast as the standard that is, from a second measurement if it is not the standard itself
 * @param kept whether it is faster by more than the noise
 */
public record Tuned(
        DeviceInfo device,
        Parameter parameter,
        int standard,
        List<Candidate> candidates,
        int best,
        Estimate gain,
        boolean kept) {
    /**
     * One value.
     *
     * @param value the value
     * @param nanos median kernel time of the trial's jobs together; 0 if there is a problem
     * @param problem why it was not measured, or null
     */
    public record Candidate(
            int value, double nanos, @Nullable String problem) {}
}
