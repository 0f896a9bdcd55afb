package dev.evener.policy.baseline;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.PolicyProvider;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import java.util.List;

/**
 * TAPER: chunks as large as they may be so that lanes still end together with high probability. Of R granules left,
 * with T = R / P and v = alpha sigma / mu, a chunk is {@code ceil(T + v^2 / 2 - v sqrt(2 T + v^2 / 4))}; without
 * variance that is guided self-scheduling. Lucco, A Dynamic Scheduling Method for Irregular Parallel Programs,
 * Programming Language Design and Implementation, 1992; alpha is about 1.3 there.
 *
 * @param cv sigma / mu, the standard deviation of granules' times over their mean, at least 0
 * @param alpha how sure lanes are to end together
 * @param least granules of a chunk, at least 1
 */
public record Taper(double cv, double alpha, int least) implements Policy, PolicyProvider {
    /** For granules of exponential times. */
    public Taper() {
        this(1, 1.3, 1);
    }

    @Override
    public String name() {
        return "tap";
    }

    @Override
    public String description() {
        return "TAPER: guided self-scheduling, the more cautious the more granules' times vary";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                new Parameter("cv", Type.NUMBER, 0, 1e9, "1", "standard deviation of a granule's time over its mean"),
                new Parameter("alpha", Type.NUMBER, 0, 1e9, "1.3", "how sure devices are to end together"),
                Parameter.whole("least", 1, "1", "granules of a chunk, at least"));
    }

    @Override
    public Policy create(Settings settings) {
        return new Taper(settings.number("cv"), settings.number("alpha"), settings.whole("least"));
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        return Plan.equal(Plan.Sharing.POOLED, snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        double part = (double) progress.remaining() / Factoring.lanes(progress);
        double v = alpha * cv;
        return (long) Math.max(least, Math.ceil(part + v * v / 2 - v * Math.sqrt(2 * part + v * v / 4)));
    }
}
