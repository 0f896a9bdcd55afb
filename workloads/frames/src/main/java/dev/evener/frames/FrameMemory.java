package dev.evener.frames;

import dev.evener.ElementType;
import dev.evener.HostBuffer;

/** Where a {@link FrameStream} gets its buffers: usually {@code evener::allocate}. Called by several threads. */
@FunctionalInterface
public interface FrameMemory {

    /**
     * Makes a buffer, which the stream closes.
     *
     * @throws dev.evener.EvenerException if there is no memory; the frame it was for then fails, the others go on
     */
    HostBuffer allocate(ElementType type, long elements);
}
