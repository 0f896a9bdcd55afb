package dev.evener.internal;

import dev.evener.internal.LogicalBuffer.DeviceMemory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What is freed with a buffer by others than the JVM: what devices hold for it, and page-locked memory. It does not refer to the
 * buffer, so that it can be freed when nobody else does. Any thread.
 */
final class Attachments {
    private final Map<Object, DeviceMemory> all = new ConcurrentHashMap<>();
    private volatile List<PageLocked.Block> blocks = List.of();

    /** Where the buffer's memory is page-locked. */
    void lies(List<PageLocked.Block> in) {
        blocks = in;
    }

    DeviceMemory of(Object owner, LogicalBuffer buffer, Function<LogicalBuffer, DeviceMemory> maker) {
        DeviceMemory present = all.get(owner);
        return present != null ? present : all.computeIfAbsent(owner, o -> maker.apply(buffer));
    }

    /** Frees what devices hold. */
    synchronized void release() {
        all.values().forEach(DeviceMemory::release);
        all.clear();
    }

    /** The buffer is gone, though it was not closed; views of its memory may be left. */
    synchronized void abandon() {
        release();
        blocks.forEach(PageLocked.Block::abandon);
        blocks = List.of();
    }
}
