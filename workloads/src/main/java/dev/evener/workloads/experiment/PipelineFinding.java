package dev.evener.workloads.experiment;

import dev.evener.kernels.pipeline.PipelineReport;
import dev.evener.kernels.pipeline.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a stream of frames took in one way of placing the work.
 *
 * @param way what it is called, such as {@code stages 0.0 > 0.1}
 * @param placement where the work ran
 * @param rounds one report of the whole stream for each round, in order; at least one
 * @param problem what was wrong about the results, or null
 */
public record PipelineFinding(
        String way,
        Placement placement,
        List<PipelineReport> rounds,
        @Nullable String problem) {
    public PipelineFinding {
        rounds = List.copyOf(rounds);
    }

    /** Time for the whole stream, of each round. */
    public double[] seconds() {
        return rounds.stream().mapToDouble(r -> r.wallNanos() / 1e9).toArray();
    }

    /** Mean time of a frame from its submission to its result, of each round. */
    public double[] latencySeconds() {
        return rounds.stream().mapToDouble(r -> r.meanLatencyNanos() / 1e9).toArray();
    }

    /** What the last round's pipeline did. */
    public PipelineReport last() {
        return rounds.get(rounds.size() - 1);
    }

    /** Whether all the work on a frame is done by one device. */
    public boolean alone() {
        return way.startsWith(PipelineRace.ALONE);
    }
}
