package dev.evener.policy;

import java.util.List;
import java.util.stream.DoubleStream;

/** Fixed fractions: {@link Policies#fixed}. */
@SuppressWarnings("ArrayRecordComponent") // nobody else holds it, and two policies need not be equal
record StaticPolicy(double... fractions) implements Policy, PolicyProvider {
    /** Equal ones. */
    public StaticPolicy() {
        this(new double[0]);
    }

    /** One for each lane, scaled to a sum of 1. */
    public StaticPolicy {
        for (double fraction : fractions) {
            if (!(fraction >= 0) || fraction == Double.POSITIVE_INFINITY) {
                throw new IllegalArgumentException("a share of " + fraction + " is not a fraction");
            }
        }
        if (fractions.length > 0 && DoubleStream.of(fractions).sum() <= 0) {
            throw new IllegalArgumentException("all shares are 0");
        }
        fractions = fractions.clone();
    }

    @Override
    public double[] fractions() {
        return fractions.clone();
    }

    @Override
    public String name() {
        return "static";
    }

    @Override
    public String description() {
        return "fixed fractions, equal ones if none are given";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(new Parameter("shares", Type.NUMBERS, 0, 1, "", "one for each device, in their order"));
    }

    @Override
    public Policy create(Settings settings) {
        return new StaticPolicy(settings.numbers("shares"));
    }

    @Override
    public void check(Settings settings, int lanes) {
        int shares = settings.numbers("shares").length;
        if (shares > 0 && shares != lanes) {
            throw new IllegalArgumentException("for " + shares + " devices, not for " + lanes);
        }
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        int lanes = snapshot.lanes().size();
        if (fractions.length == 0) {
            return Plan.equal(Plan.Sharing.FIXED, snapshot);
        }
        if (fractions.length != lanes) {
            throw new IllegalArgumentException("the split has " + fractions.length + " fractions, but " + lanes
                    + (lanes == 1 ? " device is" : " devices are") + " in use");
        }
        return Plan.of(Plan.Sharing.FIXED, Apportion.byWeight(fractions, snapshot.granules()))
                .only(LaneSet.where(lanes, i -> fractions[i] > 0));
    }
}
