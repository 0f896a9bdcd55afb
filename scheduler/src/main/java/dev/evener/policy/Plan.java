package dev.evener.policy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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

    private static final Comparator<Snapshot.LaneView> FREE_FIRST = Comparator.comparing(
                    (Snapshot.LaneView lane) -> !lane.available())
            .thenComparing(lane -> lane.jobs() > 0)
            .thenComparingDouble(Snapshot.LaneView::freeNanos)
            .thenComparingInt(Snapshot.LaneView::jobs);

    private final long[] shares;
    private final Sharing sharing;
    private final boolean balanced;
    private final double lookNanos;
    private final double bestNanos;
    private final LaneSet standingBy;
    private final double standByNanos;
    private final @Nullable Supplier<Decision> reasons;
    private final @Nullable LaneSet only;

    private Plan(
            long[] shares,
            Sharing sharing,
            boolean balanced,
            double lookNanos,
            double bestNanos,
            LaneSet standingBy,
            double standByNanos,
            @Nullable Supplier<Decision> reasons,
            @Nullable LaneSet only) {
        this.shares = shares;
        this.sharing = sharing;
        this.balanced = balanced;
        this.lookNanos = lookNanos;
        this.bestNanos = bestNanos;
        this.standingBy = standingBy;
        this.standByNanos = standByNanos;
        this.reasons = reasons;
        this.only = only;
    }

    /**
     * A plan without reasons.
     *
     * @param shares granules for each lane, in the snapshot's lane order; lanes get contiguous ranges in that order. The sum
     *     must be {@link Snapshot#granules()}. A lane whose share is 0 takes no part, whatever the sharing
     */
    public static Plan of(Sharing sharing, long... shares) {
        return new Plan(shares.clone(), sharing, false, 0, 0, LaneSet.NONE, 0, null, null);
    }

    /**
     * Equal shares for all lanes; under {@link Sharing#POOLED} all lanes for whom there is a granule take part. If there are fewer granules
     * than lanes, those get one that are free first.
     */
    public static Plan equal(Sharing sharing, Snapshot snapshot) {
        int lanes = snapshot.lanes().size();
        double[] equal = new double[lanes];
        if (snapshot.granules() >= lanes || snapshot.granules() == 0) {
            Arrays.fill(equal, 1);
        } else {
            IntStream.range(0, lanes)
                    .boxed()
                    .sorted(Comparator.comparing(snapshot.lanes()::get, FREE_FIRST))
                    .limit(snapshot.granules())
                    .forEach(lane -> equal[lane] = 1);
        }
        return of(sharing, Apportion.byWeight(equal, snapshot.granules()));
    }

    /** The same plan, whose shares are meant to make the lanes finish together: its wall time tells what they can do. */
    public Plan balanced() {
        return new Plan(shares, sharing, true, lookNanos, bestNanos, standingBy, standByNanos, reasons, only);
    }

    /**
     * The same plan with its reasons.
     * A plan with reasons may be made ahead, when the job before has ended: {@link Snapshot#job} is then 0. It may
     * serve several jobs that take less than planning does, once a hundred such jobs are known.
     *
     * @param look by how many nanoseconds longer than the best set these lanes are expected to take: 0 unless the job is a look
     * @param best what the best set is expected to take, in nanoseconds
     * @param decision put together only when somebody asks for it
     */
    public Plan because(double look, double best, Supplier<Decision> decision) {
        return new Plan(shares, sharing, balanced, look, best, standingBy, standByNanos, new Once(decision), only);
    }

    /**
     * The same plan, in which lanes without a share stand by: they steal, by the usual rule, when the job is expected to take longer than
     * this, and where nobody knows what it takes, after as long as one of them may take to begin.
     *
     * @param lanes of which those with a share have that
     * @param nanos from the job's beginning; 0 if they may at once
     */
    public Plan standingBy(LaneSet lanes, double nanos) {
        return new Plan(shares, sharing, balanced, lookNanos, bestNanos, lanes, nanos, reasons, only);
    }

    /**
     * The same plan, which means these lanes and no others. A job that cannot be cut goes to the lane that is done with it first, whichever has
     * the one granule in {@link #shares}, unless the plan says here to which ones it may go.
     *
     * @param lanes at least one
     */
    public Plan only(LaneSet lanes) {
        return new Plan(shares, sharing, balanced, lookNanos, bestNanos, standingBy, standByNanos, reasons, lanes);
    }

    /** Of these lanes, those to which a job may go that cannot be cut; all of them if the plan means none of these. */
    public LaneSet mayGo(LaneSet available) {
        LaneSet meant = only == null ? available : LaneSet.where(shares.length, i -> only.has(i) && available.has(i));
        return meant.isEmpty() ? available : meant;
    }

    /**
     * The same plan with all of the job on one lane, and nobody standing by: its wall time tells what that lane can do. It is no look, if
     * that lane had no share.
     */
    public Plan onto(int lane) {
        long[] all = new long[shares.length];
        all[lane] = Arrays.stream(shares).sum();
        boolean its = shares[lane] == all[lane];
        if (its && balanced && standingBy.isEmpty() && sharing != Sharing.POOLED) {
            return this;
        }
        Supplier<Decision> why =
                its || reasons == null ? reasons : new Once(() -> reasons.get().onto(lane));
        Sharing own = sharing == Sharing.POOLED ? Sharing.FIXED : sharing; // which is the same for one
        return new Plan(all, own, true, its ? lookNanos : 0, bestNanos, LaneSet.NONE, 0, why, only);
    }

    /** Whether a lane stands by: it has no share, and may steal. */
    public boolean standsBy(int lane) {
        return standingBy.has(lane) && shares[lane] == 0;
    }

    /** For how long lanes stand by, from the job's beginning, as long as it is expected to be done by then. */
    public double standByNanos() {
        return standByNanos;
    }

    /** Granules for each lane. */
    public long[] shares() {
        return shares.clone();
    }

    /** What happens to the ranges after the cut. */
    public Sharing sharing() {
        return sharing;
    }

    /** Whether the shares are meant to make the lanes finish together. */
    public boolean isBalanced() {
        return balanced;
    }

    /** What the job is expected to cost beyond the best choice, for a look at lanes of which too little is known. */
    public double lookNanos() {
        return lookNanos;
    }

    /** What the best set is expected to take, beside which a look is paid for; 0 where nothing was decided. */
    public double bestNanos() {
        return bestNanos;
    }

    /** Whether it comes with its reasons. */
    public boolean isDecided() {
        return reasons != null;
    }

    /** Why it was cut so, or null where there was nothing to decide. */
    public @Nullable Decision decision() {
        return reasons == null ? null : reasons.get();
    }

    /** Listeners and the report ask for one decision. */
    private static final class Once implements Supplier<Decision> {
        private final Supplier<Decision> how;
        private volatile @Nullable Decision made;

        Once(Supplier<Decision> how) {
            this.how = how;
        }

        @Override
        public Decision get() {
            Decision its = made;
            if (its == null) {
                its = how.get();
                made = its;
            }
            return its;
        }
    }

    @Override
    public String toString() {
        return sharing + " " + Arrays.toString(shares);
    }
}
