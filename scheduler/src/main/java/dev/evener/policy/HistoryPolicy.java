package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;
import dev.evener.policy.Snapshot.LaneView;
import java.util.List;

/**
 * Shares that make all lanes finish together, by the history's cost of each lane; where it knows nothing, by what devices were
 * measured to do. A lane of which neither is known is taken to be as fast, relative to the known ones, as its rough speed
 * says; with nothing known at all, rough speeds decide. No lane gets less than a granule while there are plenty, so that a device whose speed changes is noticed.
 */
record HistoryPolicy() implements Policy {

    @Override
    public String name() {
        return "history";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        List<LaneView> lanes = snapshot.lanes();
        double units = (double) snapshot.granules() * snapshot.unitsPerGranule();
        if (units == 0) {
            return Plan.of(Plan.Sharing.FIXED, new long[lanes.size()]);
        }
        long all = (1L << lanes.size()) - 1;
        Cost[] costs = new Cost[lanes.size()];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = Costs.firstUsable(
                    snapshot.experience().cost(i, all), lanes.get(i).cost());
        }
        costs = Costs.estimated(lanes, costs, all);
        double[] wanted = Apportion.finishTogether(Costs.filled(lanes, costs), all, units);
        long[] shares = Apportion.byWeight(wanted, snapshot.granules());
        if (Apportion.plenty(snapshot.granules(), shares.length)) {
            Apportion.keepAll(shares, all);
        }
        return Plan.of(Plan.Sharing.FIXED, shares);
    }
}
