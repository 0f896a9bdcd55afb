package dev.evener.frames;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.Allocator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;

/**
 * The buffers of frames under way, used again, and within a budget: whoever would exceed it waits, unless its frame is the oldest
 * that has not left the devices. That one never waits for another, so that a frame is processed however large it is. Any thread.
 */
final class BufferPool implements AutoCloseable {
    private final Allocator memory;

    // All guarded by this.
    private long budget;
    private final List<HostBuffer> free = new ArrayList<>();
    private final TreeSet<Long> ahead = new TreeSet<>();
    private long bytes; // of all buffers, free or not
    private boolean stopped;

    BufferPool(Allocator memory, long budget) {
        this.memory = memory;
        this.budget = budget;
    }

    /** So many bytes of the budget are used elsewhere. */
    synchronized void reserve(long used) {
        budget -= used;
    }

    /** A frame with a higher number than those before is on its way. */
    synchronized void begin(long frame) {
        ahead.add(frame);
    }

    /** A frame has left the devices, or failed: the next one is the oldest. */
    synchronized void passed(long frame) {
        if (ahead.remove(frame)) {
            notifyAll();
        }
    }

    /**
     * A buffer for a frame with at least so many elements, of any content; to be given back.
     *
     * @throws CancellationException if the pool is stopped
     * @throws dev.evener.EvenerException if there is no memory for it
     */
    synchronized HostBuffer take(ElementType type, long elements, long frame) throws InterruptedException {
        long needed = elements * type.bytes();
        while (true) {
            if (stopped) {
                throw new CancellationException();
            }
            List<HostBuffer> same = free.stream()
                    .filter(buffer -> buffer.type() == type)
                    .sorted(Comparator.comparingLong(HostBuffer::elements))
                    .toList();
            for (HostBuffer buffer : same) {
                if (buffer.elements() >= elements) {
                    free.remove(buffer);
                    return buffer;
                }
            }
            if (!same.isEmpty()) {
                close(same.get(same.size() - 1)); // to be replaced, so that there are never more than are used at once
            }
            while (bytes + needed > budget && !free.isEmpty()) {
                close(free.get(0));
            }
            if (bytes + needed <= budget || ahead.first() == frame) {
                HostBuffer made = memory.allocate(type, elements);
                bytes += made.byteSize();
                return made;
            }
            wait();
        }
    }

    private void close(HostBuffer unused) {
        free.remove(unused);
        bytes -= unused.byteSize();
        unused.close();
    }

    /** The buffer has no user any more. */
    synchronized void giveBack(HostBuffer buffer) {
        free.add(buffer);
        if (bytes > budget) {
            close(buffer);
        }
        notifyAll();
    }

    /** Nobody waits any longer. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    /** Frees those that were given back. */
    @Override
    public synchronized void close() {
        List.copyOf(free).forEach(this::close);
    }
}
