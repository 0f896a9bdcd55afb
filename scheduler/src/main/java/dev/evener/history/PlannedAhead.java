package dev.evener.history;

import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Plans for the next jobs of a kind, made when the last one's lesson was learnt, so that a short job does not wait for the making of
 * its own. A plan holds until a newer one takes its place; one for a look holds for one job. Thread-safe, without locks; of plans
 * for different sizes that fall on one place the latest stays.
 */
public final class PlannedAhead {
    private static final int PLACES = 8;

    private final AtomicReferenceArray<@Nullable Entry> entries = new AtomicReferenceArray<>(PLACES);

    /**
     * What a plan is for, and what it rests on.
     *
     * @param policy that made it
     * @param units of the job
     * @param granules that it is cut into
     * @param available lanes whose devices work, as a bit mask
     * @param plan how it is cut
     * @param model what was known
     */
    public record Entry(Policy policy, long units, long granules, long available, Plan plan, HistorySnapshot model) {}

    /** The plan for such a job, or null. */
    public @Nullable Entry take(Policy policy, long units, long granules, long available) {
        int place = place(units);
        Entry entry = entries.get(place);
        boolean fits = entry != null
                && entry.units == units
                && entry.granules == granules
                && entry.available == available
                && entry.policy.equals(policy);
        if (!fits || (entry.plan.lookNanos() > 0 && !entries.compareAndSet(place, entry, null))) {
            return null;
        }
        return entry;
    }

    /** Keeps a plan for the next such job. */
    public void keep(Entry entry) {
        entries.set(place(entry.units), entry);
    }

    private static int place(long units) {
        return (int) ((units * 0x9E3779B97F4A7C15L) >>> 61);
    }
}
