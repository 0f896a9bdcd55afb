package dev.evener.internal.opencl;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/**
 * Memory that chunks have while they run, kept from one chunk to the next and grown as needed: the first temporary of every
 * phase is the same memory, and so is the second. Belongs to one lane's thread.
 */
final class Temporaries {
    private final LongFunction<cl_mem> allocator;
    private final Runnable idle;
    private final List<Kept> all = new ArrayList<>();
    private long total;

    private static final class Kept {
        @Nullable
        cl_mem mem;

        long bytes;
    }

    /**
     * @param allocator makes memory of so many bytes; asks {@link #bytes} for what is taken already, if that matters
     * @param idle waits until the device uses none of this
     */
    Temporaries(LongFunction<cl_mem> allocator, Runnable idle) {
        this.allocator = allocator;
        this.idle = idle;
    }

    /** Bytes taken. */
    long bytes() {
        return total;
    }

    /**
     * Memory of at least so many bytes.
     *
     * @param number which of its phase's temporaries, from 0
     * @param bytes at least 1
     */
    cl_mem get(int number, long bytes) {
        while (all.size() <= number) {
            all.add(new Kept());
        }
        Kept kept = all.get(number);
        cl_mem mem = kept.mem;
        if (mem == null || kept.bytes < bytes) {
            free(kept); // first, so that it makes room
            mem = allocator.apply(bytes);
            kept.mem = mem;
            kept.bytes = bytes;
            total += bytes;
        }
        return mem;
    }

    /** Frees all; false if there were none. Not during a chunk. */
    boolean drop() {
        boolean any = false;
        for (Kept kept : all) {
            any |= free(kept);
        }
        return any;
    }

    private boolean free(Kept kept) {
        cl_mem mem = kept.mem;
        if (mem == null) {
            return false;
        }
        idle.run();
        kept.mem = null;
        total -= kept.bytes;
        kept.bytes = 0;
        Cl.release(mem);
        return true;
    }
}
