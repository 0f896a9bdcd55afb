package dev.evener.internal.fold;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.internal.LogicalBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Host memory for results that are not yet in their final form, kept for the next run, since making and pinning it costs
 * more than a small job. Thread-safe. What lies idle is bounded.
 */
public final class ScratchPool {
    /** For runs that need none. */
    public static final ScratchPool NONE = new ScratchPool((type, elements, perUnit) -> {
        throw new EvenerException("there is no host memory to be had here");
    });

    /** Where host memory comes from. Whoever gives it closes in the end what is still open. Any thread. */
    @FunctionalInterface
    public interface Source {
        /**
         * New memory.
         *
         * @param elementsPerUnit elements that no boundary between segments may separate, at least 1
         * @throws EvenerException if there is none
         */
        LogicalBuffer allocate(ElementType type, long elements, long elementsPerUnit);
    }

    private static final int MOST_IDLE = 8;
    private static final int MOST_HEAP = 1 << 16;

    private final Source memory;
    private final ArrayDeque<LogicalBuffer> idle = new ArrayDeque<>(); // the one given back last comes first
    private final Queue<ByteBuffer> heap = new ConcurrentLinkedQueue<>();
    private final long mostIdleBytes;
    private long idleBytes;

    public ScratchPool(Source memory) {
        // A part of the heap's limit, which is the default limit of direct memory as well.
        this(memory, Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 8));
    }

    public ScratchPool(Source memory, long mostIdleBytes) {
        this.memory = memory;
        this.mostIdleBytes = mostIdleBytes;
    }

    /**
     * A buffer of at least this many elements, with any content.
     *
     * @param perUnit elements that lie in one segment
     */
    public LogicalBuffer take(ElementType type, long elements, long perUnit) {
        synchronized (this) {
            for (Iterator<LogicalBuffer> it = idle.iterator(); it.hasNext(); ) {
                LogicalBuffer buffer = it.next();
                boolean fits = buffer.type() == type
                        && buffer.elements() >= elements
                        && buffer.elements() / 2 <= elements // the rest is for those who need it
                        && (buffer.segmentCount() == 1 || buffer.segmentBytes() % (perUnit * type.bytes()) == 0);
                if (fits) {
                    it.remove();
                    idleBytes -= buffer.byteSize();
                    return buffer;
                }
            }
        }
        return memory.allocate(type, elements, perUnit).hide();
    }

    /** Room on the heap for so many bytes, with any content. No lock, as lanes take it between chunks. */
    ByteBuffer takeHeap(int bytes) {
        ByteBuffer kept = heap.poll();
        return kept != null && kept.capacity() == bytes
                ? kept
                : ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
    }

    /** Takes back what {@link #takeHeap} gave, if that is not much. */
    void giveBack(ByteBuffer room) {
        if (room.capacity() <= MOST_HEAP && heap.size() < MOST_IDLE) {
            heap.add(room);
        }
    }

    /** Takes back what {@link #take} gave, when no device works on it any more. */
    public synchronized void giveBack(LogicalBuffer buffer) {
        idle.addFirst(buffer);
        idleBytes += buffer.byteSize();
        while (idle.size() > MOST_IDLE || idleBytes > mostIdleBytes) {
            LogicalBuffer oldest = idle.removeLast();
            idleBytes -= oldest.byteSize();
            oldest.close();
        }
    }
}
