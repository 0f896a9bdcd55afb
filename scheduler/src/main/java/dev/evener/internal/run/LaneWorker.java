package dev.evener.internal.run;

import dev.evener.DeviceInfo;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lane's thread and its inbox. The thread parks when it has nothing to do: one that spun would take a core from the CPU
 * device.
 *
 * <p>{@link #offer} may be called by any thread (multi-producer, single-consumer queue); {@link #close} by one thread, once.
 */
final class LaneWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LaneWorker.class);

    private final Lane lane;
    private final MpscUnboundedAtomicArrayQueue<Visit> inbox = new MpscUnboundedAtomicArrayQueue<>(64);
    private final Thread thread;
    private volatile boolean closing;

    private record Visit(JobRun run, int lane) {}

    LaneWorker(Lane lane) {
        this.lane = lane;
        this.thread = new Thread(this::loop, "evener-lane-" + lane.device().id());
        thread.setDaemon(true); // an application that forgets to close must still be able to end
        thread.start();
    }

    DeviceInfo device() {
        return lane.device();
    }

    /** Whether the calling thread is this lane's. */
    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Asks the lane to work for a run, in which it has the given index. */
    void offer(JobRun run, int index) {
        inbox.offer(new Visit(run, index));
        LockSupport.unpark(thread);
    }

    private void loop() {
        ChunkTimes times = new ChunkTimes();
        try {
            lane.attach();
            while (true) {
                // What a host step or Java kernel left set would make every park return at once.
                Thread.interrupted();
                Visit visit = inbox.poll();
                if (visit != null) {
                    visit.run().visit(visit.lane(), lane, times);
                } else if (closing) {
                    return;
                } else {
                    LockSupport.park(this);
                }
            }
        } finally {
            try {
                lane.close();
            } catch (RuntimeException e) {
                LOG.warn("device {} did not close cleanly: {}", lane.device().id(), e.toString());
            }
        }
    }

    /** Lets the thread finish what is in its inbox, then ends it. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
    }

    /** Waits for the thread's end; false if it did not come in time. */
    boolean join(Duration limit) throws InterruptedException {
        thread.join(limit.toMillis());
        return !thread.isAlive();
    }
}
