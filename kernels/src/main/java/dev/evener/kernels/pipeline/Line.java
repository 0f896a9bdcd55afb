package dev.evener.kernels.pipeline;

import dev.evener.Job;
import dev.evener.Report;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The items of a pipeline in the order of their submission, and which of them may go on. An item enters a stage, or has its
 * consumer called, only after the one before it (their jobs may be reported in another order than they ended in); and of each stage only {@link #AHEAD} jobs are submitted at once, so that a device always finds a
 * next one, but older items that come to it for a later stage need not queue behind all the younger ones. Any thread.
 */
final class Line<S> {
    private static final int AHEAD = 2;

    /** What becomes of an item when a job has ended. */
    enum Next {
        /** It waits for its next stage, or for its consumer. */
        WAIT,
        /** It ends, as it failed or was cancelled. */
        END,
        /** It ends, and its job was told to end as well: devices may still be at it. */
        END_WHEN_DEVICES_ARE_FREE
    }

    // All guarded by this.
    private final List<Item<S>> staged = new ArrayList<>(); // before their consumer; older ones first
    private final Set<Item<S>> present = new LinkedHashSet<>(); // whose future is not completed
    private final int[] submitted; // jobs of each stage under way
    private final SlotPool<S> slots;
    private long count;
    private boolean closed;

    Line(int stages, SlotPool<S> slots) {
        this.submitted = new int[stages];
        this.slots = slots;
    }

    /** Takes a slot that the caller holds, as the last item. */
    synchronized Item<S> add(S slot, Consumer<? super ItemReport> consumer, Executor executor, long now) {
        if (closed) {
            throw new IllegalStateException("this pipeline is closed");
        }
        slots.handOver(slot);
        Item<S> item = new Item<>(count++, slot, consumer, executor, now);
        staged.add(item);
        present.add(item);
        return item;
    }

    /** The items whose job is to be submitted now, in this order. Each is said once. */
    synchronized List<Item<S>> due() {
        List<Item<S>> due = new ArrayList<>(staged.size());
        int begun = Integer.MAX_VALUE; // stages that the item before has begun
        for (Item<S> item : staged) {
            if (!item.running && item.stage < Math.min(begun, submitted.length) && submitted[item.stage] < AHEAD) {
                item.running = true;
                submitted[item.stage]++;
                due.add(item);
            }
            begun = item.stage + (item.running ? 1 : 0);
        }
        return due;
    }

    /** The job of an item's stage was submitted. True if the item was cancelled meanwhile. */
    synchronized boolean submitted(Item<S> item, Job job, CompletableFuture<Report> future) {
        item.job = job;
        item.jobFuture = future;
        return item.cancelled;
    }

    /** The job of an item's stage has ended, or could not be submitted; with a report, or without. */
    synchronized Next ended(Item<S> item, @Nullable Report report) {
        submitted[item.stage]--;
        item.running = false;
        if (report == null || item.cancelled) {
            staged.remove(item);
            return report == null && item.cancelled && item.jobFuture != null
                    ? Next.END_WHEN_DEVICES_ARE_FREE
                    : Next.END;
        }
        item.reports.add(report);
        item.stage++;
        item.job = null;
        item.jobFuture = null;
        return Next.WAIT;
    }

    /** The items whose consumer is to be called now, in this order: through all stages, and none before them is not. */
    synchronized List<Item<S>> through() {
        List<Item<S>> through = new ArrayList<>();
        while (!staged.isEmpty() && staged.get(0).stage == submitted.length) {
            through.add(staged.remove(0));
        }
        return through;
    }

    /** The caller wants no result of it. True if it waits and so has ended with this; else it ends with its job. */
    synchronized boolean cancel(Item<S> item) {
        item.cancelled = true;
        return !item.running && staged.remove(item);
    }

    /** What a cancelled item's devices are at, or null. */
    synchronized @Nullable CompletableFuture<Report> underWay(Item<S> item) {
        return item.jobFuture;
    }

    /** An item's future is completed. */
    synchronized void gone(Item<S> item) {
        present.remove(item);
        notifyAll();
    }

    /** No more items. */
    synchronized void close() {
        closed = true;
    }

    /** Waits until there are no items. */
    synchronized void awaitEmpty() throws InterruptedException {
        while (!present.isEmpty()) {
            wait();
        }
    }

    /** All whose future is not completed. */
    synchronized List<Item<S>> present() {
        return List.copyOf(present);
    }
}
