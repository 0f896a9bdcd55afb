package dev.evener.internal.data;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The only way to a buffer's memory on the host for whoever copies there what devices hold. Any thread. */
@FunctionalInterface
public interface HostGate {
    /**
     * Keeps that memory the buffer's until the hold is closed.
     *
     * @return null if it may be another's by now: the buffer was closed and no job or scope holds it, so that nobody will look at it
     */
    @Nullable
    Hold open();

    /** While it is open, nobody else is given the memory. */
    interface Hold extends AutoCloseable {
        /** A view of some bytes, which lie in one segment, from 0 to its capacity. */
        ByteBuffer part(long from, int length);

        /** Once, and without the directory's lock: what waited for this is freed here. */
        @Override
        void close();
    }
}
