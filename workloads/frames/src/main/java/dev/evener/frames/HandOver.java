package dev.evener.frames;

import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A bounded first-in first-out queue between two stages of a pipeline. Whoever cannot go on parks; nobody spins, because
 * a spinning thread takes a core from the CPU device.
 *
 * <p>Any number of threads may call any method at any time. An item whose {@link #put} returned true is taken exactly
 * once, as long as takers go on until {@link #take} returns null and nobody calls {@link #fail}.
 *
 * <p>Items go through a lock-free queue; the lock is only for parking. A thread that is about to park first counts itself
 * as a waiter and then tries the queue once more; the other side first changes the queue and then looks for waiters. With
 * a full fence between the two steps on either side, one of them always sees the other.
 *
 * @param <T> what is handed over
 */
public final class HandOver<T> {
    private final MpmcAtomicArrayQueue<T> queue;
    private final ReentrantLock lock = new ReentrantLock();
    private final Waiters takers = new Waiters(lock.newCondition());
    private final Waiters putters = new Waiters(lock.newCondition());

    /** Calls of {@link #put} under way: the last taker may only leave when none can still add an item. */
    private final AtomicInteger putting = new AtomicInteger();

    private volatile boolean closed;
    private volatile @Nullable Throwable failure;

    /** The parked threads of one side. The count changes under the lock and is read without it. */
    private static final class Waiters {
        final Condition condition;
        volatile int count;

        Waiters(Condition condition) {
            this.condition = condition;
        }
    }

    /**
     * Makes an empty queue.
     *
     * @param capacity most items held, at least 1; rounded up to a power of two, at least 2
     */
    public HandOver(int capacity) {
        this.queue = new MpmcAtomicArrayQueue<>(Math.max(2, capacity));
    }

    /** Items it holds before {@link #put} waits. */
    public int capacity() {
        return queue.capacity();
    }

    /**
     * Hands an item over, waiting while the queue is full.
     *
     * @return false if the queue was closed, before or while waiting; the item then stays the caller's
     * @throws CompletionException with what was given to {@link #fail} as its cause
     * @throws InterruptedException if interrupted while waiting; the item stays the caller's
     */
    public boolean put(T item) throws InterruptedException {
        putting.incrementAndGet();
        try {
            checkFailure();
            if (closed) {
                return false;
            }
            if (!queue.offer(item) && !putSlowly(item)) {
                return false;
            }
            wakeOne(takers);
            return true;
        } finally {
            putting.decrementAndGet();
            if (closed) {
                wakeAll();
            }
        }
    }

    private boolean putSlowly(T item) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            enter(putters);
            try {
                while (!queue.offer(item)) {
                    checkFailure();
                    if (closed) {
                        return false;
                    }
                    putters.condition.await();
                }
                return true;
            } finally {
                leave(putters);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the oldest item, waiting while the queue is empty.
     *
     * @return null once the queue is closed and empty, for ever
     * @throws CompletionException with what was given to {@link #fail} as its cause
     * @throws InterruptedException if interrupted while waiting
     */
    public @Nullable T take() throws InterruptedException {
        checkFailure();
        T item = queue.poll();
        if (item == null) {
            item = takeSlowly();
        }
        if (item != null) {
            wakeOne(putters);
        }
        return item;
    }

    private @Nullable T takeSlowly() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            enter(takers);
            try {
                while (true) {
                    checkFailure();
                    // In this order: once closed and with no put under way, an empty queue stays empty.
                    boolean last = closed && putting.get() == 0;
                    T item = queue.poll();
                    if (item != null || last) {
                        return item;
                    }
                    takers.condition.await();
                }
            } finally {
                leave(takers);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Accepts no further items; takers drain what is left and then get null. Idempotent. */
    public void close() {
        closed = true;
        wakeAll();
    }

    /** Gives up: everybody who waits or calls from now on gets {@code cause}. Only the first call counts. */
    public void fail(Throwable cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
            }
        } finally {
            lock.unlock();
        }
        wakeAll();
    }

    private void checkFailure() {
        Throwable cause = failure;
        if (cause != null) {
            throw new CompletionException(cause);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Written under the lock only.
    private static void enter(Waiters side) {
        side.count++;
        VarHandle.fullFence();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Written under the lock only.
    private static void leave(Waiters side) {
        side.count--;
    }

    private void wakeOne(Waiters side) {
        VarHandle.fullFence();
        if (side.count > 0) {
            lock.lock();
            try {
                side.condition.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    private void wakeAll() {
        lock.lock();
        try {
            takers.condition.signalAll();
            putters.condition.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
