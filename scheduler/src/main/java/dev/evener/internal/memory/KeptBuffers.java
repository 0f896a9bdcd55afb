package dev.evener.internal.memory;

import dev.evener.internal.cl.DeviceBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Device memory that chunks have while they run, kept from one chunk to the next and grown as needed: at each position one buffer
 * in each of so many sets. Belongs to one lane's thread.
 */
public final class KeptBuffers {
    private final int sets;
    private final LongFunction<DeviceBuffer> allocator;
    private final Runnable idle;
    private final List<Kept> all = new ArrayList<>(); // position by position, of each its sets
    private long total;

    private static final class Kept {
        @Nullable
        DeviceBuffer buffer;

        long bytes;
    }

    /**
     * @param allocator makes memory of so many bytes, at least 1; asks {@link #bytes} for what is taken already, if that matters
     * @param idle waits until the device uses none of this
     */
    KeptBuffers(int sets, LongFunction<DeviceBuffer> allocator, Runnable idle) {
        this.sets = sets;
        this.allocator = allocator;
        this.idle = idle;
    }

    /** Bytes that all take together. */
    long bytes() {
        return total;
    }

    /** The memory at a position in a set, of at least so many bytes; its content is lost when it grows. */
    public DeviceBuffer ensure(int position, int set, long bytes) {
        int index = position * sets + set;
        while (all.size() <= index) {
            all.add(new Kept());
        }
        Kept kept = all.get(index);
        if (kept.buffer == null || kept.bytes < bytes) {
            free(kept); // first, so that it makes room
            kept.buffer = allocator.apply(Math.max(1, bytes));
            kept.bytes = bytes;
            total += bytes;
        }
        return kept.buffer;
    }

    /** Frees all; false if there were none. Not during a chunk. */
    boolean drop() {
        boolean any = false;
        for (Kept each : all) {
            any |= free(each);
        }
        return any;
    }

    private boolean free(Kept kept) {
        if (kept.buffer == null) {
            return false;
        }
        idle.run();
        kept.buffer.release();
        kept.buffer = null;
        total -= kept.bytes;
        kept.bytes = 0;
        return true;
    }
}
