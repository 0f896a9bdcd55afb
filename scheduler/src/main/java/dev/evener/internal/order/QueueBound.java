package dev.evener.internal.order;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** How many jobs wait, and may: one that comes beyond that is refused, or waits for room. Any thread; only those who wait for room take a lock. */
public final class QueueBound {
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger outside = new AtomicInteger(); // who wait for room
    private final Object room = new Object();
    private volatile int most = Integer.MAX_VALUE;
    private volatile boolean open = true;

    /** From now on, at most so many may wait. */
    public void limitTo(int count) {
        most = count;
    }

    /** How many wait. */
    public int size() {
        return waiting.get();
    }

    /** One more waits; false if it may not. */
    public boolean tryEnter() {
        int limit = most;
        return waiting.getAndUpdate(n -> n < limit ? n + 1 : n) < limit;
    }

    /**
     * One more waits.
     *
     * @throws RejectedExecutionException if it may not
     */
    public void enter(String job) {
        if (!tryEnter()) {
            throw refused(job);
        }
    }

    /**
     * One more waits, once there is room.
     *
     * @throws RejectedExecutionException if there was none in time, or {@link #wake} was called
     */
    public void enter(String job, Duration patience) throws InterruptedException {
        if (!awaitRoom(TimeUnit.NANOSECONDS.convert(patience))) { // which saturates
            throw refused(job);
        }
    }

    private RejectedExecutionException refused(String job) {
        return new RejectedExecutionException(
                "job '" + job + "' was refused: " + most + " jobs wait already, as many as may (queueLimit)");
    }

    private boolean awaitRoom(long patience) throws InterruptedException {
        long begun = System.nanoTime();
        outside.incrementAndGet();
        try {
            synchronized (room) {
                for (long left = patience; open; left = patience - (System.nanoTime() - begun)) {
                    if (tryEnter()) {
                        return true;
                    } else if (left <= 0) {
                        return false;
                    }
                    room.wait(left / 1_000_000, (int) (left % 1_000_000));
                }
                return false;
            }
        } finally {
            outside.decrementAndGet();
        }
    }

    /** One waits no more. */
    public void leave() {
        waiting.decrementAndGet();
        if (outside.get() > 0) {
            synchronized (room) {
                room.notify();
            }
        }
    }

    /** From now on nobody waits for room any longer. */
    public void wake() {
        open = false;
        synchronized (room) {
            room.notifyAll();
        }
    }
}
