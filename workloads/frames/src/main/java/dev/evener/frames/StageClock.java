package dev.evener.frames;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Adds up what the threads of one stage do. Any thread. */
final class StageClock {
    private final StreamReport.Stage stage;
    private final long begin = System.nanoTime();
    private final LongAdder frames = new LongAdder();
    private final LongAdder busy = new LongAdder();
    private final LongAdder waiting = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final LongAdder tasks = new LongAdder();
    private final LongAdder inTasks = new LongAdder();
    private final AtomicLong lastTask = new AtomicLong(); // its end, since the beginning

    StageClock(StreamReport.Stage stage) {
        this.stage = stage;
    }

    void frame() {
        frames.increment();
    }

    /** Counts the time since {@code start} as work and returns now. */
    long busySince(long start) {
        return add(busy, start);
    }

    /** Counts the time since {@code start} as waiting and returns now. */
    long waitedSince(long start) {
        return add(waiting, start);
    }

    /** Counts the time since {@code start} as the run's waiting for this stage. */
    void heldSince(long start) {
        add(held, start);
    }

    /** Between tasks, threads wait until the last one has ended. */
    void taskSince(long start) {
        long now = add(inTasks, start);
        tasks.increment();
        lastTask.accumulateAndGet(now - begin, Math::max);
    }

    private static long add(LongAdder sum, long start) {
        long now = System.nanoTime();
        sum.add(now - start);
        return now;
    }

    StreamReport.StageTimes times(int workers) {
        long between = Math.min(workers, tasks.sum()) * lastTask.get() - inTasks.sum();
        return new StreamReport.StageTimes(
                stage, workers, frames.sum(), busy.sum(), waiting.sum() + Math.max(0, between), held.sum());
    }
}
