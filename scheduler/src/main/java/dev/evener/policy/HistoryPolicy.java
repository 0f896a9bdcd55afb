package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.LaneView;
import java.util.List;

/**
 * Shares that make all lanes finish together, by the history's cost of each lane. A lane of which nothing is known is taken
 * to be as fast, relative to the known ones, as its rough speed says; with nothing known at all, rough speeds decide. No
 * lane gets less than a granule while there are plenty, so that a device whose speed changes is noticed.
 */
record HistoryPolicy() implements Policy {
    /** Granules per lane from which every lane is kept in the game. */
    private static final long PLENTY = 16;

    @Override
    public String name() {
        return "history";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        double units = (double) snapshot.granules() * snapshot.unitsPerGranule();
        if (units == 0) {
            return Plan.of(Plan.Sharing.FIXED, new long[snapshot.lanes().size()]);
        }
        double[] wanted = Apportion.finishTogether(costs(snapshot.lanes()), units);
        long[] shares = Apportion.byWeight(wanted, snapshot.granules());
        if (snapshot.granules() >= PLENTY * shares.length) {
            keepAll(shares);
        }
        return Plan.of(Plan.Sharing.FIXED, shares);
    }

    private static Cost[] costs(List<LaneView> lanes) {
        double knownSpeed = 0;
        double knownWeight = 0;
        for (LaneView lane : lanes) {
            if (usable(lane.cost())) {
                knownSpeed += 1 / lane.cost().nanosPerUnit();
                knownWeight += lane.weight();
            }
        }
        double speedPerWeight = knownWeight > 0 ? knownSpeed / knownWeight : 1;
        Cost[] costs = new Cost[lanes.size()];
        for (int i = 0; i < costs.length; i++) {
            LaneView lane = lanes.get(i);
            costs[i] = usable(lane.cost()) ? lane.cost() : new Cost(0, 1 / (lane.weight() * speedPerWeight), 0);
        }
        return costs;
    }

    /** What cannot be a device's speed must not decide anything: a file may have brought it. */
    private static boolean usable(Cost cost) {
        return cost.known()
                && cost.nanosPerUnit() > 1e-12
                && cost.nanosPerUnit() < 1e18
                && cost.fixedNanos() >= 0
                && cost.fixedNanos() < 1e18;
    }

    private static void keepAll(long[] shares) {
        int largest = 0;
        for (int i = 1; i < shares.length; i++) {
            if (shares[i] > shares[largest]) {
                largest = i;
            }
        }
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] == 0) {
                shares[i]++;
                shares[largest]--;
            }
        }
    }
}
