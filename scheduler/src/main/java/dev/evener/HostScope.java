package dev.evener;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * The host's turn at a range of a {@link ManagedBuffer}. Jobs that were submitted later and need what it writes, or write what it
 * reads, wait until it is closed: close it, best by try-with-resources. A view must not be used after that: it may then show old
 * content. One thread at a time.
 */
public sealed interface HostScope extends AutoCloseable permits dev.evener.internal.ManagedData.Scope {
    /**
     * The range, in native byte order, with a position and limit of its own; read-only in a scope to read.
     *
     * @throws IllegalStateException if the scope is closed
     */
    ByteBuffer bytes();

    /** The range as floats; see {@link #bytes()}. */
    default FloatBuffer floats() {
        return bytes().asFloatBuffer();
    }

    /** The range as doubles; see {@link #bytes()}. */
    default DoubleBuffer doubles() {
        return bytes().asDoubleBuffer();
    }

    /** The range as 16-bit integers; see {@link #bytes()}. */
    default ShortBuffer shorts() {
        return bytes().asShortBuffer();
    }

    /** The range as 32-bit integers; see {@link #bytes()}. */
    default IntBuffer ints() {
        return bytes().asIntBuffer();
    }

    /** The range as 64-bit integers; see {@link #bytes()}. */
    default LongBuffer longs() {
        return bytes().asLongBuffer();
    }

    /** Ends the host's turn. Idempotent. */
    @Override
    void close();
}
