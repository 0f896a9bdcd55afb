package dev.evener.simulation;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * A policy that takes its time to cut a job. Otherwise it is the policy itself: histories keep plans for equal policies, and a
 * plan that is kept costs nothing.
 */
final class TimedPolicy implements Policy {
    private final Policy policy;
    private final Runnable spending;

    /** @param spending lets the time pass that a plan takes */
    TimedPolicy(Policy policy, Runnable spending) {
        this.policy = policy;
        this.spending = spending;
    }

    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public Plan plan(Snapshot snapshot) {
        spending.run();
        return policy.plan(snapshot);
    }

    @Override
    public long chunk(Progress progress, int lane) {
        return policy.chunk(progress, lane);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TimedPolicy timed && policy.equals(timed.policy);
    }

    @Override
    public int hashCode() {
        return policy.hashCode();
    }
}
