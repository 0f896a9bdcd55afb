package dev.evener.internal.run;

import dev.evener.internal.data.RangeSet;
import dev.evener.internal.job.JobSpec;
import dev.evener.model.LaneEstimate;
import dev.evener.policy.Plan;
import dev.evener.policy.Policy;
import dev.evener.policy.Progress;
import dev.evener.policy.Stealing;
import dev.evener.policy.WorkProfile;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One phase of a job under way: its pool of chunks, and how a lane gets the next one.
 *
 * <p>A lane takes from the front of its own range, as much as the policy says. When that is empty it looks, in this order,
 * for chunks that a failed lane gave back, for the common range (pooled plans), and for a lane to steal from (stealing
 * plans; any plan once a lane has failed). What is stolen becomes the thief's own range, so that others can steal from it in
 * turn. Then it looks for a chunk that is late. When nothing is left that pays, the lane leaves; it is called back if a failure
 * puts work back.
 *
 * <p><b>On trial.</b> Nobody knows when a lane that is looked at, or was hardly ever seen, is done with its chunk. So
 * what that writes goes nowhere before it is kept, and when it is late the lanes with nothing left to do share it among
 * them ({@link #overtake}), as backup tasks do for stragglers (Dean and Ghemawat, MapReduce, 2004). The job ends without
 * the late one, which gets no work meanwhile. When it is {@linkplain LaneTask#cameLate back} it tells the history what the
 * chunk took, and works for the job again if that is not over. One that stays away is {@linkplain Recovery#overtake
 * taken for hung}. As all that costs little, a lane that nothing is known of is {@linkplain #isToBeTried tried} while
 * others are at work.
 *
 * <p>{@link #take} is called by lanes, each for itself; all else by any thread. Only failures, late
 * chunks and asking of a lane without a part allocate or lock.
 */
final class PhaseRun implements Progress {
    /** What is left of a granule for no reason but rounding. */
    private static final double ROUNDING = 1e-3;

    private static final long ENDED = -1;

    /** The lanes of a job. */
    interface Lanes {
        int lanes();

        /** The task of one that builds the job or was given something; null if it has none. */
        @Nullable
        LaneTask part(int lane);
    }

    final int number; // which of the job it is, from 0
    final JobSpec.Phase phase; // what is run
    private final Policy policy;
    private final Plan.Sharing sharing;
    private final Lanes lanes;
    private final ChunkPool pool;
    private final long units;
    final long unitsPerGranule;
    private final int granules;
    private final WorkProfile profile;
    private final LongSupplier clock;
    private final JobPlan plan;
    private final AtomicLong unfinished;
    final LaneRates rates;
    private volatile boolean degraded; // those after it are, too

    // How it goes with those before and after it.
    /** In a chain, and of a job that began behind another; null as well once all of that is done. */
    private volatile @Nullable PhaseRun before;

    private final boolean isFollowedAtOnce; // as long as no lane has failed
    private @Nullable PhaseRun next; // guarded by this
    private final int reach; // granules around a range that have to be done in the one before
    private final @Nullable RangeSet done; // granules, in a chain; guarded by this

    /** @param number which phase of the job it is, from 0 */
    PhaseRun(int number, JobPlan plan, Lanes lanes, LongSupplier clock) {
        this(number, plan, lanes, clock, null);
    }

    private PhaseRun(int number, JobPlan plan, Lanes lanes, LongSupplier clock, @Nullable PhaseRun before) {
        JobSpec job = plan.form.job;
        this.number = number;
        this.phase = job.phases().get(number);
        this.policy = plan.policy;
        this.sharing = plan.isChained ? Plan.Sharing.FIXED : plan.plan().sharing();
        this.lanes = lanes;
        this.units = job.units();
        this.unitsPerGranule = plan.form.granule;
        this.granules = plan.bounds[plan.bounds.length - 1];
        this.profile = plan.profile();
        this.clock = clock;
        this.plan = plan;
        this.unfinished = new AtomicLong(granules);
        this.rates = new LaneRates(lanes.lanes());
        this.pool =
                sharing == Plan.Sharing.POOLED ? ChunkPool.common(lanes.lanes(), granules) : ChunkPool.of(plan.bounds);
        this.before = plan.isChained || number == 0 ? before : null;
        this.isFollowedAtOnce = number + 1 < job.phases().size() && plan.isFollowedAtOnce(phase);
        this.degraded = before != null && before.degraded;
        this.reach = (int) Math.min(granules, (Math.max(0, job.reach()) + unitsPerGranule - 1) / unitsPerGranule);
        this.done = plan.isChained ? new RangeSet() : null;
    }

    // ---- in a chain ----

    /** The phase after it. */
    synchronized PhaseRun next() {
        PhaseRun made = next;
        if (made == null) {
            made = new PhaseRun(number + 1, plan, lanes, clock, this);
            next = made;
        }
        return made;
    }

    /** The first phase of the job that goes on behind it. */
    synchronized PhaseRun next(JobPlan of, Lanes with) {
        PhaseRun made = new PhaseRun(0, of, with, clock, this);
        next = made;
        return made;
    }

    /** The one before it is over. */
    void waitsForNobody() {
        before = null;
    }

    /** Whether phases end before the next one begins from here on. */
    boolean isDegraded() {
        return degraded;
    }

    /** The phase after it, if a lane that has taken all that is its own here may begin with that; else null. */
    @Nullable
    PhaseRun after() {
        return isFollowedAtOnce && !degraded ? next() : null;
    }

    /**
     * Whether a lane has nothing left to do for the job behind which this one began; once anything has failed, not
     * before that is over, or in a later phase of a chain the one before.
     */
    private boolean mayBegin(LaneTask lane) {
        PhaseRun needed = before;
        JobRun followed = lane.run.follows;
        if (number > 0 && degraded) { // a lane that was ahead is still here when another has failed before
            return needed == null || needed.unfinished.get() <= 0;
        } else if (number > 0 || needed == null || followed == null) {
            return true;
        }
        lane.waitsInChain = true; // before it looks
        boolean may = !degraded && !followed.hasFailed() && needed.isTaken(lane);
        lane.waitsInChain = !may;
        return may;
    }

    /** Whether a lane has taken all of its range, or, where that is all of the phase, nothing was given back. */
    boolean isTaken(LaneTask lane) {
        return plan.isChained ? pool.remaining(lane.index) == 0 : pool.remainingTotal() == 0;
    }

    /** Takes the next part of a lane's range, if there is one at present. */
    private long takeInChain(LaneTask lane) {
        long next = nextInChain(lane);
        if (next == ChunkPool.NONE) {
            return next;
        }
        boolean front = ChunkPool.first(next) == ChunkPool.first(pool.range(lane.index));
        int size = ChunkPool.size(next);
        return front ? pool.takeFront(lane.index, size) : pool.stealBack(lane.index, size);
    }

    /** The next part of a lane's range, those first that others wait for; none while what that needs of others is not done. */
    long nextInChain(LaneTask lane) {
        int self = lane.index;
        int from = plan.bounds[self];
        int to = plan.bounds[self + 1];
        long left = pool.range(self);
        int first = ChunkPool.first(left);
        int end = ChunkPool.end(left);
        if (first == end) {
            return ChunkPool.NONE;
        }
        boolean inner = from > 0 && to < granules;
        // What others wait for comes first where it has to be moved, which takes as long as what is left.
        boolean apart = lane.lane().holdsData() && !lane.lane().bringsEdges();
        int edge = apart ? Math.max(reach, (to - from) / (inner ? 3 : 2)) : to - from;
        boolean front = reach > 0 && from > 0 && first == from;
        boolean back = reach > 0 && !front && to < granules && end == to;
        int size = Math.min(front || back ? edge : end - first, Math.min(end - first, lane.mostGranules));
        int begin = back ? end - size : first;
        lane.waitsInChain = true; // before it looks: who is done in between calls it
        PhaseRun needed = before;
        if (needed != null && needed.unfinished.get() <= 0) {
            before = null; // it holds those before itself
        } else if (needed != null && !needed.isDoneAround(self, begin, begin + size, reach)) {
            return ChunkPool.NONE;
        }
        lane.waitsInChain = false;
        return ChunkPool.range(begin, begin + size);
    }

    /** Counts as done what others wait for of a lane's chunk, at both of its ends, and returns the rest. */
    long edgesDone(LaneTask lane, long range) {
        int first = ChunkPool.first(range);
        int end = ChunkPool.end(range);
        int from = first > 0 ? first + reach : first;
        int to = end < granules ? end - reach : end;
        if (from > first) {
            lane.run.chunkDone(lane, this, ChunkPool.range(first, from));
        }
        if (to < end) {
            lane.run.chunkDone(lane, this, ChunkPool.range(to, end));
        }
        return ChunkPool.range(from, to);
    }

    /** Whether it is done around granules of a lane, but for the lane's own, to which its device comes first. */
    private synchronized boolean isDoneAround(int lane, int from, int to, int far) {
        return isDone(Math.max(0, from - far), plan.bounds[lane])
                && isDone(plan.bounds[lane + 1], Math.min(granules, to + far));
    }

    private boolean isDone(int from, int to) {
        return from >= to || Objects.requireNonNull(done).missingFrom(from, to) == to;
    }

    private synchronized void doneInChain(long range) {
        Objects.requireNonNull(done).add(ChunkPool.first(range), ChunkPool.end(range));
    }

    /** Granules of which no lane has said that they are done. */
    long unfinished() {
        return Math.max(0, unfinished.get());
    }

    /** First unit of a range of granules. */
    long firstUnit(long range) {
        return ChunkPool.first(range) * unitsPerGranule;
    }

    /** Units in a range of granules; the job's last granule may be short, and an empty range lie behind it. */
    long units(long range) {
        return Math.max(0, Math.min(units, ChunkPool.end(range) * unitsPerGranule) - firstUnit(range));
    }

    /** Work of a range of granules, in units of mean cost. */
    double work(long range) {
        return profile.work((double) firstUnit(range), (double) units(range), (double) units);
    }

    /** The lane to which the plan gave a range that this one took; of a common range whoever takes it. */
    int owner(LaneTask lane, long range) {
        return sharing == Plan.Sharing.POOLED ? lane.index : plan.owner(ChunkPool.first(range));
    }

    /** Counts a range as done; true if all of the phase is. */
    boolean done(long range) {
        if (plan.isChained) {
            doneInChain(range);
        }
        return unfinished.addAndGet(-ChunkPool.size(range)) == 0;
    }

    /** Whether all of it is done, and the caller is the one to end it. */
    boolean mayEnd() {
        return unfinished.compareAndSet(0, ENDED);
    }

    /** Whether a range is all that is not done yet. */
    boolean isLast(long range) {
        return unfinished.get() == ChunkPool.size(range);
    }

    /** Puts back what a lane took and could not do. */
    void giveBack(long range) {
        pool.giveBack(range);
    }

    /**
     * A lane failed: from now on every lane may take over another's work, whatever the plan, here and in the phases
     * after it, of which none is begun any more before those before it have ended.
     */
    void degrade() {
        PhaseRun begun;
        synchronized (this) {
            degraded = true;
            begun = next;
        }
        if (begun != null) {
            begun.degrade();
        }
    }

    /** The next chunk for a lane, or {@link ChunkPool#NONE} if there is nothing it should do at present. */
    long take(LaneTask lane) {
        int self = lane.index;
        if (!mayBegin(lane)) {
            return ChunkPool.NONE;
        } else if (plan.isChained && !degraded) {
            return takeInChain(lane);
        }
        while (true) {
            long range = front(lane, self);
            if (range != ChunkPool.NONE) {
                return range;
            }
            range = pool.takeReturned();
            if (range != ChunkPool.NONE) {
                adopt(lane, range);
                continue;
            }
            if (sharing == Plan.Sharing.POOLED) {
                range = front(lane, pool.lanes());
                if (range != ChunkPool.NONE) {
                    return range;
                }
            }
            if (!steal(lane) && !overtake(lane)) {
                return ChunkPool.NONE;
            }
        }
    }

    private long front(LaneTask lane, int owner) {
        while (true) {
            int left = pool.remaining(owner);
            if (left == 0) {
                return ChunkPool.NONE;
            }
            long wanted = Math.max(1, Math.min(wanted(lane), Math.min(left, lane.mostGranules)));
            long range = pool.takeFront(owner, (int) Math.min(wanted, toBoundary(ChunkPool.first(pool.range(owner)))));
            if (range != ChunkPool.NONE) {
                return upToBoundary(range);
            }
        }
    }

    private long wanted(LaneTask lane) {
        try {
            return policy.chunk(this, lane.index);
        } catch (Throwable e) { // policies may be user code
            throw plan.policyFailed(e);
        }
    }

    /** Granules from here to where a chunk must end: it lies in one segment of every buffer that it slices. */
    private long toBoundary(int granule) {
        return Granules.toNextSeam(phase, granule * unitsPerGranule) / unitsPerGranule;
    }

    /** Where several lanes take from one range, the chunk may have begun further on than was seen. */
    private long upToBoundary(long range) {
        long most = toBoundary(ChunkPool.first(range));
        if (ChunkPool.size(range) <= most) {
            return range;
        }
        int boundary = ChunkPool.first(range) + (int) most;
        pool.giveBack(ChunkPool.range(boundary, ChunkPool.end(range)));
        return ChunkPool.range(ChunkPool.first(range), boundary);
    }

    /** Moves part of another lane's range to this one's; false if that does not pay. */
    private boolean steal(LaneTask lane) {
        while (mayTakeOver(lane.index)) {
            int victim = Stealing.victim(this, lane.index);
            long amount = victim < 0 ? 0 : Stealing.amount(this, lane.index, victim);
            if (amount <= 0 && isToBeTried(lane)) {
                victim = last();
                amount = victim < 0 ? 0 : toTry(lane.index, victim);
            }
            if (amount <= 0) {
                return false;
            }
            long range = pool.stealBack(victim, (int) Math.min(Integer.MAX_VALUE, amount));
            if (range != ChunkPool.NONE) {
                taken(lane, victim, range);
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a lane does a little though it may be slow, as it is done before the others; else these do that again.
     */
    private boolean isToBeTried(LaneTask lane) {
        return lane.onTrial
                && isUnseen(lane)
                && !lane.overtaken
                && (!known() || Stealing.lastEnd(this) > fixedNanos(lane.index));
    }

    /** The lane that would end last of those that have granules left; -1 if there is none. */
    private int last() {
        int last = -1;
        for (int i = 0; i < lanes(); i++) {
            boolean has = active(i) && remaining(i) > 0;
            last = has && (last < 0 || leftNanos(i, true) > leftNanos(last, true)) ? i : last;
        }
        return last;
    }

    /**
     * How much: as much as the lane that has it does in the time that is fixed for this one; less would tell nothing
     * of its units.
     */
    private long toTry(int lane, int has) {
        LaneStats its = stats(has);
        double granules = known()
                ? fixedNanos(lane) / nanosPerGranule(has)
                : fixedNanos(lane)
                        * its.heldWork()
                        / unitsPerGranule
                        / Math.max(1, its.elapsedNanos(clock.getAsLong()));
        return Math.max(1, granulesAtBack(has, granules));
    }

    /** Whether nothing is known of a lane, from this job or others. */
    private boolean isUnseen(LaneTask lane) {
        return stats(lane.index).log.chunks() == 0 && plan.model().isUnseen(lane.index);
    }

    /** Takes a chunk from a lane on trial that this one and others would do sooner; false if there is none. */
    private boolean overtake(LaneTask lane) {
        while (mayTakeOver(lane.index) && !isUnseen(lane)) {
            long now = clock.getAsLong();
            int slow = slowest(lane.index);
            double idle = slow < 0 ? 0 : idleRates(lane.index);
            if (slow < 0 || nanosToOvertake(lane.index, idle, slow) > 0) {
                return false;
            }
            long since = now - (long) stats(slow).elapsedNanos(now); // if it has another one by then, that is not late
            long range = lane.run.recovery.overtake(task(slow), this, since);
            if (range != ChunkPool.NONE) {
                stats(lane.index).redoes();
                taken(lane, slow, share(lane, idle, range));
                return true;
            }
        }
        return false;
    }

    /** Work that a lane does in a nanosecond with the others that have nothing to do and would help it. */
    private double idleRates(int lane) {
        double sum = 0;
        for (int i = 0; i < lanes(); i++) {
            sum += i == lane || helps(i) ? 1 / expected(i) : 0;
        }
        return sum;
    }

    private boolean helps(int lane) {
        return active(lane)
                && ready(lane)
                && pool.remaining(lane) == 0
                && stats(lane).heldWork() == 0
                && awayNanos(lane) == 0
                && mayTakeOver(lane)
                && !isUnseen(task(lane));
    }

    /** A lane's part of what was taken from one that is late; the others that have nothing to do are called for theirs. */
    private long share(LaneTask lane, double idle, long range) {
        int first = ChunkPool.first(range);
        int end = ChunkPool.end(range);
        for (int i = 0; i < lanes(); i++) {
            int most = i != lane.index && helps(i) ? end - first - 1 : 0;
            int size = (int) Math.min(most, ChunkPool.size(range) / expected(i) / idle);
            if (size > 0) {
                pool.giveBack(ChunkPool.range(end - size, end));
                end -= size;
                task(i).call();
            }
        }
        return ChunkPool.range(first, end);
    }

    /** The lane on trial whose chunk it can take over soonest; -1 if there is none. */
    private int slowest(int lane) {
        int soonest = -1;
        double idle = 0; // of interest only where there is one on trial
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < lanes() && rates.known(); i++) {
            LaneTask its = lanes.part(i);
            if (i != lane && its != null && its.onTrial && its.active() && busyNanos(i) > 0) {
                idle = idle == 0 ? idleRates(lane) : idle;
                double wait = nanosToOvertake(lane, idle, i);
                soonest = soonest < 0 || wait < least ? i : soonest;
                least = Math.min(least, wait);
            }
        }
        return soonest;
    }

    /**
     * How long until a lane would do another's chunk sooner than that: one that is late takes as long again, the
     * usual guess. One that does such chunks itself has twice the time for each, or lanes that are slower than they
     * know take a chunk from each other for ever.
     *
     * @param idle {@linkplain #idleRates work a nanosecond} of those that would do it
     */
    private double nanosToOvertake(int lane, double idle, int slow) {
        LaneStats its = stats(slow);
        double again = (its.heldWork() / idle + fixedNanos(lane)) * Math.pow(2, its.redone);
        double elapsed = its.elapsedNanos(clock.getAsLong());
        double ends = its.heldWork() * expected(slow) + fixedNanos(slow) - elapsed;
        return ends > again ? Math.max(0, again - elapsed) : Math.max(0, ends + again);
    }

    private boolean mayTakeOver(int lane) {
        return degraded || (sharing == Plan.Sharing.STEALING && (!plan.plan().standsBy(lane) || isCalledFor(lane)));
    }

    /** Whether a lane that stands by should come in: the job takes longer than was to be. */
    private boolean isCalledFor(int lane) {
        double elapsed = plan.elapsedNanos();
        double limit = plan.plan().standByNanos();
        if (limit == 0) {
            return known() || elapsed > mostFixedNanos(lane);
        }
        return elapsed + Stealing.lastEnd(this) > limit;
    }

    private void taken(LaneTask lane, int from, long range) {
        EventPublisher.OfJob events = lane.run.events;
        if (events != null) {
            events.stolen(number, lane.index, from, units(range));
        }
        adopt(lane, range);
    }

    private void adopt(LaneTask lane, long range) {
        lane.tookOver = true;
        pool.refill(lane.index, range);
    }

    // ---- what a policy sees ----

    @Override
    public long job() {
        return plan.jobNumber();
    }

    @Override
    public int phase() {
        return number;
    }

    @Override
    public int lanes() {
        return lanes.lanes();
    }

    @Override
    public long granules() {
        return granules;
    }

    @Override
    public long remaining() {
        return pool.remainingTotal();
    }

    @Override
    public long remaining(int lane) {
        return pool.remaining(lane);
    }

    @Override
    public double work(int lane) {
        return work(pool.range(lane)) / unitsPerGranule;
    }

    @Override
    public double work() {
        double sum = 0;
        if (sharing == Plan.Sharing.POOLED) {
            sum = work(pool.lanes());
        }
        for (int lane = 0; lane < lanes(); lane++) {
            sum += work(lane);
        }
        return sum;
    }

    @Override
    public long granulesOfWork(int lane, double work) {
        long range = pool.range(lane);
        if (ChunkPool.size(range) == 0 && sharing == Plan.Sharing.POOLED) {
            range = pool.range(pool.lanes());
        }
        if (profile.even()) {
            return (long) Math.min(ChunkPool.size(range), Math.ceil(work - ROUNDING));
        }
        double first = ChunkPool.first(range);
        double end = profile.end(first, work, granules);
        return (long) Math.min(ChunkPool.size(range), Math.ceil(end - first - ROUNDING));
    }

    @Override
    public long granulesAtBack(int lane, double work) {
        long range = pool.range(lane);
        if (profile.even()) {
            return Math.min(ChunkPool.size(range), (long) Math.min(work, Integer.MAX_VALUE));
        }
        double end = ChunkPool.end(range);
        return (long) Math.min(ChunkPool.size(range), end - profile.end(end, -work, granules));
    }

    @Override
    public boolean active(int lane) {
        LaneTask its = lanes.part(lane);
        return its != null && its.active();
    }

    @Override
    public boolean ready(int lane) {
        LaneTask its = task(lane);
        return !its.builds && !its.worker.isOut();
    }

    @Override
    public double nanosPerGranule(int lane) {
        double expected =
                expected(lane); // which is relative while no time is known, so that none can tell that it is more
        return (known() ? stats(lane).nanosPerUnit(expected, clock.getAsLong()) : expected) * unitsPerGranule;
    }

    /** A lane's task, or, where it has none, what that would be. */
    LaneTask task(int lane) {
        LaneTask its = lanes.part(lane);
        return its == null ? plan.task(lane) : its;
    }

    /** What is known of a lane's chunks; of one that takes no part, what is expected. */
    LaneStats stats(int lane) {
        LaneTask of = task(lane);
        LaneStats its = of.stats;
        if (its == null) {
            its = new LaneStats(of);
            its.expect(plan.prior(lane, number), null);
        }
        return its;
    }

    /** What a lane's chunks show, or, before its first one, those of the first lane whose device is equal. */
    private LaneEstimate estimate(int lane) {
        LaneEstimate own = stats(lane).estimate;
        int like = own.known() ? lane : rates.first(plan.classOf(lane));
        return like < 0 ? own : stats(like).estimate;
    }

    /** What a unit of work takes a lane: from chunks, or else as much slower or faster than guessed as others are. */
    private double expected(int lane) {
        LaneEstimate estimate = estimate(lane);
        return estimate.known() ? estimate.nanosPerUnit() : stats(lane).guess * rates.slower();
    }

    @Override
    public boolean known() {
        return rates.known();
    }

    @Override
    public double variance(int lane) {
        return stats(lane).estimate.variance(); // equal devices need not be equal
    }

    @Override
    public double mostNanosPerGranule(int lane) {
        return stats(lane).estimate.mostNanosPerUnit() * unitsPerGranule;
    }

    @Override
    public double fixedNanos(int lane) {
        return estimate(lane).fixedNanos();
    }

    @Override
    public double mostFixedNanos(int lane) {
        return estimate(lane).mostFixedNanos();
    }

    @Override
    public double overrun(int lane) {
        return stats(lane).estimate.overrun();
    }

    @Override
    public double leastWork(int lane) {
        return estimate(lane).leastUnits() / unitsPerGranule;
    }

    @Override
    public double busyNanos(int lane) {
        return known() ? stats(lane).busyNanos(expected(lane), clock.getAsLong()) : 0;
    }

    @Override
    public double awayNanos(int lane) {
        // One that has been waited for: as long again, the usual guess.
        LaneTask task = task(lane);
        return Math.max(task.worker.busyNanos(task.run, task), (double) task.waits());
    }

    @Override
    public double doneGranules(int lane) {
        return (double) stats(lane).doneUnits / unitsPerGranule;
    }

    @Override
    public double doneNanos(int lane) {
        return stats(lane).doneNanos;
    }

    @Override
    public int doneChunks(int lane) {
        return stats(lane).doneChunks;
    }

    @Override
    public double doneWallNanos(int lane) {
        return stats(lane).doneWallNanos;
    }

    @Override
    public double elapsedNanos() {
        return plan.elapsedNanos();
    }

    /** When a lane that found nothing worth taking over should look again, or {@link LaneWorker#NEVER}. */
    long lookAgain(int lane) {
        double wait = -1;
        if (mayTakeOver(lane)) {
            wait = Stealing.nanosToNextLook(this, lane);
            int slow = isUnseen(task(lane)) ? -1 : slowest(lane);
            double late = slow < 0 ? -1 : Math.max(1, nanosToOvertake(lane, idleRates(lane), slow));
            wait = wait < 0 || (late >= 0 && late < wait) ? late : wait;
        } else if (sharing == Plan.Sharing.STEALING) { // it stands by, and looks now and then, ever more seldom
            wait = Math.max(
                    fixedNanos(lane), Math.max(plan.elapsedNanos(), plan.plan().standByNanos()) / 4);
        }
        return wait < 0 || wait > Long.MAX_VALUE / 4.0 ? LaneWorker.NEVER : clock.getAsLong() + (long) wait;
    }

    /**
     * What a lane is expected to work for it: what it has in hand, and, if it does all before it leaves, what is left to it. While nobody
     * knows, as long again as what it has in hand has taken.
     */
    double leftNanos(int lane, boolean all) {
        if (!known()) {
            return stats(lane).elapsedNanos(clock.getAsLong());
        }
        double left = busyNanos(lane);
        if (all && sharing == Plan.Sharing.POOLED) { // of what is common, until all are done with it
            double rate = 0;
            for (int each = 0; each < lanes(); each++) {
                rate += active(each) ? 1 / nanosPerGranule(each) : 0;
            }
            double common = work(pool.range(pool.lanes())) / unitsPerGranule;
            left += common > 0 ? common / rate : 0;
        }
        return left + (all ? work(lane) * nanosPerGranule(lane) : 0);
    }
}
