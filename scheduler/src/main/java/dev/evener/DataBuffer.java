package dev.evener;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A logical array that jobs read and write. Its memory is where it happens to lie: on the host, on devices, or on several at once;
 * the runtime moves what is needed. There are two kinds: a {@link HostBuffer} has memory on the host that the application may look
 * at between jobs, a {@link ManagedBuffer} is looked at in scopes and costs no transfer until then. Both may be arguments of one job,
 * and so may {@linkplain #range ranges} of them. Evener makes all buffers: one of another class is refused.
 */
public interface DataBuffer extends AutoCloseable {
    /**
     * Gives it a name, by which all messages call it from now on, beside its type and length: {@code allocate(FLOAT, n).named("centres")}.
     * Two buffers may have one name; the last that a buffer is given counts. A range has that of its buffer, and names it.
     *
     * @param name not blank
     * @return this
     * @throws IllegalArgumentException if it is blank
     */
    DataBuffer named(String name);

    /** That name; null if it has none. */
    @Nullable
    String name();

    /** The type of its elements. */
    ElementType type();

    /** Number of elements. */
    long elements();

    /** Size in bytes. */
    long byteSize();

    /**
     * A part of this buffer, to be an argument of jobs like a buffer of so many elements, of which nothing is copied: the second half
     * of an array, some rows of a matrix. Jobs have their turns by what their ranges have in common. Two ranges of the same elements
     * are equal. A range costs nothing, and has no memory of its own; closing it does nothing.
     *
     * <p>A kernel may read units with {@code slice(n)} or a halo though the range ends before the last unit does, and {@code updates}
     * them: a block of columns of a matrix is the range from its first element to its last, sliced by the length of a row. Devices
     * work in place on what begins at a multiple of their alignment, at most 4096 bytes, from the buffer's start; for other ranges
     * they have memory of their own.
     *
     * @param first element of this buffer, or of this range, with which it begins
     * @param count its elements
     * @throws IndexOutOfBoundsException if there are no such elements
     * @throws IllegalArgumentException if they lie in several {@linkplain #segmentCount segments}
     */
    DataBuffer range(long first, long count);

    /**
     * Whether this buffer and another one have memory in common, as ranges of one buffer may, and memory that was brought to {@link
     * Evener#wrap}; true for the buffer itself, false for other buffers once one of the two is closed and no job uses it. Compares
     * addresses and touches no memory: any thread, whatever jobs are at work on both.
     */
    boolean overlaps(DataBuffer other);

    /** How many segments it lies in; 1 unless it is larger than one piece of memory may be. */
    int segmentCount();

    /** Bytes from the start of a segment to that of the next: offset {@code o} lies in segment {@code o / segmentBytes}. */
    long segmentBytes();

    /** Whether {@link #close} was called. */
    boolean isClosed();

    /** Releases what there is of it, if need be when the jobs that were submitted with it have ended. Idempotent. */
    @Override
    void close();

    /** What a host step sees of its job's buffers. On the step's own thread, until it returns; views must not be used after that. */
    interface HostAccess {
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
