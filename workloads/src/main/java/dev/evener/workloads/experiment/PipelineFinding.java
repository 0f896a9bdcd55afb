package dev.evener.workloads.experiment;

import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.pipeline.Placement;
import org.jspecify.annotations.Nullable;

/**
 * What a stream of frames took in one way of placing the work.
 *
 * @param way what it is called, such as {@code stages 0.0 > 0.1}
 * @param placement where the work ran
 * @param seconds for the whole stream, for each round
 * @param latencySeconds mean time of a frame from its submission to its result, for each round
 * @param last what the last round's pipeline did
 * @param problem what was wrong about the results, or null
 */
public record PipelineFinding(
        String way,
        Placement placement,
        double[] seconds,
        double[] latencySeconds,
        PipelineReport last,
        @Nullable String problem) {

    /** Whether all the work on a frame is done by one device. */
    public boolean alone() {
        return way.startsWith(PipelineRace.ALONE);
    }
}
