package dev.evener.policy;

import java.util.OptionalInt;

/** All granules on one lane: the given one, else the one that the model expects to be fastest. */
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
        return Plan.of(Plan.Sharing.FIXED, shares).balanced();
    }

    /** A lane that has never run this is tried before one that has, else its speed would never be known. */
    private static int fastest(Snapshot snapshot) {
        CostModel model = snapshot.model();
        int best = 0;
        for (int i = 1; i < snapshot.lanes().size(); i++) {
            boolean seen = model.lane(i).chunks() > 0;
            boolean bestSeen = model.lane(best).chunks() > 0;
            boolean faster =
                    model.forecast(1L << i).nanos() < model.forecast(1L << best).nanos();
            best = seen == bestSeen ? (faster ? i : best) : seen ? best : i;
        }
        return best;
    }
}
