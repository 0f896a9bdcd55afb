package dev.evener;

/**
 * An array whose content stays where it was written. A device with memory of its own keeps what its chunks wrote there; another device
 * that reads it, or the host, is sent what it lacks, and nothing else moves. There is memory for it only where it is used. A job's
 * results on a GPU that only later jobs on the GPU read never cross the bus.
 *
 * <p>The host reads and writes it in a {@link HostScope}, which waits for earlier jobs that matter, and which later jobs wait for:
 *
 * <pre>{@code
 * try (HostScope out = buffer.read()) {
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
    HostScope read();

    /** {@link #read()} of {@code count} elements from a place on; the rest stays where it is. */
    HostScope read(long element, long count);

    /**
     * Memory to be filled: what was there is discarded, and what the scope does not write is undefined. Waits for the earlier jobs that
     * use the buffer.
     *
     * @throws IllegalStateException as {@link #read()}
     */
    HostScope write();

    /** {@link #write()} of {@code count} elements from a place on; the others keep their values. */
    HostScope write(long element, long count);

    /** The content, to be read and changed; as {@link #read()} and {@link #write()}. */
    HostScope update();

    /** {@link #update()} of {@code count} elements from a place on. */
    HostScope update(long element, long count);
}
