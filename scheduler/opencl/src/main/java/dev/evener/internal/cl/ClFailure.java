package dev.evener.internal.cl;

import dev.evener.internal.recovery.LaneFailure;
import java.util.function.Supplier;
import org.jocl.CL;

/** An OpenCL call that did not succeed. */
@SuppressWarnings("serial") // read by no other version than wrote it
public final class ClFailure extends LaneFailure {
    /** @param status what the call returned */
    public ClFailure(String what, int status) {
        this(kind(status), what, status, "");
    }

    /**
     * Of a launch.
     *
     * @param figures what it needs beside what the device has; for want of resources nobody else can tell what was too much
     */
    static ClFailure ofLaunch(String what, int status, Supplier<String> figures) {
        return status == CL.CL_OUT_OF_RESOURCES
                ? new ClFailure(Kind.LAUNCH, what, status, "; " + figures.get())
                : new ClFailure(what, status);
    }

    private ClFailure(Kind kind, String what, int status, String more) {
        super(kind, what + ": " + CL.stringFor_errorCode(status) + " (" + status + ")" + more);
    }

    private static Kind kind(int status) {
        return switch (status) {
            case CL.CL_MEM_OBJECT_ALLOCATION_FAILURE, CL.CL_OUT_OF_RESOURCES, CL.CL_OUT_OF_HOST_MEMORY -> Kind.MEMORY;
            case CL.CL_BUILD_PROGRAM_FAILURE,
                    CL.CL_COMPILE_PROGRAM_FAILURE,
                    CL.CL_LINK_PROGRAM_FAILURE,
                    CL.CL_COMPILER_NOT_AVAILABLE,
                    CL.CL_INVALID_BUILD_OPTIONS,
                    CL.CL_INVALID_PROGRAM_EXECUTABLE,
                    CL.CL_INVALID_WORK_GROUP_SIZE, // of a variant; another device may take larger groups
                    CL.CL_INVALID_WORK_ITEM_SIZE -> Kind.BUILD;
            case CL.CL_INVALID_KERNEL_NAME,
                    CL.CL_INVALID_ARG_INDEX,
                    CL.CL_INVALID_ARG_VALUE,
                    CL.CL_INVALID_ARG_SIZE,
                    CL.CL_INVALID_KERNEL_ARGS -> Kind.DECLARATION;
            default -> Kind.DEVICE;
        };
    }
}
