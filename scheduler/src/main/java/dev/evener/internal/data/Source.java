package dev.evener.internal.data;

import java.nio.ByteBuffer;

/** The memory of a device, for those who need what only it holds of a buffer. Any thread. */
@FunctionalInterface
public interface Source {
    /** Copies these bytes of the buffer to its memory on the host; false if the device has memory for the buffer no more. */
    boolean fetch(long from, long to);

    /** The same to the beginning of other memory, which only the caller has; false also if that is not done here. */
    default boolean fetch(long from, long to, ByteBuffer elsewhere) {
        return false;
    }
}
