package dev.evener.internal.run;

import dev.evener.internal.job.JobSpec;
import dev.evener.internal.recovery.Watchdog;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker with a thread and an inbox of its own. The thread parks when it has nothing to do: one that spun would take a
 * core from the CPU device.
 *
 * <p>{@link #offer} and {@link #offerProbe} may be called by any thread (multi-producer, single-consumer queue).
 */
final class LaneThread extends LaneWorker {
    private static final Logger LOG = LoggerFactory.getLogger(LaneThread.class);

    private final MpscUnboundedAtomicArrayQueue<LaneTask> inbox = new MpscUnboundedAtomicArrayQueue<>(64);
    private final Thread thread;
    private volatile boolean probeIsDue;
    private volatile boolean closing;

    LaneThread(Lane lane, Watchdog watchdog, Duration patience) {
        super(lane, watchdog, patience);
        this.thread =
                new Thread(null, this::loop, "evener-lane-" + lane.device().id(), lane.stackBytes());
        thread.setDaemon(true); // an application that forgets to close must still be able to end
        thread.start();
    }

    @Override
    protected boolean isCurrent() {
        return Thread.currentThread() == thread || lane().isOnHelper();
    }

    @Override
    protected void offer(LaneTask task) {
        inbox.offer(task);
        LockSupport.unpark(thread);
    }

    @Override
    protected void offerProbe() {
        probeIsDue = true;
        LockSupport.unpark(thread);
    }

    private void loop() {
        try {
            while (true) {
                // What a host step or Java kernel left set would make every park return at once.
                Thread.interrupted();
                boolean last = closing; // read before the inbox: what was offered before close() is still done
                hear();
                if (probeIsDue && !last && servesNobody()) { // first: there may never be nothing to do
                    probeIsDue = false;
                    probe();
                }
                if (build()) {
                    continue;
                }
                LaneTask task = pick();
                if (task != null) {
                    serve(task);
                } else if (last) {
                    return;
                } else if (nextLook() == NEVER) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, nextLook() - System.nanoTime()); // not at all if that is past
                    lookAgain(System.nanoTime());
                }
            }
        } finally {
            try {
                lane().close();
            } catch (RuntimeException e) {
                LOG.warn("device {} did not close cleanly: {}", device().id(), e.toString());
            }
        }
    }

    @Override
    void wantsBuilt(LaneTask task) {
        toBuild.add(task);
        LockSupport.unpark(thread);
        String hangs = health().hangs() ? health().quarantined() : null;
        if (hangs != null) { // since the job looked
            task.run.around.post().accept(() -> task.run.recovery.laneIsGone(task, hangs));
        }
    }

    /**
     * Tells jobs that it is ready for them, and builds for one: when it has nothing else to do, or for one that waits for it and is more
     * urgent than what it has. False if it built nothing.
     */
    private boolean build() {
        if (toBuild.isEmpty() || isStopping() || isAhead()) {
            return false;
        }
        LaneTask other = mostUrgent();
        LaneTask first = null;
        LaneTask told = null;
        for (Iterator<LaneTask> it = toBuild.iterator(); it.hasNext(); ) {
            LaneTask each = it.next();
            JobStart start = each.run.start;
            if (!start.hasToBuild(this)) {
                told = each;
                it.remove();
                start.isReady(each);
            } else if ((other == null || (start.awaits(each) && each.run.isMoreUrgentThan(other.run)))
                    && (first == null || each.run.isMoreUrgentThan(first.run))) {
                first = each;
            }
        }
        if (first != null) {
            leaveFor(first);
            building = first;
            toBuild.remove(first);
            first.run.start.build(first);
            building = null; // before jobs hear of it
            first.run.start.isReady(first);
            health().returned();
            told = first;
        }
        if (told != null) {
            told.run.around.laneIsFree().run();
        }
        return first != null;
    }

    private void hear() {
        for (LaneTask task = inbox.poll(); task != null; task = inbox.poll()) {
            heard(task);
        }
    }

    /** One chunk of a job, or the end of the visit. */
    private void serve(LaneTask task) {
        if (task.begin()) {
            execute(task, task.present);
            task.end();
            ended(task);
        } else {
            depart(task);
        }
    }

    /** Runs the chunk that was begun, and has the next one enqueued before it ends. */
    private void execute(LaneTask task, ChunkInFlight chunk) {
        if (!chunk.enqueued && chunk.followed) { // it was refused, and begins now
            chunk.followed = false;
            chunk.executeStart = task.run.now();
        }
        boolean proceeds = chunk.enqueued;
        enqueue(task, chunk);
        if (chunk.problem != null) {
            return;
        }
        try {
            if (proceeds) {
                lane().proceed();
            }
            lookAhead(task, chunk);
        } catch (Throwable e) { // an Error too: what is under way must be waited for
            chunk.problem = e;
        }
        try {
            lane().await();
        } catch (Throwable e) { // an Error too: the chunk has failed
            task.failWith(e);
        }
    }

    private void enqueue(LaneTask task, ChunkInFlight chunk) {
        if (chunk.problem == null && !chunk.enqueued) {
            JobSpec.Phase phase = chunk.declaredPhase();
            try {
                chunk.enqueued =
                        lane().enqueue(task.job(), phase, chunk.firstUnit(), chunk.units, task.isFenced(), chunk.times);
            } catch (Throwable e) { // an Error too: the chunk has failed
                chunk.problem = e;
            }
        }
    }

    /** Enqueues the next chunk when the one under way is about to end: one of the same job, or, if it has none, of another. */
    private void lookAhead(LaneTask task, ChunkInFlight chunk) {
        boolean last = task.commitAhead();
        task.bringEdges();
        if (!task.looksAhead() || !lane().takesAnother()) {
            return;
        }
        long due = task.followUpAt();
        long began = task.run.now();
        LaneTask following = ahead(task);
        for (long now = began; following == null && (due - now > 0 || waitsForOthers(task)); now = task.run.now()) {
            Thread.interrupted(); // as in the loop
            LockSupport.parkNanos(this, LookAhead.sleepNanos(chunk, due - now > 0 ? due - now : Long.MAX_VALUE));
            if (!lane().takesAnother()) {
                return; // it has ended before its time
            }
            following = ahead(task); // whoever has done what it needs wakes it
        }
        boolean begun = following != null;
        hear();
        if (!begun) {
            following = last ? beginFollower(task) : task.beginNext() ? task : null;
        }
        following = following == null ? beginOther(task) : following;
        ChunkInFlight next = following == null ? null : following == task ? following.next : following.present;
        if (following == null || next == null) {
            return;
        }
        next.followed = true;
        enqueue(following, next);
        if (next.enqueued) {
            task.lookAhead.prepared(begun ? began : Math.max(due, began), task.run.now());
        } else if (next.problem == null) {
            task.lookAhead.refusals++;
        }
    }

    /** In a chain: begins its next chunk, or that of the job behind, as soon as may be. */
    private @Nullable LaneTask ahead(LaneTask task) {
        if (!task.goesAhead()) {
            return null;
        } else if (task.beginNext()) {
            return task;
        }
        hear();
        return task.isThrough() ? beginFollower(task) : null;
    }

    /** In a chain: whether what comes next, of the job or of the one behind, needs what other lanes have not done when it was last looked at. */
    private boolean waitsForOthers(LaneTask task) {
        for (int i = 0; task.goesAhead() && i < visits.size(); i++) {
            LaneTask each = visits.get(i);
            if (each.waitsInChain && (each == task || each.run.follows == task.run)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Begins a chunk of the job that comes next, if that is one that may have it enqueued behind the last chunk of the job that is
     * served; else null.
     */
    private @Nullable LaneTask beginFollower(LaneTask present) {
        for (LaneTask each : visits) {
            if (each.run.follows == present.run && each.beginBehind(present)) {
                follower = each;
                needs = true;
                return each;
            } else if (each != present && !each.run.isHeldBack()) {
                return null; // it comes before
            }
        }
        return null;
    }

    /**
     * Begins a chunk of the most urgent other job, which needs nothing of the one that is served, behind its chunk, if that one will have
     * nothing to do here then; else null.
     */
    private @Nullable LaneTask beginOther(LaneTask present) {
        for (LaneTask each : visits) {
            if (each != present && !each.run.isHeldBack()) {
                boolean begun = present.leavesRoom() && each.looksAhead() && each.beginBehind(present);
                follower = begun ? each : null;
                needs = false;
                return follower;
            }
        }
        return null;
    }

    /** A chunk has ended: what was begun behind it comes next, or, if it needs what the job has not written, waits for its turn. */
    private void ended(LaneTask task) {
        LaneTask behind = follower;
        if (behind == null) {
            return;
        } else if (needs && task.run.hasFailed()) {
            takeFollowerBack("job '" + task.run.name() + "', which has not ended well: " + task.run.failure());
            return;
        }
        task.stats.settle();
        behind.comesFirst(task.stats.lastEnd);
        if (!needs && task.goesOn()) {
            leaveFor(behind);
        } else {
            depart(task);
        }
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
    }

    @Override
    protected boolean join(Duration limit) throws InterruptedException {
        thread.join(TimeUnit.MILLISECONDS.convert(limit)); // which saturates
        return !thread.isAlive();
    }
}
