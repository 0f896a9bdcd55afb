package dev.evener.internal;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Where host memory comes from that a device with memory of its own transfers at its full speed. Any thread. */
public interface PageLocked {
    /** Fewest bytes that are worth it: below, a driver's own copy of pageable memory is as good, and the rest of a page is wasted. */
    int LEAST = 64 << 10;

    /**
     * Memory of at least so many bytes, of any content.
     *
     * @return null if such memory is not to be had, or not worth having for so little: take ordinary memory
     */
    @Nullable
    Block take(int bytes);

    /** One piece of such memory. */
    interface Block {

        /** All of it, in native byte order: whole pages from the start of one on. */
        ByteBuffer memory();

        /** Whether all of it is known to be zero, as nobody had it before. */
        boolean isZero();

        /** Gives it back for reuse. Once; nothing may be transferred from or to it any more. */
        void giveBack();

        /** Leaves it to the views that there may be of it, of which nobody knows: it is free when there are none. In place of {@link #giveBack}. */
        void abandon();
    }
}
