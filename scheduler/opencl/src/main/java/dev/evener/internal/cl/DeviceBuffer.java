package dev.evener.internal.cl;

import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import org.jocl.cl_mem;
import org.jspecify.annotations.Nullable;

/** Memory as kernels and transfers see it: a device's own, or the host's. Any thread; released once. */
public final class DeviceBuffer implements AutoCloseable {
    final cl_mem handle;
    final cl_mem whole; // of which it is a part, or the same
    final long from; // in that
    private final long bytes;
    private final Kind kind;

    /** @param kind what it is counted as */
    DeviceBuffer(cl_mem handle, long bytes, Kind kind) {
        this(handle, handle, 0, bytes, kind);
    }

    private DeviceBuffer(cl_mem handle, cl_mem whole, long from, long bytes, Kind kind) {
        this.handle = handle;
        this.whole = whole;
        this.from = from;
        this.bytes = bytes;
        this.kind = kind;
        NativeLedger.made(kind);
    }

    /** A sub-buffer, to be released before this. */
    public DeviceBuffer part(long from, long bytes) {
        return new DeviceBuffer(Cl.createSubBuffer(handle, from, bytes), handle, from, bytes, Kind.BUFFER);
    }

    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        NativeLedger.freed(kind);
        Cl.release(handle);
    }

    /** Frees one, if there is one. */
    public static void free(@Nullable DeviceBuffer buffer) {
        if (buffer != null) {
            buffer.close();
        }
    }
}
