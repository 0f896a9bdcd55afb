package dev.evener.spark;

import dev.evener.ElementType;
import java.io.Serializable;
import java.util.List;

/**
 * An OpenCL kernel that makes one column of others, row by row: {@code kernel void f(global const T *x, ..., global R *out, scalars)}, of
 * which work-item {@code i} reads row {@code i} and writes {@code out[i]}. Immutable.
 *
 * @param function the kernel's name, and its name in SQL
 * @param source its text
 * @param result type of {@code out}: {@code INT}, {@code LONG}, {@code FLOAT} or {@code DOUBLE}
 * @param scalars parameters after it
 */
public record ColumnKernel(String function, String source, ElementType result, List<Number> scalars)
        implements Serializable {
    /** Keeps a copy. */
    public ColumnKernel {
        if (!KernelCall.TYPES.containsKey(result)) {
            throw new IllegalArgumentException(
                    function + ": a column of " + result + "; it must be INT, LONG, FLOAT or DOUBLE");
        }
        scalars = List.copyOf(scalars);
    }

    /** One with these scalars. */
    public static ColumnKernel of(String function, String source, ElementType result, Number... scalars) {
        return new ColumnKernel(function, source, result, List.of(scalars));
    }
}
