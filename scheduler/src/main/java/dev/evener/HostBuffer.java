package dev.evener;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.List;

/**
 * Page-aligned host memory that every device of an {@link Evener} can work on: in place where the device shares host
 * memory, through transfers elsewhere. Made by {@link Evener#allocate}, or, over memory that there is already, by {@link
 * Evener#wrap}.
 *
 * <p>A buffer larger than one piece of memory may be lies in several <em>segments</em>: its content is seen through {@link
 * #segments} or {@link #bytes(long, int)}, it can be sliced among units, and every other access needs a smaller one.
 *
 * <p>Any thread may read and write the views between jobs; while a job that uses the buffer runs, what the job writes must
 * not be touched and what it reads must not be written. {@link #close} releases what devices hold for it, or, while a job
 * still works on it (a cancelled one may), has the end of that job release it; the memory itself lives as long as a view of
 * it is reachable, so a view kept too long is stale but never a crash. Where memory is {@linkplain #isPageLocked
 * page-locked}, a later buffer of the same Evener may take it over, and such a view then shows, and spoils, that one's content.
 */
public interface HostBuffer extends DataBuffer {
    @Override
    HostBuffer named(String name);

    /**
     * All of it, in native byte order, with a position and limit of its own.
     *
     * @throws EvenerException if it lies in several segments
     */
    ByteBuffer bytes();

    /** All of it as floats; see {@link #bytes()}. In the {@linkplain EvenerBuilder#checked checking mode} views as other numbers are told of. */
    FloatBuffer floats();

    /** All of it as doubles; see {@link #bytes()}. */
    DoubleBuffer doubles();

    /** All of it as 16-bit integers; see {@link #bytes()}. */
    ShortBuffer shorts();

    /** All of it as 32-bit integers; see {@link #bytes()}. */
    IntBuffer ints();

    /** All of it as 64-bit integers; see {@link #bytes()}. */
    LongBuffer longs();

    /**
     * Views of its segments in order, each in native byte order, with a position and limit of its own. All but the last hold
     * {@link #segmentBytes} bytes.
     */
    List<ByteBuffer> segments();

    /**
     * A view of bytes {@code [offset, offset + length)}, in native byte order.
     *
     * @throws IndexOutOfBoundsException if the buffer has no such bytes
     * @throws IllegalArgumentException if they do not lie in one segment
     */
    ByteBuffer bytes(long offset, int length);

    /**
     * Copies what remains of a buffer into this one, through as many segments as it takes, and moves the buffer's position to its
     * limit; an array goes as {@code FloatBuffer.wrap(array, from, count)}. Between jobs, as a view.
     *
     * @param element where it begins here, counted in elements
     * @param source a {@link ByteBuffer} in native order, or a buffer of numbers as wide as the elements here and, like them, floating-point
     *     or whole; signed and unsigned ones are the same
     * @throws IndexOutOfBoundsException if this buffer has no such elements; nothing is copied then
     * @throws IllegalArgumentException if the numbers are others, or the bytes in another order, which is Java's default; elements of one
     *     byte have none
     * @throws java.nio.ReadOnlyBufferException if this buffer is {@linkplain #isReadOnly read-only}
     */
    void put(long element, Buffer source);

    /**
     * Fills what remains of a buffer from this one, as {@link #put} goes the other way.
     *
     * @param element where it begins here, counted in elements
     * @throws IndexOutOfBoundsException if this buffer has no such elements; nothing is copied then
     * @throws IllegalArgumentException as {@link #put} does
     */
    void get(long element, Buffer target);

    /**
     * Whether its memory is page-locked, so that devices with memory of their own transfer from and to it at the full speed of
     * their bus.
     */
    boolean isPageLocked();

    /** Whether it lies in memory that was read-only when it was {@linkplain Evener#wrap wrapped}: jobs can read it, not write it. */
    boolean isReadOnly();

    /** Releases what devices hold for it, if need be when the jobs that were submitted with it have ended. Idempotent. */
    @Override
    void close();
}
