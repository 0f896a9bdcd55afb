package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Buffers that are released together. Not thread-safe. */
final class HostBuffers implements AutoCloseable {
    /** What one buffer can hold, in 4-byte elements: 2 GiB less the pages that alignment takes. */
    static final long MOST_WORDS = (Integer.MAX_VALUE - 8192L) / 4;

    private final Evener evener;
    private final List<HostBuffer> buffers = new ArrayList<>();

    private HostBuffers(Evener evener) {
        this.evener = evener;
    }

    /** What {@code maker} makes of new buffers, which it must own from then on; if it fails, they are released. */
    static <T> T ownedBy(Evener evener, Function<HostBuffers, T> maker) {
        HostBuffers buffers = new HostBuffers(evener);
        try {
            return maker.apply(buffers);
        } catch (RuntimeException | Error e) {
            buffers.close();
            throw e;
        }
    }

    HostBuffer allocate(ElementType type, long elements) {
        HostBuffer buffer = evener.allocate(type, elements);
        buffers.add(buffer);
        return buffer;
    }

    /** A buffer that the caller releases. */
    HostBuffer temporary(ElementType type, long elements) {
        return evener.allocate(type, elements);
    }

    @Override
    public void close() {
        buffers.forEach(HostBuffer::close);
        buffers.clear();
    }
}
