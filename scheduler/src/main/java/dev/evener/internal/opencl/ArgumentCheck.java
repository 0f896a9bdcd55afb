package dev.evener.internal.opencl;

import dev.evener.ElementType;
import dev.evener.Job;
import dev.evener.internal.run.LaneFailure;
import dev.evener.internal.run.LaneFailure.Kind;
import java.util.List;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;

/**
 * Compares the arguments of a job with the parameters of its kernel, because drivers do not: they take a scalar given for a
 * pointer as the address of a memory object and crash, and compute on floats as if they were doubles. What a driver
 * does not say of its parameters is not checked.
 */
final class ArgumentCheck {
    private ArgumentCheck() {}

    /** @throws LaneFailure if they do not fit; the message names kernel, argument and both types */
    static void check(Job.Phase phase, Job.Pass pass, List<ClParameter> parameters) {
        List<Job.Argument> arguments = phase.arguments().subList(pass.firstArgument(), pass.endArgument());
        if (parameters.size() != arguments.size()) {
            throw refused("kernel " + pass.kernel() + " has " + parameters.size() + " parameters, but "
                    + arguments.size() + " arguments were given");
        }
        for (int i = 0; i < arguments.size(); i++) {
            Job.Argument argument = arguments.get(i);
            String reason = mismatch(
                    argument instanceof Job.Argument.Again again
                            ? phase.arguments().get(again.argument())
                            : argument,
                    parameters.get(i));
            if (reason != null) {
                throw refused("kernel " + pass.kernel() + ": argument " + i + " is " + reason);
            }
        }
    }

    private static @Nullable String mismatch(Job.Argument argument, ClParameter parameter) {
        int space = parameter.addressSpace();
        ClType type = ClType.of(parameter.type());
        if (argument instanceof Job.Argument.Temporary t) {
            return mismatch("a temporary", t.memory().type(), type, space);
        }
        if (argument instanceof Job.Argument.Buffer b) {
            return mismatch("a buffer", b.buffer().type(), type, space);
        }
        if (space != 0 && space != CL.CL_KERNEL_ARG_ADDRESS_PRIVATE) {
            return "no buffer, but the kernel's parameter is a pointer";
        }
        return type == null ? null : scalarMismatch(argument, type);
    }

    private static @Nullable String mismatch(String what, ElementType element, @Nullable ClType type, int space) {
        if (space == CL.CL_KERNEL_ARG_ADDRESS_PRIVATE || space == CL.CL_KERNEL_ARG_ADDRESS_LOCAL) {
            return what + ", but the kernel's parameter is no __global or __constant pointer";
        }
        return type == null || holds(type, element)
                ? null
                : what + " of " + element.openClName() + ", but the kernel's parameter is " + type.name();
    }

    /** Bytes may hold anything, and anything may be seen as bytes; signs are the kernel's business. */
    private static boolean holds(ClType type, ElementType element) {
        return type.bytes() <= 1
                || element.bytes() == 1
                || (type.bytes() == element.bytes()
                        && (type.floating() == element.isFloating() || type.bytes() == 2)); // short holds half
    }

    private static @Nullable String scalarMismatch(Job.Argument argument, ClType type) {
        String given;
        int bytes;
        boolean floating = false;
        if (argument instanceof Job.Argument.Scalar s) {
            Number value = s.value();
            floating = value instanceof Float || value instanceof Double;
            bytes = value instanceof Integer || value instanceof Float ? Integer.BYTES : Long.BYTES;
            String name = floating ? (bytes == 4 ? "float" : "double") : bytes == 4 ? "int" : "long";
            given = "a scalar of type " + name;
        } else if (argument instanceof Job.Argument.ChunkUnits) {
            bytes = Integer.BYTES;
            given = "the chunk's number of units, a uint";
        } else {
            bytes = Long.BYTES;
            given = argument instanceof Job.Argument.ChunkStart
                    ? "the chunk's first unit, a ulong"
                    : "where the chunk begins in a view, a ulong";
        }
        // A vector of the same size takes the bytes as they are.
        boolean fits = type.size() == bytes && (type.components() > 1 || type.floating() == floating);
        return fits ? null : given + ", but the kernel's parameter is " + type.name();
    }

    private static LaneFailure refused(String reason) {
        return new LaneFailure(Kind.DECLARATION, reason);
    }
}
