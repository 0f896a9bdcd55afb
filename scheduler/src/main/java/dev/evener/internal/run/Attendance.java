package dev.evener.internal.run;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Whether a lane has been called by a job and is still to answer. Each call is answered once, by the lane when it departs, or for it, when
 * nobody waits for it any longer. Any thread.
 */
final class Attendance {
    private static final long NOT = Long.MIN_VALUE;

    private static final AtomicIntegerFieldUpdater<Attendance> CALLS =
            AtomicIntegerFieldUpdater.newUpdater(Attendance.class, "calls");

    private final LaneTask task;
    private volatile int calls;
    private final AtomicBoolean late = new AtomicBoolean();
    private volatile long waitsSince = NOT; // for the lane to be done with another job

    Attendance(LaneTask task) {
        this.task = task;
    }

    /** Calls the lane once more, if it works for the job. */
    void call() {
        if (!task.active()) {
            return;
        }
        task.run.end.expect(1);
        LaneWorker worker = task.worker;
        if (waitsSince == NOT && !worker.serves(task) && worker.hasOthers(task)) {
            waitsSince = task.run.now();
        }
        CALLS.incrementAndGet(this);
        worker.called(task);
        worker.offer(task);
        String hangs = task.health().hangs() ? task.health().quarantined() : null;
        if (hangs != null) { // since the job was cut
            task.run.around.post().accept(() -> task.run.recovery.laneIsGone(task, hangs));
        }
    }

    /** Whether it was called and has neither departed nor been counted out. */
    boolean present() {
        return calls > 0;
    }

    /** How long the job has been waiting for it, in nanoseconds; 0 if it was not at work for another when it was called. */
    long waits() {
        long since = waitsSince;
        return since == NOT ? 0 : Math.max(0, task.run.now() - since);
    }

    /** It goes to a more urgent job. */
    void leftAlone() {
        waitsSince = task.run.now();
    }

    /** It comes: how long it could not because it was at work for another job, in nanoseconds. */
    long arrive() {
        long waited = waits();
        waitsSince = NOT;
        return waited;
    }

    /** Answers one call; false if it was counted out. */
    boolean depart() {
        boolean counted = CALLS.getAndUpdate(this, c -> Math.max(0, c - 1)) > 0;
        task.worker.answered(task);
        return counted;
    }

    /** Takes back all calls, and says how many there were: the lane will not answer them, or need not. */
    int countOut() {
        int counted = CALLS.getAndSet(this, 0);
        task.worker.answered(task);
        return counted;
    }

    /** From now on, when it comes back late, somebody waits for it to let go of the job's buffers; false if somebody did already. */
    boolean expectLate() {
        return late.compareAndSet(false, true);
    }

    /** Whether somebody waited; true once for each {@link #expectLate}. */
    boolean cameLate() {
        return late.compareAndSet(true, false);
    }
}
