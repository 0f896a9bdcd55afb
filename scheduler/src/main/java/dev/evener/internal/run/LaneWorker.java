package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import dev.evener.internal.order.HostThreads;
import dev.evener.internal.recovery.LaneHealth;
import dev.evener.internal.recovery.Watchdog;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who works for a lane: a thread ({@link LaneThread}), or, in a simulation, events on a virtual clock. It belongs to no job: of those
 * that have called it, it takes the next chunk of the most urgent one, which is the one of highest priority, then the one submitted
 * first.
 *
 * <p>{@link #offer} and the queries may be called by any thread; {@link #close} by one thread, once; what is said to be for the
 * lane's own thread by that alone.
 */
public abstract class LaneWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LaneWorker.class);

    /** A time that does not come. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int ALONE = 1 << 16;

    /** Jobs that are over for which it builds all the same. */
    private static final int MOST_LEFT = 16;

    private volatile Lane lane; // another one after its device was reset
    private final LaneHealth health;
    final ChunkInFlight[] chunks = {new ChunkInFlight(), new ChunkInFlight()}; // in its hands, of whichever job
    final IntFunction<ByteBuffer> partial = argument -> lane().partial(argument); // of its last chunk
    private final Set<LaneTask> called = ConcurrentHashMap.newKeySet(); // and not departed
    private final AtomicInteger users = new AtomicInteger(); // and ALONE for each that has it alone
    final Set<LaneTask> toBuild = ConcurrentHashMap.newKeySet(); // for whom it is to be ready
    volatile @Nullable LaneTask building; // for whom it is at work for a compiler
    private volatile boolean stopping;
    private volatile List<DeviceInfo> asked = List.of(); // of a job whose first lane this was
    volatile long lastWhole; // number of the job that it was given last of those that cannot be cut
    int wholes; // how many of these are under way there; the dispatcher's

    // For the lane's own thread, but for who is served.
    final List<LaneTask> visits = new ArrayList<>(); // calls heard and not answered, the most urgent first
    private final List<LaneTask> left = new ArrayList<>(); // to look again at a time
    private volatile @Nullable LaneTask served;

    @Nullable
    LaneTask follower; // whose chunk was begun behind one of the job that is served

    boolean needs; // whether that job has to end well before

    /** @param patience how long a failed lane is left alone before its first probe */
    protected LaneWorker(Lane lane, Watchdog watchdog, Duration patience) {
        this.lane = lane;
        this.health = new LaneHealth(lane.device(), watchdog, patience);
    }

    /**
     * The devices behind some, in the same order: mostly the same list, so that lists need not be compared one by
     * one.
     */
    static List<DeviceInfo> devices(List<LaneWorker> workers) {
        List<DeviceInfo> known = workers.get(0).asked;
        boolean same = known.size() == workers.size();
        for (int i = 0; i < workers.size() && same; i++) {
            same = known.get(i).id().equals(workers.get(i).device().id());
        }
        if (!same) {
            known = workers.stream().map(LaneWorker::device).toList();
            workers.get(0).asked = known;
        }
        return known;
    }

    public final DeviceInfo device() {
        return lane.device();
    }

    /** The lane; for its own thread, but for what {@link Lane} allows to all. */
    protected final Lane lane() {
        return lane;
    }

    /** What it can be trusted with. */
    LaneHealth health() {
        return health;
    }

    /** Tries the device out, if it is quarantined; on the lane's own thread. */
    protected final void probe() {
        health.probe(() -> lane = lane.revive(), this::offerProbe);
    }

    /** Whether it is still at a chunk that was taken from it, and nobody waits for. Any thread. */
    final boolean isOut() {
        LaneTask present = served;
        return present != null && present.isAway();
    }

    /** Whether its device still works, as far as this thread can tell: drivers may call it want of resources that one has crashed. */
    final boolean answers() {
        try {
            if (isCurrent()) {
                lane.probe();
            }
            return true;
        } catch (Throwable e) { // an Error too: as anywhere on this thread
            return false;
        }
    }

    /** Keeps work from the lane until a probe succeeds. */
    void quarantine(String reason) {
        health.quarantine(reason, this::offerProbe);
    }

    /** The same for a lane that does not come back from its driver, in which it is for a job. */
    void quarantineHung(LaneTask in, String reason) {
        health.hangs(reason, this::offerProbe);
        loseOthers(in, reason);
    }

    // ---- for whom it works; any thread ----

    /** A job has called it. */
    final void called(LaneTask by) {
        called.add(by);
    }

    /** A job has no call left that it is to answer, unless another was made meanwhile. */
    final void answered(LaneTask by) {
        called.remove(by);
        if (by.isCalled()) {
            called.add(by);
        }
    }

    /** How many jobs have called it that it has not left. */
    final int jobs() {
        return called.size();
    }

    /** The jobs that have called it, and that it has not left. */
    final List<JobRun> callers() {
        return called.stream().map(each -> each.run).toList();
    }

    /** Whether others than this one have called it. */
    final boolean hasOthers(LaneTask than) {
        return jobs() > (than.isCalled() ? 1 : 0);
    }

    /** Where jobs are planned and started: not on the thread of a GPU's lane that has another job to go on with. */
    static Executor starter(List<LaneWorker> workers, HostThreads threads) {
        for (int i = 0; i < workers.size(); i++) {
            LaneWorker each = workers.get(i);
            LaneTask present = each.served;
            int own = present != null && each.called.contains(present) ? 1 : 0;
            if (each.jobs() > own && !each.device().kind().isHostProcessor() && each.isCurrent()) {
                return threads::start;
            }
        }
        return Runnable::run;
    }

    /** A job that is under way may call it, and perhaps keeps others from it, also while it does nothing for that one. */
    final void hold(boolean alone) {
        users.addAndGet(alone ? ALONE + 1 : 1);
    }

    /** Ends one {@link #hold}. */
    final void letGo(boolean alone) {
        users.addAndGet(alone ? -ALONE - 1 : -1);
    }

    /** How many jobs under way were given something there, or may be; also while the host does something for them. */
    final int users() {
        return users.get() % ALONE;
    }

    /** Whether a job has it alone. */
    final boolean isHeld() {
        return users.get() >= ALONE;
    }

    /** Whether any job has called it, or that is under way and was given something, may yet. */
    final boolean isUsed() {
        return users.get() > 0 || jobs() > 0;
    }

    /** Whether a job is at work there now, or was when the lane stopped answering. */
    final boolean serves(LaneTask task) {
        return served == task;
    }

    /**
     * How long it is expected to be at work for other jobs before it comes to one, or to one that was not submitted yet, in nanoseconds:
     * where nobody knows what a chunk takes, as long again as it has taken.
     *
     * @param own that job's task for it; null if it has none
     */
    final double busyNanos(@Nullable JobRun before, @Nullable LaneTask own) {
        if (own == null ? called.isEmpty() : !hasOthers(own)) { // mostly, and lanes ask between chunks
            return 0;
        }
        double sum = 0;
        for (LaneTask each : called) {
            PhaseRun open = each == own || !each.active() ? null : each.run.phase;
            boolean all = before == null || each.run.isMoreUrgentThan(before);
            sum += ChunkTimes.summand(open == null ? 0 : open.leftNanos(each.index, all));
        }
        return sum;
    }

    /** How many other jobs have called it that are not over, though it may have still to leave those that are. */
    final int openJobs(@Nullable LaneTask than) {
        return openJobs(than, false);
    }

    /** The same, or of how many of these nobody knows how long they take. */
    final int openJobs(@Nullable LaneTask than, boolean unknown) {
        int jobs = 0;
        if (called.isEmpty()) { // mostly
            return jobs;
        }
        for (LaneTask each : called) {
            PhaseRun open = each == than || !each.active() ? null : each.run.phase;
            jobs += open != null && !(unknown && open.known()) ? 1 : 0;
        }
        return jobs;
    }

    /** The other jobs that have called it, which it will not answer, or that want it: it hangs. The most urgent one hears first. */
    private void loseOthers(LaneTask in, String reason) {
        Set<LaneTask> lost = new HashSet<>(called);
        lost.remove(served);
        toBuild.stream().filter(each -> !each.run.finished.get()).forEach(lost::add);
        lost.remove(in);
        lost.stream()
                .sorted(Comparator.comparing(each -> each.run, JobRun.URGENCY))
                .forEach(each -> each.run.recovery.laneIsGone(each, reason));
    }

    // ---- what it builds ----

    /** A job wants it to build what it may run of it, and to hear when it is ready; without a thread it is at once. Any thread. */
    void wantsBuilt(LaneTask task) {
        task.run.start.build(task);
        task.run.start.isReady(task);
    }

    /** A job is over, and wants nothing any more. Any thread. */
    final void forget(LaneTask task) {
        if (toBuild.size() > MOST_LEFT) { // a few are built all the same, so that the next of their kinds are
            toBuild.remove(task);
        }
    }

    /** Whether it is at work for a compiler, or will be before it is for a new job. Any thread. */
    final boolean isBuilding() {
        return building != null || !toBuild.isEmpty();
    }

    /** Whether it is at work for a compiler for a job, or was when it stopped answering. Any thread. */
    final boolean builds(@Nullable LaneTask task) {
        return task != null && building == task;
    }

    /** Whether it will be closed, and builds nothing more. Any thread. */
    final boolean isStopping() {
        return stopping;
    }

    // ---- whom it serves next; the lane's own thread ----

    /** A call has been heard. */
    protected final void heard(LaneTask task) {
        int at = visits.size();
        while (at > 0 && task.run.isMoreUrgentThan(visits.get(at - 1).run)) {
            at--;
        }
        visits.add(at, task);
    }

    /** For whom it takes the next chunk; null if nobody has called. A job whose next chunk was enqueued is gone on with. */
    protected final @Nullable LaneTask pick() {
        LaneTask present = served;
        if (present == null && follower != null) {
            served = follower;
            follower = null;
            return served;
        }
        leaveEnded();
        LaneTask first = mostUrgent();
        if (first == null || (present != null && present.next != null)) {
            return present;
        }
        if (first != present) {
            leaveFor(first);
            served = first;
            first.arrive();
        }
        return first;
    }

    /** Leaves the job that it serves, if it serves one, for a more urgent one. */
    final void leaveFor(LaneTask first) {
        LaneTask present = served;
        served = null;
        if (present != null) {
            present.interrupted(first);
        }
    }

    /** Whether a chunk is under way beside the one that was begun last. */
    final boolean isAhead() {
        LaneTask present = served;
        return follower != null || (present != null && present.next != null);
    }

    final @Nullable LaneTask mostUrgent() {
        return visits.isEmpty() ? null : visits.get(0);
    }

    /**
     * What was begun behind a job's last chunk, and needs what that was to write, waits for its turn, as if it had not been begun.
     *
     * @param before that job, and what became of it, in words
     * @return whether any was enqueued
     */
    final boolean takeFollowerBack(String before) {
        LaneTask behind = needs ? follower : null;
        if (behind == null) {
            return false;
        }
        follower = null;
        boolean enqueued = behind.present.enqueued;
        ChunkEnd.behindFailed(behind, before);
        return enqueued;
    }

    /** Jobs that were over before it came to them: it does not keep them while it serves a more urgent one. */
    private void leaveEnded() {
        if (!left.isEmpty()) {
            forgetOver(); // here too, as it may never have the time to look
        }
        for (int i = visits.size() - 1; i > 0; i--) {
            LaneTask each = visits.get(i);
            if (each != served && each.run.isEnded()) {
                visits.remove(i);
                each.depart();
            }
        }
    }

    /** Whether it is between two jobs. */
    protected final boolean servesNobody() {
        return served == null;
    }

    /** There is nothing left to do there for the job that it serves. */
    protected final void depart(LaneTask task) {
        visits.remove(task);
        served = null;
        task.depart();
    }

    /** A job of which it takes nothing at present is looked at again at a time. */
    final void looksAgain(LaneTask task, long at) {
        task.lookAt = at;
        if (!left.contains(task)) {
            left.add(task);
        }
    }

    /** When it is to {@link #lookAgain} for something to do, or {@link #NEVER}. */
    protected final long nextLook() {
        forgetOver();
        long next = NEVER;
        for (int i = 0; i < left.size(); i++) {
            next = Math.min(next, left.get(i).lookAt);
        }
        return next;
    }

    private void forgetOver() {
        left.removeIf(each -> each.run.isEnded());
    }

    /** Has those jobs call it again whose time has come. */
    protected final void lookAgain(long now) {
        for (int i = left.size() - 1; i >= 0; i--) {
            if (left.get(i).lookAt <= now) {
                left.remove(i).comeBack();
            }
        }
    }

    /** Whether the calling thread is this lane's. */
    protected abstract boolean isCurrent();

    /** Asks the lane to work for a job. */
    protected abstract void offer(LaneTask task);

    /** Asks the lane to {@link #probe}. */
    protected abstract void offerProbe();

    /** What would wait for long on the lane stops waiting: it will be closed. */
    void stop() {
        stopping = true;
        lane.stop();
    }

    /** Lets the lane finish what it was offered, then closes it. After {@link #stop}. */
    @Override
    public abstract void close();

    /** Waits until it is closed, or says that it is not. */
    final void awaitClosed(Duration limit) throws InterruptedException {
        if (!join(limit)) {
            LOG.warn("device {} is still busy after {} s; its memory is left to it", device().id(), limit.toSeconds());
        }
    }

    /** Waits until it is closed; false if that did not come in time. */
    protected abstract boolean join(Duration limit) throws InterruptedException;
}
