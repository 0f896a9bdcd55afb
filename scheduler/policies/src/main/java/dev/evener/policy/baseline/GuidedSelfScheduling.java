package dev.evener.policy.baseline;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;

/**
 * Guided self-scheduling with a least chunk, GSS(k): of R granules left, a lane takes {@code ceil(R / P)}, whichever of the P lanes it is.
 * Polychronopoulos and Kuck, Guided Self-Scheduling: A Practical Scheduling Scheme for Parallel Supercomputers, IEEE Transactions on
 * Computers 36(12), 1987.
 *
 * @param least granules of a chunk, at least 1
 */
public record GuidedSelfScheduling(int least) implements Policy, PolicyProvider {
    /** With chunks of one granule at the end. */
    public GuidedSelfScheduling() {
        this(1);
    }

    @Override
    public String name() {
        return "gss";
    }

    @Override
    public String description() {
        return "guided self-scheduling: each chunk is the rest over the number of devices";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.whole("least", 1, "1", "granules of a chunk, at least"));
    }

    @Override
    public Policy create(Settings settings) {
        return new GuidedSelfScheduling(settings.whole("least"));
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.POOLED, snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        return Math.max(least, Factoring.part(progress.remaining(), Factoring.lanes(progress)));
    }
}
