package dev.evener;

import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * An array whose content stays where it was written. A device with memory of its own keeps what its chunks wrote there; another device
 * that reads it, or the host, is sent what it lacks, and nothing else moves. There is memory for it only where it is used. A job's
 * results on a GPU that only later jobs on the GPU read never cross the bus.
 *
 * <p>The host reads and writes it in a {@link Scope}, which waits for earlier jobs that matter, and which later jobs wait for:
 *
 * <pre>{@code
 * try (ManagedBuffer.Scope out = buffer.read()) {
 *     float first = out.floats().get(0);
 * }
 * }</pre>
 *
 * <p>A new buffer has the value 0 everywhere. If a job fails or is cancelled, what it was to write is lost; if a device fails, what
 * only it held and does not give up any more. Jobs and scopes that need it end with a {@link DataLostException}, until it is
 * written anew.
 *
 * <p>Any thread. A scope must not be opened in a host step or Java kernel of the same {@link Evener}, which it might wait for.
 */
public sealed interface ManagedBuffer extends DataBuffer permits dev.evener.internal.ManagedData {
    /**
     * The content, to be read. Waits for the earlier jobs that write it.
     *
     * @throws DataLostException if some of it is lost
     * @throws IllegalStateException if the buffer is closed, or in a host step or Java kernel
     */
    Scope read();

    /** {@link #read()} of {@code count} elements from a place on; the rest stays where it is. */
    Scope read(long element, long count);

    /**
     * Memory to be filled: what was there is discarded, and what the scope does not write is undefined. Waits for the earlier jobs that
     * use the buffer.
     *
     * @throws IllegalStateException as {@link #read()}
     */
    Scope write();

    /** {@link #write()} of {@code count} elements from a place on; the others keep their values. */
    Scope write(long element, long count);

    /** The content, to be read and changed; as {@link #read()} and {@link #write()}. */
    Scope update();

    /** {@link #update()} of {@code count} elements from a place on. */
    Scope update(long element, long count);

    /**
     * The host's turn at a range of the buffer. Jobs that were submitted later and need what it writes, or write what it
     * reads, wait until it is closed: close it, best by try-with-resources. A view must not be used after that: it may then show old
     * content. One thread at a time.
     */
    sealed interface Scope extends AutoCloseable permits dev.evener.internal.ManagedData.OpenScope {
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
}
