package dev.evener.policy;

import java.util.Arrays;

/** Fixed fractions. */
final class StaticPolicy implements Policy {
    private final double[] fractions;

    StaticPolicy(double... fractions) {
        this.fractions = fractions.clone();
        for (double fraction : fractions) {
            if (!(fraction >= 0) || fraction == Double.POSITIVE_INFINITY) {
                throw new IllegalArgumentException("a share of " + fraction + " is not a fraction");
            }
        }
        if (fractions.length > 0 && Arrays.stream(fractions).sum() <= 0) {
            throw new IllegalArgumentException("all shares are 0");
        }
    }

    @Override
    public String name() {
        return "static";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        int lanes = snapshot.lanes().size();
        double[] weights = fractions.clone();
        if (weights.length == 0) {
            weights = new double[lanes];
            Arrays.fill(weights, 1);
        }
        if (weights.length != lanes) {
            throw new IllegalArgumentException("the split has " + weights.length + " fractions, but " + lanes
                    + (lanes == 1 ? " device is" : " devices are") + " in use");
        }
        return Plan.of(Plan.Sharing.FIXED, Apportion.byWeight(weights, snapshot.granules()));
    }
}
