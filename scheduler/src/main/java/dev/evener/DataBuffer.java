package dev.evener;

import dev.evener.internal.HostTurn;
import java.nio.ByteBuffer;

/**
 * A logical array that jobs read and write. Its memory is where it happens to lie: on the host, on devices, or on several at once;
 * the runtime moves what is needed. There are two kinds: a {@link HostBuffer} has memory on the host that the application may look
 * at between jobs, a {@link ManagedBuffer} is looked at in scopes and costs no transfer until then. Both may be arguments of one job.
 */
public sealed interface DataBuffer extends AutoCloseable permits HostBuffer, ManagedBuffer {
    /** The type of its elements. */
    ElementType type();

    /** Number of elements. */
    long elements();

    /** Size in bytes. */
    long byteSize();

    /** How many segments it lies in; 1 unless it is larger than one piece of memory may be. */
    int segmentCount();

    /** Bytes from the start of a segment to that of the next: offset {@code o} lies in segment {@code o / segmentBytes}. */
    long segmentBytes();

    /** Whether {@link #close} was called. */
    boolean isClosed();

    /** Releases what there is of it, if need be when the jobs under way with it have ended. Idempotent. */
    @Override
    void close();

    /** What a host step sees of its job's buffers. On the step's own thread, until it returns; views must not be used after that. */
    sealed interface HostAccess permits HostTurn {
        /**
         * {@code count} elements of a buffer from a place on, to be read. What only devices hold of them is fetched.
         *
         * @param buffer an argument of the job, or one that the step writes
         * @return a read-only view in native byte order; a copy where a {@link HostBuffer} has the elements in several segments
         * @throws IllegalArgumentException if the job has no such buffer
         * @throws IndexOutOfBoundsException if the buffer has no such elements
         * @throws DataLostException if some of it is lost
         */
        ByteBuffer read(DataBuffer buffer, long element, long count);

        /**
         * The same, to be changed until the step returns: devices are sent these elements again when they need them.
         *
         * @param buffer one that the step was declared to write
         */
        ByteBuffer update(DataBuffer buffer, long element, long count);
    }
}
