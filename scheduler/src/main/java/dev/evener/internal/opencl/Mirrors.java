package dev.evener.internal.opencl;

import dev.evener.internal.ManagedBuffer;
import dev.evener.internal.ManagedBuffer.DeviceMemory;
import dev.evener.internal.recovery.LaneFailure;
import dev.evener.internal.recovery.LaneFailure.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * What one device keeps of host buffers between chunks. It is a cache within a budget: the mirror that was used longest ago
 * gives way to a new one, and what is not mirrored is sent for each chunk.
 *
 * <p>All methods are for the lane's thread. What hangs on a host buffer may be released by any thread, so that the books
 * are kept under a lock; it is held for a few instructions, never during a call that may wait for the device.
 */
final class Mirrors {
    private final LongFunction<cl_mem> allocator;
    private final long limit;
    private final long largest;
    private final Function<ManagedBuffer, DeviceMemory> maker = Copies::new; // one object, so that a look-up makes none

    // Guarded by this.
    private final List<Mirror> live = new ArrayList<>();
    private long total;
    private long uses;

    /**
     * @param allocator makes a buffer of so many bytes on the device
     * @param limit most bytes of all mirrors together
     * @param largest most bytes of one
     */
    Mirrors(LongFunction<cl_mem> allocator, long limit, long largest) {
        this.allocator = allocator;
        this.limit = limit;
        this.largest = largest;
    }

    /** The mirrors of one host buffer. */
    private final class Copies implements DeviceMemory {
        private final Mirror[] mirrors;

        Copies(ManagedBuffer host) {
            mirrors = new Mirror[host.segmentCount()];
            for (int i = 0; i < mirrors.length; i++) {
                mirrors[i] = new Mirror(host.segment(i), new Held(host.version()));
            }
        }

        @Override
        public void release() {
            for (Mirror mirror : mirrors) {
                free(unlessPinned(mirror));
            }
        }
    }

    /**
     * The mirror of a segment, pinned until {@link #unpin} and with its content refreshed; null if it finds no place.
     *
     * @param room bytes of the device's memory that mirrors may take at present, if that is less than their limit
     * @param pins where it is noted for {@link #unpin}
     */
    @Nullable
    Mirror pin(ManagedBuffer host, int segment, long room, List<Mirror> pins) {
        Copies copies = (Copies) host.attachment(this, maker);
        Mirror mirror = copies.mirrors[segment];
        if (mirror.mem == null && !allocate(mirror, Math.min(limit, room))) {
            return null;
        }
        synchronized (this) {
            mirror.lastUse = ++uses;
            mirror.pins++;
        }
        pins.add(mirror);
        mirror.held.refresh();
        return mirror;
    }

    private boolean allocate(Mirror mirror, long most) {
        if (mirror.bytes == 0 || mirror.bytes > largest || !makeRoom(mirror.bytes, most)) {
            return false;
        }
        cl_mem mem;
        try {
            mem = allocator.apply(mirror.bytes);
        } catch (LaneFailure e) {
            if (e.kind() != Kind.MEMORY) {
                throw e;
            }
            drop(); // the device has less to give than the budget says
            try {
                mem = allocator.apply(mirror.bytes);
            } catch (LaneFailure again) {
                if (again.kind() != Kind.MEMORY) {
                    throw again;
                }
                return false;
            }
        }
        mirror.held.forget();
        synchronized (this) {
            mirror.mem = mem;
            mirror.index = live.size();
            live.add(mirror);
            total += mirror.bytes;
        }
        return true;
    }

    /** Ends the use of mirrors that a chunk has pinned. */
    void unpin(List<Mirror> pins) {
        for (Mirror mirror : pins) {
            cl_mem freed = null;
            synchronized (this) {
                mirror.pins--;
                if (mirror.doomed && mirror.pins == 0) {
                    freed = remove(mirror);
                }
            }
            free(freed);
        }
        pins.clear();
    }

    /** Drops those used longest ago until no more than {@code most} bytes are taken. */
    void shrinkTo(long most) {
        makeRoom(0, most);
    }

    /** Drops all that are not in use; false if there was none. */
    boolean drop() {
        boolean any = false;
        for (Mirror oldest = oldest(); oldest != null; oldest = oldest()) {
            evict(oldest);
            any = true;
        }
        return any;
    }

    /** The device's memory is in doubt: whatever is used next is sent again. */
    void forget() {
        synchronized (this) {
            live.forEach(mirror -> mirror.held.forget());
        }
    }

    /** Frees everything; nothing is pinned any more. */
    void close() {
        drop();
    }

    private boolean makeRoom(long bytes, long most) {
        while (taken() + bytes > most) {
            Mirror oldest = oldest();
            if (oldest == null) {
                return false;
            }
            evict(oldest);
        }
        return true;
    }

    private synchronized long taken() {
        return total;
    }

    private synchronized @Nullable Mirror oldest() {
        Mirror oldest = null;
        for (Mirror mirror : live) {
            if (mirror.pins == 0 && (oldest == null || mirror.lastUse < oldest.lastUse)) {
                oldest = mirror;
            }
        }
        return oldest;
    }

    private void evict(Mirror mirror) {
        cl_mem freed;
        synchronized (this) {
            freed = remove(mirror);
        }
        free(freed);
    }

    private synchronized @Nullable cl_mem unlessPinned(Mirror mirror) {
        mirror.doomed = true;
        return mirror.pins > 0 ? null : remove(mirror);
    }

    /** Under the lock: takes it off the books; its memory, if it had any, is to be freed. */
    private @Nullable cl_mem remove(Mirror mirror) {
        cl_mem mem = mirror.mem;
        if (mem != null) {
            mirror.mem = null;
            Mirror last = live.remove(live.size() - 1);
            if (last != mirror) {
                live.set(mirror.index, last);
                last.index = mirror.index;
            }
            total -= mirror.bytes;
        }
        return mem;
    }

    private static void free(@Nullable cl_mem mem) {
        if (mem != null) {
            Cl.release(mem);
        }
    }
}
