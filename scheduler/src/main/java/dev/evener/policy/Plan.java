package dev.evener.policy;

import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a job is cut when it starts. Immutable. */
public final class Plan {

    /** What happens to a range after the cut. */
    public enum Sharing {
        /** Each lane runs its own range and nothing else, unless another lane fails. */
        FIXED,
        /** A lane that is done with its own range steals from the back of the lane that would finish last. */
        STEALING,
        /** All lanes take chunks from the front of one common range; the shares say only who takes part. */
        POOLED
    }

    private final long[] shares;
    private final Sharing sharing;
    private final @Nullable Supplier<Decision> reasons;
    private final int reuse;
    private final boolean cautious;

    private Plan(long[] shares, Sharing sharing, @Nullable Supplier<Decision> reasons, int reuse, boolean cautious) {
        this.shares = shares;
        this.sharing = sharing;
        this.reasons = reasons;
        this.reuse = reuse;
        this.cautious = cautious;
    }

    /**
     * A plan without reasons.
     *
     * @param shares granules for each lane, in the snapshot's lane order; lanes get contiguous ranges in that order. The sum
     *     must be {@link Snapshot#granules()}. A lane whose share is 0 takes no part, whatever the sharing
     */
    public static Plan of(Sharing sharing, long... shares) {
        return new Plan(shares.clone(), sharing, null, 0, false);
    }

    /** The same plan with its reasons. */
    public Plan because(Decision decision) {
        return because(() -> decision);
    }

    /** The same plan with its reasons, which are put together only when somebody asks for them. */
    public Plan because(Supplier<Decision> decision) {
        return new Plan(shares, sharing, decision, reuse, cautious);
    }

    /**
     * The same plan, which also holds for the next jobs of the same kind and size as long as no device's speed changes.
     *
     * @param jobs how many of them, 0 for none
     */
    public Plan reusable(int jobs) {
        return new Plan(shares, sharing, reasons, jobs, cautious);
    }

    /** The same plan, known to rest on little: chunks should be small enough for stealing to make up for wrong shares. */
    public Plan withCaution() {
        return new Plan(shares, sharing, reasons, reuse, true);
    }

    /** Whether its shares rest on little. */
    public boolean cautious() {
        return cautious;
    }

    /** For how many further jobs of the same kind and size it holds. */
    public int reuse() {
        return reuse;
    }

    /** Granules for each lane. */
    public long[] shares() {
        return shares.clone();
    }

    /** What happens to the ranges after the cut. */
    public Sharing sharing() {
        return sharing;
    }

    /** Why it was cut so, or null where there was nothing to decide. */
    public @Nullable Decision decision() {
        return reasons == null ? null : reasons.get();
    }

    /** Whether it comes with its reasons. */
    public boolean decided() {
        return reasons != null;
    }

    @Override
    public String toString() {
        return sharing + " " + Arrays.toString(shares);
    }
}
