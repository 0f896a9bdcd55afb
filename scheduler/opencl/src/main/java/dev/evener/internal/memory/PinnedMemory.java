package dev.evener.internal.memory;

import dev.evener.internal.HostMemory;
import dev.evener.internal.PageLocked;
import dev.evener.internal.cl.ClContext;
import dev.evener.internal.cl.ClDevice;
import dev.evener.internal.cl.ClFailure;
import dev.evener.internal.cl.ClQueue;
import dev.evener.internal.cl.DeviceBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Page-locked ("pinned") host memory of a context with a discrete device: OpenCL buffers that are mapped once and kept mapped, of which
 * only the host's side is used. The bus is several times as fast from such memory as from any other, but locking takes time; so what
 * is given back is kept for whoever needs as much next, and small blocks {@linkplain PinnedSlabs share} large ones. Any thread.
 *
 * <p><b>Whose memory it is.</b> The JVM's, handed to the driver ({@code CL_MEM_USE_HOST_PTR}): NVIDIA's locks pages that are there
 * already at 12 GB/s, and makes and locks its own ({@code CL_MEM_ALLOC_HOST_PTR}) at 1.7, whatever the number of threads. The driver's
 * own is taken where more than half of the direct memory that the JVM allows would be in use, or mapping does not give back what was
 * handed over.
 *
 * <p><b>Who frees it.</b> The application holds views of this memory, and a view kept too long must never crash. All views
 * hold the one buffer object they stem from, so a {@link java.lang.ref.Cleaner} on that object frees the memory when no view is left and
 * the pool has let go of it. What was given back may be in use again while old views can still see it; they then see
 * another's content. The OpenCL objects outlive the context's last lane where they must, as each retains the context.
 */
public final class PinnedMemory implements PageLocked {
    private static final Logger LOG = LoggerFactory.getLogger(PinnedMemory.class);
    private static final AtomicBoolean TOLD = new AtomicBoolean();

    /** Bytes that all pools of the process have locked. */
    private static final AtomicLong LOCKED = new AtomicLong();

    /** Sizes are multiples of a sixteenth of the power of two below them, of which no more is locked in vain, and of this. */
    private static final int LEAST_STEP = 64 << 10;

    private static final int MOST_IDLE = 64;

    /** How long to wait for the garbage collector to find what nobody sees any more. */
    private static final long GC_NANOS = 200_000_000L;

    private final ClContext context;
    private final ClDevice device;
    private final long least;
    private final long most;
    private final PinnedSlabs slabs;

    /**
     * Held while commands go to the queue, until they have ended: PoCL's {@code basic} driver (3.1) deadlocks when a command
     * that waits for another is enqueued by one thread while another runs that other. Never taken inside this object's own
     * lock.
     */
    private final Object commands = new Object();

    // Guarded by this.
    private final ArrayDeque<Pinned> idle = new ArrayDeque<>(); // the one given back last comes first
    private long idleBytes;
    private long lockedBytes;
    private int live;
    private @Nullable ClQueue queue;
    private boolean closed;

    /**
     * @param device a discrete one of the group
     * @param least fewest bytes for which locking pays
     */
    PinnedMemory(ClContext context, ClDevice device, long least) {
        this.context = context;
        this.device = device;
        this.least = least;
        // Some drivers keep as much of the device's memory beside it, of which lanes leave a quarter alone.
        this.most = device.info().memoryBytes() / 4;
        this.slabs = new PinnedSlabs(this::slab, most / 8);
    }

    /**
     * What frees one block, when nothing refers to its root any more.
     *
     * @param own the JVM's memory that was handed over, which the JVM frees after this; null for the driver's, which stays mapped to
     *     its end, as there is nothing else to unmap it by
     */
    private record Mapping(
            PinnedMemory pool,
            DeviceBuffer mem,
            long bytes,
            @Nullable ByteBuffer own) implements Runnable {
        @Override
        public void run() {
            if (own != null) {
                pool.unmap(mem, own);
            }
            mem.close();
            pool.freed(bytes);
        }
    }

    private record Pinned(PinnedMemory pool, ByteBuffer whole, long bytes, boolean isZero) implements Block {
        @Override
        public ByteBuffer memory() {
            return whole.duplicate().order(ByteOrder.nativeOrder());
        }

        @Override
        public void giveBack() {
            pool.giveBack(this);
        }

        @Override
        public void abandon() {}
    }

    @Override
    public @Nullable Block take(int bytes) {
        if (bytes < least) {
            return null;
        }
        Block shared = bytes <= PinnedSlabs.MOST_SHARED ? slabs.take(bytes) : null;
        if (shared != null) {
            return shared;
        }
        long size = rounded(bytes);
        Pinned made = reuse(size);
        if (made == null) {
            made = make(size);
        }
        if (made == null && makeRoom()) {
            made = make(size);
        }
        if (made == null && !isClosed() && !TOLD.getAndSet(true)) {
            LOG.info(
                    "there is no page-locked memory for {} bytes on device {}; transfers from ordinary memory are slower",
                    bytes,
                    device.id());
        }
        return made;
    }

    /** A block of its own that nobody has any more, of at least so many bytes; null if there is none. */
    @Nullable
    Block takeIdle(int bytes) {
        return bytes < least ? null : reuse(rounded(bytes));
    }

    /** How much of it is locked at present. */
    synchronized long lockedBytes() {
        return lockedBytes;
    }

    /** So that buffers of about one size take each other's place. */
    private static long rounded(int bytes) {
        long padded = HostMemory.padded(bytes);
        long step = Math.max(LEAST_STEP, Long.highestOneBit(padded) / 16);
        long size = (padded + step - 1) / step * step;
        return size <= Integer.MAX_VALUE - HostMemory.PAGE ? size : padded;
    }

    private synchronized @Nullable Pinned reuse(long size) {
        for (Iterator<Pinned> it = idle.iterator(); it.hasNext(); ) {
            Pinned block = it.next();
            if (block.bytes >= size && block.bytes <= size + size / 4) { // the rest is for those who need it
                it.remove();
                idleBytes -= block.bytes;
                return block;
            }
        }
        return null;
    }

    private @Nullable Pinned make(long size) {
        if (!reserve(size)) {
            return null;
        }
        try {
            return map(size);
        } catch (ClFailure e) {
            LOG.debug("no page-locked memory: {}", e.getMessage());
            freed(size);
            return null;
        }
    }

    private @Nullable ByteBuffer slab(int size) {
        Pinned made = make(size);
        return made == null ? null : made.whole;
    }

    private synchronized boolean reserve(long size) {
        if (closed || lockedBytes + size > most) {
            return false;
        }
        if (LOCKED.addAndGet(size) > HostMemory.physical() / 2) {
            LOCKED.addAndGet(-size);
            return false;
        }
        if (queue == null) {
            try {
                queue = context.pageLockingQueue(device);
            } catch (ClFailure e) {
                LOCKED.addAndGet(-size);
                return false;
            }
        }
        lockedBytes += size;
        live++;
        return true;
    }

    private Pinned map(long size) {
        ByteBuffer own = ofJvm((int) size);
        long start = System.nanoTime();
        Pinned made = own == null ? null : lock(own);
        made = made == null ? ofDriver(size) : made;
        HostMemory.locked(size, start);
        return made;
    }

    private Pinned ofDriver(long size) {
        long bytes = size + HostMemory.PAGE; // to begin on a page
        DeviceBuffer mem = context.allocatePageLocked(bytes);
        ByteBuffer root = map(mem);
        HostMemory.CLEANER.register(root, new Mapping(this, mem, size, null));
        ByteBuffer whole = root.alignedSlice(HostMemory.PAGE).limit((int) size).slice();
        return new Pinned(this, whole, size, false);
    }

    /** Memory of the JVM's, each page of it there; null if that would take more than half of what it allows. */
    private static @Nullable ByteBuffer ofJvm(int size) {
        try {
            return HostMemory.directUsed() + size > HostMemory.directLimit() / 2 ? null : HostMemory.allocate(size);
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Has pages locked; null if the driver maps others instead. */
    private @Nullable Pinned lock(ByteBuffer own) {
        int size = own.capacity();
        DeviceBuffer mem = context.pageLocked(own);
        ByteBuffer root = map(mem);
        if (!sameMemory(root, own)) {
            unmap(mem, root);
            mem.close();
            return null;
        }
        HostMemory.CLEANER.register(root, new Mapping(this, mem, size, own));
        return new Pinned(this, root, size, true);
    }

    private ByteBuffer map(DeviceBuffer mem) {
        try {
            synchronized (commands) {
                return queue().map(mem);
            }
        } catch (ClFailure e) {
            mem.close();
            throw e;
        }
    }

    private void unmap(DeviceBuffer mem, ByteBuffer mapped) {
        synchronized (commands) {
            ClQueue queue = queue();
            queue.unmap(mem, mapped);
            queue.drain();
        }
    }

    private static boolean sameMemory(ByteBuffer a, ByteBuffer b) {
        for (int at : new int[] {0, a.capacity() - 1}) {
            for (byte value : new byte[] {17, 42, 0}) {
                a.put(at, value);
                if (b.get(at) != value) {
                    return false;
                }
            }
        }
        return true;
    }

    private synchronized void giveBack(Pinned block) {
        if (closed) {
            return;
        }
        idle.addFirst(new Pinned(this, block.whole, block.bytes, false));
        idleBytes += block.bytes;
        while (idle.size() > MOST_IDLE || idleBytes > most / 2) {
            idleBytes -= idle.removeLast().bytes;
        }
    }

    /** Has what lies idle, and what no view is left of, freed; false if that cannot help. */
    private synchronized boolean makeRoom() {
        long before = lockedBytes;
        if (closed || live == 0) {
            return false;
        }
        slabs.dropEmpty();
        idle.clear();
        idleBytes = 0;
        System.gc(); // as the JDK does before it refuses direct memory
        long end = System.nanoTime() + GC_NANOS;
        try {
            for (long left = GC_NANOS; left > 0 && lockedBytes >= before; left = end - System.nanoTime()) {
                wait(left / 1_000_000, 999_999);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return lockedBytes < before;
    }

    private synchronized ClQueue queue() {
        return Objects.requireNonNull(queue, "page-locked memory without a queue");
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void freed(long bytes) {
        LOCKED.addAndGet(-bytes);
        lockedBytes -= bytes;
        live--;
        notifyAll();
        releaseQueueIfUnused();
    }

    private void releaseQueueIfUnused() {
        if (closed && live == 0 && queue != null) {
            queue.close();
            queue = null;
        }
    }

    /** Lets go of all that lies idle; what is in use is freed when no view of it is left. */
    synchronized void close() {
        closed = true;
        slabs.close();
        idle.clear();
        idleBytes = 0;
        releaseQueueIfUnused();
    }
}
