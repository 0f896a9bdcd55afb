package dev.evener.internal.opencl;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * The device's memory for what chunks bring along: for each argument position one buffer in each of a ring's sets, kept
 * and grown. Belongs to one lane's thread.
 */
final class ChunkBuffers {
    private final int sets;
    private final LongFunction<cl_mem> allocator;
    private final Runnable idle;
    private final List<Kept> all = new ArrayList<>(); // position by position, of each its sets
    private long total;

    private static final class Kept {
        @Nullable
        cl_mem mem;

        long capacity;
    }

    /**
     * @param sets how many sets the ring has
     * @param allocator makes memory of so many bytes, at least 1
     * @param idle waits until the device uses none of this
     */
    ChunkBuffers(int sets, LongFunction<cl_mem> allocator, Runnable idle) {
        this.sets = sets;
        this.allocator = allocator;
        this.idle = idle;
    }

    /** Bytes that all take together. */
    long bytes() {
        return total;
    }

    /** The memory at a position in a set, of at least so many bytes; its content is lost when it grows. */
    cl_mem ensure(int index, int set, long bytes) {
        Kept kept = kept(index, set);
        cl_mem mem = kept.mem;
        if (mem == null || kept.capacity < bytes) {
            free(kept); // first, so that it makes room
            mem = allocator.apply(Math.max(1, bytes));
            kept.mem = mem;
            kept.capacity = bytes;
            total += bytes;
        }
        return mem;
    }

    /** Frees all; false if there were none. Not during a chunk. */
    boolean drop() {
        boolean any = false;
        for (Kept each : all) {
            any |= each.mem != null;
            free(each);
        }
        return any;
    }

    private Kept kept(int index, int set) {
        while (all.size() <= index * sets + set) {
            all.add(new Kept());
        }
        return all.get(index * sets + set);
    }

    private void free(Kept kept) {
        cl_mem mem = kept.mem;
        if (mem != null) {
            idle.run();
            kept.mem = null;
            total -= kept.capacity;
            kept.capacity = 0;
            Cl.release(mem);
        }
    }
}
