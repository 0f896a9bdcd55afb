package dev.evener.history;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Plans that hold for the next few jobs of a kind, so that short jobs do not each pay for the making of one. A change of a
 * device's speed ends them. Thread-safe, without locks; of plans for different sizes that fall on one place the latest stays.
 */
final class PlanMemory {
    private static final int PLACES = 8;

    private final AtomicReferenceArray<@Nullable Entry> entries = new AtomicReferenceArray<>(PLACES);

    private record Entry(
            Policy policy, long units, long granules, long available, long shifts, Plan plan, AtomicInteger left) {}

    /** The plan that still holds, or null. */
    @Nullable
    Plan find(Policy policy, long units, long granules, long available, long shifts) {
        Entry entry = entries.get(place(units));
        return entry != null
                        && entry.units == units
                        && entry.granules == granules
                        && entry.available == available
                        && entry.shifts == shifts
                        && entry.policy.equals(policy)
                        && entry.left.getAndDecrement() > 0
                ? entry.plan
                : null;
    }

    /** Keeps a plan for as many jobs as it says. */
    void keep(Policy policy, long units, long granules, long available, long shifts, Plan plan) {
        if (plan.reuse() > 0) {
            entries.set(
                    place(units),
                    new Entry(policy, units, granules, available, shifts, plan, new AtomicInteger(plan.reuse())));
        }
    }

    private static int place(long units) {
        return (int) ((units * 0x9E3779B97F4A7C15L) >>> 61);
    }
}
