package dev.evener.internal.order;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one at a time in the order in which they were posted, in whatever thread finds the queue unattended: nobody waits for
 * another, and tasks may touch plain fields. A counter of tasks handed in decides who attends. Any thread, also a task itself.
 */
public final class SerialQueue {
    private static final Logger LOG = LoggerFactory.getLogger(SerialQueue.class);

    private final MpscUnboundedAtomicArrayQueue<Runnable> tasks = new MpscUnboundedAtomicArrayQueue<>(64);
    private final AtomicInteger unattended = new AtomicInteger();
    private final Runnable then;
    private final Runnable attend = this::attend;

    /** @param then run, as a task is, after those that were there */
    public SerialQueue(Runnable then) {
        this.then = then;
    }

    /** Has a task run, here or in the thread that attends. */
    public void post(Runnable task) {
        post(task, Runnable::run);
    }

    /** The same where this thread has something better to do: if nobody attends, that executor's thread does. */
    public void post(Runnable task, Executor others) {
        tasks.offer(task);
        if (unattended.getAndIncrement() == 0) { // else somebody attends and will see it
            others.execute(attend);
        }
    }

    private void attend() {
        int seen = 1;
        do {
            try {
                for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                    next.run();
                }
                then.run();
            } catch (Throwable e) { // an Error too: else the queue would count as attended for ever
                LOG.error("a task of the scheduler's failed", e);
            }
            seen = unattended.addAndGet(-seen);
        } while (seen != 0);
    }
}
