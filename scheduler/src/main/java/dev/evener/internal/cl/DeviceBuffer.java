package dev.evener.internal.cl;

import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import org.jocl.cl_mem;

/** Memory as kernels and transfers see it: a device's own, or the host's. Any thread; released once. */
public final class DeviceBuffer {
    final cl_mem handle;
    private final boolean pageLocked;

    /** @param pageLocked whether it is page-locked memory, which is counted apart */
    DeviceBuffer(cl_mem handle, boolean pageLocked) {
        this.handle = handle;
        this.pageLocked = pageLocked;
        if (pageLocked) {
            NativeLedger.pageLocked(1);
        } else {
            NativeLedger.made(Kind.BUFFER);
        }
    }

    /** A sub-buffer, to be released before this. */
    public DeviceBuffer part(long from, long bytes) {
        return new DeviceBuffer(Cl.createSubBuffer(handle, from, bytes), false);
    }

    /** Frees it. */
    public void release() {
        if (pageLocked) {
            NativeLedger.pageLocked(-1);
        } else {
            NativeLedger.freed(Kind.BUFFER);
        }
        Cl.release(handle);
    }
}
