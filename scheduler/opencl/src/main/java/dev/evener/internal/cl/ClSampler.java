package dev.evener.internal.cl;

import dev.evener.internal.NativeLedger;
import dev.evener.internal.NativeLedger.Kind;
import org.jocl.CL;
import org.jocl.Pointer;
import org.jocl.cl_sampler;

/** A sampler of a context, which frees it. Any thread. */
public final class ClSampler {
    private final cl_sampler handle;
    final Pointer pointer; // to the handle

    ClSampler(cl_sampler handle) {
        this.handle = handle;
        this.pointer = Pointer.to(handle);
        NativeLedger.made(Kind.SAMPLER);
    }

    void release() {
        NativeLedger.freed(Kind.SAMPLER);
        Cl.succeeds(() -> CL.clReleaseSampler(handle));
    }
}
