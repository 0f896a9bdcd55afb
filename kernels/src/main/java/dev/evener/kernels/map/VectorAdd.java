package dev.evener.kernels.map;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Submission;
import dev.evener.kernels.tuning.Tuning;
import java.util.List;

/**
 * Adds two vectors, element by element: {@code c[i] = a[i] + b[i]}, of {@code FLOAT}, {@code INT} or {@code UINT}. Integers
 * wrap around. Floats are rounded once; every NaN in the result has the bits {@code 0x7fc00000}; denormal numbers are taken
 * for 0 by devices that have none. Moves 12 bytes an element, and takes as long as that takes. Stateless; any thread.
 *
 * <pre>{@code
 * VectorAdd.add(evener, a, b, c);
 * }</pre>
 */
public final class VectorAdd {
    static final List<ElementType> TYPES = List.of(ElementType.FLOAT, ElementType.INT, ElementType.UINT);

    private VectorAdd() {}

    /**
     * Adds all of {@code a} and {@code b}, which have the same number of elements, and waits for the end.
     *
     * @throws IllegalArgumentException if types or sizes differ, or if one buffer is given twice and written
     * @throws dev.evener.EvenerException if the job fails
     */
    public static Report add(Evener evener, DataBuffer a, DataBuffer b, DataBuffer c) {
        if (a.elements() != b.elements()) {
            throw new IllegalArgumentException("a has " + a.elements() + " elements and b " + b.elements()
                    + "; give vectors of the same length, or job(elements, a, b, c)");
        }
        return Submission.run(evener, job(a.elements(), a, b, c, Tuning.of(evener)));
    }

    /**
     * The job that adds the first {@code elements} of two vectors. Any number of such jobs may be in flight.
     *
     * @param elements at least 0
     * @param a one summand, at least that long
     * @param b the other; may be {@code a}
     * @param c takes the sums, of the same type, at least that long; another buffer than {@code a} and {@code b}
     * @throws IllegalArgumentException if types differ or are none of the three, or if a buffer is too small
     */
    public static Job job(long elements, DataBuffer a, DataBuffer b, DataBuffer c) {
        return job(elements, a, b, c, Tuning.defaults());
    }

    /** {@link #job(long, DataBuffer, DataBuffer, DataBuffer)}, tuned. */
    public static Job job(long elements, DataBuffer a, DataBuffer b, DataBuffer c, Tuning tuning) {
        BufferChecks.requireCount("elements", elements);
        BufferChecks.require("first summand's", a, TYPES, elements);
        BufferChecks.require("second summand's", b, a.type(), elements);
        BufferChecks.require("sum's", c, a.type(), elements);
        BufferChecks.requireDistinct(a, c);
        BufferChecks.requireDistinct(b, c);
        boolean floats = a.type() == ElementType.FLOAT;
        return ElementWise.job("vector-add", floats ? "add_float" : "add_int", a.type(), elements, tuning)
                .jvm(floats ? MapJvm::addFloats : MapJvm::addInts)
                .reads(a, slice(1))
                .reads(b, slice(1))
                .writes(c, slice(1))
                .chunkUnits()
                .build();
    }
}
