package dev.evener.internal.run;

import dev.evener.internal.recovery.Watchdog;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
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

    private final MpscUnboundedAtomicArrayQueue<Runnable> inbox = new MpscUnboundedAtomicArrayQueue<>(64);
    private final Thread thread;
    private volatile boolean closing;

    LaneThread(Lane lane, Watchdog watchdog, Duration patience) {
        super(lane, watchdog, patience);
        this.thread = new Thread(this::loop, "evener-lane-" + lane.device().id());
        thread.setDaemon(true); // an application that forgets to close must still be able to end
        thread.start();
    }

    @Override
    protected boolean isCurrent() {
        return Thread.currentThread() == thread || lane().isOnHelper();
    }

    @Override
    protected void offer(LaneTask task) {
        put(task);
    }

    @Override
    protected void offerProbe() {
        put(() -> {
            if (!closing) {
                probe();
            }
        });
    }

    private void put(Runnable visit) {
        inbox.offer(visit);
        LockSupport.unpark(thread);
    }

    @Override
    void pause(long nanos) {
        Thread.interrupted(); // as in the loop below
        LockSupport.parkNanos(this, nanos);
    }

    private void loop() {
        try {
            lane().attach();
            while (true) {
                // What a host step or Java kernel left set would make every park return at once.
                Thread.interrupted();
                boolean last = closing; // read before the inbox: what was offered before close() is still done
                Runnable visit = inbox.poll();
                if (visit != null) {
                    visit.run();
                } else if (last) {
                    return;
                } else {
                    LockSupport.park(this);
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
