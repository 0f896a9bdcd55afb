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
 * Inverts the colours of 8-bit pixels: every component {@code c} becomes {@code 255 - c}. {@code UINT} buffers hold one
 * pixel a word, red, green and blue in the lower three bytes and alpha, which is kept, in the upper one; in {@code UBYTE}
 * buffers every byte is a component. Stateless; any thread.
 */
public final class ColourInversion {
    static final List<ElementType> TYPES = List.of(ElementType.UINT, ElementType.UBYTE);

    private ColourInversion() {}

    /**
     * Inverts all of {@code in} and waits for the end.
     *
     * @throws IllegalArgumentException if a buffer has the wrong type, {@code out} is smaller than {@code in}, or both are one
     * @throws dev.evener.EvenerException if the job fails
     */
    public static Report invert(Evener evener, DataBuffer in, DataBuffer out) {
        return Submission.run(evener, job(in.elements(), in, out, Tuning.of(evener)));
    }

    /**
     * The job that inverts the first {@code elements} words or bytes. Any number of such jobs may be in flight.
     *
     * @param elements at least 0
     * @param in words or bytes, at least that many
     * @param out takes the result: of the same type, at least that long, another buffer
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small, or if both are one
     */
    public static Job job(long elements, DataBuffer in, DataBuffer out) {
        return job(elements, in, out, Tuning.defaults());
    }

    /** {@link #job(long, DataBuffer, DataBuffer)}, tuned. */
    public static Job job(long elements, DataBuffer in, DataBuffer out, Tuning tuning) {
        BufferChecks.requireCount("elements", elements);
        BufferChecks.require("input", in, TYPES, elements);
        BufferChecks.require("output", out, in.type(), elements);
        BufferChecks.requireDistinct(in, out);
        boolean words = in.type() == ElementType.UINT;
        return ElementWise.job("colour-inversion", words ? "invert_words" : "invert_bytes", in.type(), elements, tuning)
                .jvm(words ? MapJvm::invertWords : MapJvm::invertBytes)
                .reads(in, slice(1))
                .writes(out, slice(1))
                .chunkUnits()
                .build();
    }
}
