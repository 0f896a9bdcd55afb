package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.LaneView;
import java.util.List;

/** What lanes cost, with guesses where nothing is known. Stateless. */
final class Costs {
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
