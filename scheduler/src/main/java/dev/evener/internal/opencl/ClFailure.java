package dev.evener.internal.opencl;

import dev.evener.EvenerException;
import java.io.Serial;
import org.jocl.CL;

/** An OpenCL call that did not succeed. */
final class ClFailure extends EvenerException {
    @Serial
    private static final long serialVersionUID = 1L;

    ClFailure(String what, int status) {
        super(what + ": " + CL.stringFor_errorCode(status) + " (" + status + ")");
    }
}
