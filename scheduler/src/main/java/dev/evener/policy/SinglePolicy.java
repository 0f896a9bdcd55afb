package dev.evener.policy;

import java.util.List;
import java.util.OptionalInt;

/** Everything on one lane: {@link Policies#single()}. */
record SinglePolicy(OptionalInt chosen) implements Policy, PolicyProvider {
    /** One that has never run such a job, else the one that the model expects to be fastest. */
    public SinglePolicy() {
        this(OptionalInt.empty());
    }

    @Override
    public String name() {
        return "single";
    }

    @Override
    public String description() {
        return "everything on one device: of that index, else the fastest";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(Parameter.whole("device", 0, "", "index of the device among those in use"));
    }

    @Override
    public Policy create(Settings settings) {
        return settings.has("device") ? new SinglePolicy(OptionalInt.of(settings.whole("device"))) : new SinglePolicy();
    }

    @Override
    public void check(Settings settings, int lanes) {
        if (settings.has("device") && settings.whole("device") >= lanes) {
            throw new IllegalArgumentException("for more devices than " + lanes);
        }
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
        Plan plan = Plan.of(Plan.Sharing.FIXED, shares).balanced();
        return chosen.isPresent() ? plan.only(LaneSet.of(lane)) : plan;
    }

    /** A lane that has never run this is tried before one that has, else its speed would never be known. */
    private static int fastest(Snapshot snapshot) {
        CostModel model = snapshot.model();
        int best = 0;
        for (int i = 1; i < snapshot.lanes().size(); i++) {
            boolean seen = model.lane(i).chunks() > 0;
            boolean bestSeen = model.lane(best).chunks() > 0;
            boolean faster = model.forecast(LaneSet.of(i)).nanos()
                    < model.forecast(LaneSet.of(best)).nanos();
            best = (seen == bestSeen ? faster : !seen) ? i : best;
        }
        return best;
    }
}
