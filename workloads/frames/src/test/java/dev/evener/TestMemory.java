package dev.evener;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Host buffers without devices, counted: what is opened must be closed. */
public final class TestMemory {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicLong mostBytes = new AtomicLong();

    public HostBuffer allocate(ElementType type, long elements) {
        open.incrementAndGet();
        made.incrementAndGet();
        mostBytes.accumulateAndGet(elements * type.bytes(), Math::max);
        var buffer = MadeUpBuffers.of(type, elements);
        buffer.onClose(open::decrementAndGet);
        return buffer;
    }

    public int open() {
        return open.get();
    }

    public int made() {
        return made.get();
    }

    public long mostBytes() {
        return mostBytes.get();
    }
}
