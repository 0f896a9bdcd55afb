package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.Estimate;
import dev.evener.policy.Snapshot.LaneView;
import java.util.List;

/** What lanes cost, with guesses where nothing is known. Stateless. */
final class Costs {
    /** What was measured over much memory may be faster over little, which caches hold. */
    private static final double LEAST_SLOWDOWN = 0.25;

    private static final double MOST_SLOWDOWN = 1e6;

    private Costs() {}

    /** What cannot be a device's speed must not decide anything: a file may have brought it. */
    static boolean usable(Cost cost) {
        return cost.known()
                && cost.nanosPerUnit() > 1e-12
                && cost.nanosPerUnit() < 1e18
                && cost.fixedNanos() >= 0
                && cost.fixedNanos() < 1e18;
    }

    /**
     * The costs with every gap filled: a lane of which nothing is known is taken to be as fast, relative to the known ones,
     * as its weight says.
     */
    static Cost[] filled(List<LaneView> lanes, Cost[] costs) {
        double knownSpeed = 0;
        double knownWeight = 0;
        for (int i = 0; i < costs.length; i++) {
            if (usable(costs[i])) {
                knownSpeed += 1 / costs[i].nanosPerUnit();
                knownWeight += lanes.get(i).weight();
            }
        }
        double speedPerWeight = knownWeight > 0 ? knownSpeed / knownWeight : 1;
        Cost[] filled = new Cost[costs.length];
        for (int i = 0; i < costs.length; i++) {
            filled[i] =
                    usable(costs[i]) ? costs[i] : new Cost(0, 1 / (lanes.get(i).weight() * speedPerWeight), 0);
        }
        return filled;
    }

    /**
     * The costs of a set of lanes with every gap filled from what devices were measured to do; the same array if there is no
     * gap, or if not every gap can be filled, for guesses of different kinds must not be held against each other. Where some
     * lane has run the job, kernels are taken to be slower than their lower bound by as much on the others as there.
     */
    static Cost[] estimated(List<LaneView> lanes, Cost[] costs, long set) {
        boolean gaps = false;
        boolean known = false;
        double slowdown = MOST_SLOWDOWN;
        for (int i = 0; i < costs.length; i++) {
            if (!Apportion.in(i, set)) {
                continue;
            }
            Estimate estimate = lanes.get(i).estimate();
            if (!usable(estimate.cost(1))) {
                return costs;
            }
            if (!usable(costs[i])) {
                gaps = true;
            } else if (estimate.kernelNanosPerUnit() > 0) {
                known = true;
                double kernel = costs[i].nanosPerUnit() - estimate.transferNanosPerUnit();
                slowdown = Math.min(slowdown, kernel / estimate.kernelNanosPerUnit());
            }
        }
        if (!gaps) {
            return costs;
        }
        double factor = known ? Math.max(LEAST_SLOWDOWN, slowdown) : 1;
        Cost[] filled = costs.clone();
        for (int i = 0; i < costs.length; i++) {
            if (Apportion.in(i, set) && !usable(costs[i])) {
                filled[i] = lanes.get(i).estimate().cost(factor);
            }
        }
        return filled;
    }

    /** The first that is usable, or unknown. */
    static Cost firstUsable(Cost... costs) {
        for (Cost cost : costs) {
            if (usable(cost)) {
                return cost;
            }
        }
        return Cost.UNKNOWN;
    }
}
