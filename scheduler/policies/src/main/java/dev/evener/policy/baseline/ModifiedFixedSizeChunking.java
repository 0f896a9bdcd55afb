package dev.evener.policy.baseline;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;

/**
 * Fixed-size chunking without knowledge of overheads and variances: about as many chunks as factoring makes, of one
 * size. A lane's part of {@code n = ceil(N / P)} granules is halved log2(n) times, so a chunk is {@code n / log2(n)},
 * rounded as in LB4OMP. Banicescu, Ciorba and Srivastava, Performance Optimization of Scientific Applications using an
 * Autonomic Computing Approach, in Scalable Computing: Theory and Practice, 2013.
 */
public record ModifiedFixedSizeChunking() implements Policy, PolicyProvider {
    private static final double ROUNDING = 0.55; // as LB4OMP adds before it drops the fraction

    @Override
    public String name() {
        return "mfsc";
    }

    @Override
    public String description() {
        return "fixed-size chunking: as many chunks as fac2 makes, all of one size";
    }

    @Override
    public Policy create(Settings settings) {
        return this;
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.POOLED, snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        double own = (double) Factoring.part(progress.granules(), Factoring.lanes(progress));
        return own < 2 ? 1 : (long) (ROUNDING + own * Math.log(2) / Math.log(own));
    }
}
