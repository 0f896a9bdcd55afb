package dev.evener.policy.baseline;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;

/**
 * Fixed-size chunking: all chunks have the size at which what launching N / K of them costs and what the last ones
 * leave uneven are together least, {@code K = (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)}, for overheads h and granules
 * whose times have the standard deviation sigma. Kruskal and Weiss, Allocating Independent Subtasks on Parallel
 * Processors, IEEE Transactions on Software Engineering 11(10), 1985.
 *
 * @param overhead of a chunk, in granules of mean time; 0 for what the model says of the lane
 * @param cv coefficient of variation of granules' times: standard deviation over mean, more than 0
 */
public record FixedSizeChunking(double overhead, double cv) implements Policy, PolicyProvider {
    /** With measured overheads, for granules of exponential times. */
    public FixedSizeChunking() {
        this(0, 1);
    }

    @Override
    public String name() {
        return "fsc";
    }

    @Override
    public String description() {
        return "fixed-size chunking: the size that weighs launches against uneven ends";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                new Parameter(
                        "overhead", Type.NUMBER, 1e-9, 1e9, "", "of a chunk, in granules; as measured if not given"),
                new Parameter(
                        "cv", Type.NUMBER, 1e-9, 1e9, "1", "standard deviation of a granule's time over its mean"));
    }

    @Override
    public Policy create(Settings settings) {
        return new FixedSizeChunking(settings.has("overhead") ? settings.number("overhead") : 0, settings.number("cv"));
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.POOLED, snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        int lanes = Factoring.lanes(progress);
        double launch = overhead > 0 ? overhead : progress.fixedNanos(lane) / progress.nanosPerGranule(lane);
        double uneven = cv * lanes * Math.sqrt(Math.log(lanes)); // 0 on one lane, which takes all at once
        return (long) Math.max(1, Math.pow(Math.sqrt(2) * progress.granules() * launch / uneven, 2.0 / 3));
    }
}
