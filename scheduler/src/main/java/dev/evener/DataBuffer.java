package dev.evener;

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

    /** Whether {@link #close} was called. */
    boolean isClosed();

    /** Releases what there is of it, if need be when the jobs under way with it have ended. Idempotent. */
    @Override
    void close();
}
