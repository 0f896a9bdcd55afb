package dev.evener.kernels.pipeline;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which slots are free, and which the application holds; the others are in the pipeline. Any thread. */
final class SlotPool<S> {
    // Both guarded by this. Taken in turn, so that a stream over prepared slots meets them in one order.
    private final ArrayDeque<S> free;
    private final Set<S> held = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean closed;

    SlotPool(List<S> slots) {
        this.free = new ArrayDeque<>(slots);
    }

    /** Waits for a free slot and has the caller hold it. */
    synchronized S acquire() throws InterruptedException {
        S slot;
        while ((slot = tryAcquire()) == null) {
            wait();
        }
        return slot;
    }

    synchronized @Nullable S tryAcquire() {
        requireOpen();
        S slot = free.poll();
        if (slot != null) {
            held.add(slot);
        }
        return slot;
    }

    /** The caller holds it no longer; the pipeline does. */
    synchronized void handOver(S slot) {
        requireOpen();
        requireHeld(slot);
        held.remove(slot);
    }

    /** The caller, who holds it, has no use for it. */
    synchronized void giveBack(S slot) {
        requireHeld(slot);
        held.remove(slot);
        release(slot);
    }

    /** The pipeline has no use for it any more. */
    synchronized void release(S slot) {
        free.add(slot);
        notifyAll(); // not one: it may have been interrupted just now
    }

    /** Wakes those who wait; they get an exception. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    private void requireHeld(S slot) {
        if (!held.contains(slot)) {
            throw new IllegalArgumentException(
                    "this slot was not acquired, or was submitted or released since: acquire() one for each item");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this pipeline is closed");
        }
    }
}
