package dev.evener.policy;

import dev.evener.policy.Snapshot.LaneView;
import java.util.OptionalInt;

/** All granules on one lane. */
record SinglePolicy(OptionalInt chosen) implements Policy {

    @Override
    public String name() {
        return "single";
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        int lane = chosen.orElseGet(() -> fastest(snapshot));
        if (lane < 0 || lane >= snapshot.lanes().size()) {
            throw new IllegalArgumentException("policy single: there is no lane " + lane + " among "
                    + snapshot.lanes().size());
        }
        long[] shares = new long[snapshot.lanes().size()];
        shares[lane] = snapshot.granules();
        return Plan.of(Plan.Sharing.FIXED, shares);
    }

    /** A lane that has never run this is tried before one that has, else its speed would never be known. */
    private static int fastest(Snapshot snapshot) {
        double units = (double) snapshot.granules() * snapshot.unitsPerGranule();
        int best = 0;
        for (int i = 1; i < snapshot.lanes().size(); i++) {
            if (beats(snapshot.lanes().get(i), snapshot.lanes().get(best), units)) {
                best = i;
            }
        }
        return best;
    }

    private static boolean beats(LaneView a, LaneView b, double units) {
        boolean aKnown = a.cost().known();
        boolean bKnown = b.cost().known();
        if (aKnown && bKnown) {
            return a.cost().predict(units) < b.cost().predict(units);
        }
        return aKnown == bKnown ? a.weight() > b.weight() : !aKnown;
    }
}
