package dev.evener.kernels.image;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.Submission;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/**
 * Turns RGBA words into grey bytes: {@code (77 red + 150 green + 29 blue + 128) / 256}, rounded down, which are the luma
 * weights of Rec. 601 to 8 bits. Red is the lowest byte of a word, alpha, which does not count, the highest. A unit is a pixel.
 * Stateless; any thread.
 */
public final class GreyConversion {
    private static final KernelSource SOURCE =
            KernelSource.resource(GreyConversion.class, "sobel.cl", "grey.cl").withTrialLaunch();

    private static final int PIXELS_PER_ITEM = 16384;

    private GreyConversion() {}

    /**
     * Converts all of {@code words} and waits for the end.
     *
     * @throws IllegalArgumentException if a buffer has the wrong type or {@code bytes} is too small
     * @throws dev.evener.EvenerException if the job fails
     */
    public static Report convert(Evener evener, DataBuffer words, DataBuffer bytes) {
        return Submission.run(evener, job(words.elements(), words, bytes));
    }

    /**
     * The job that converts the first {@code pixels} words. Any number of such jobs may be in flight.
     *
     * @param pixels at least 0
     * @param words {@code UINT}, at least that many
     * @param bytes {@code UBYTE}, at least that many; takes the result
     * @throws IllegalArgumentException if a buffer has the wrong type or is too small
     */
    public static Job job(long pixels, DataBuffer words, DataBuffer bytes) {
        BufferChecks.requireCount("pixels", pixels);
        BufferChecks.require("colour", words, ElementType.UINT, pixels);
        BufferChecks.require("grey", bytes, ElementType.UBYTE, pixels);
        BufferChecks.requireDistinct(words, bytes);
        Variant cpu = Variant.unitsPerItem(PIXELS_PER_ITEM).withGroupSize(1).withOptions("-D ITEM=" + PIXELS_PER_ITEM);
        Variant other = Variant.unitsPerItem(4).withGroupSize(256);
        return Forms.add(Job.named("grey").source(SOURCE).units(pixels).kernel("grey"), cpu, other)
                .jvm(chunk -> {
                    IntBuffer in = chunk.buffer(0).asIntBuffer();
                    ByteBuffer out = chunk.buffer(1);
                    for (int i = 0; i < chunk.units(); i++) {
                        int w = in.get(i);
                        out.put(i, (byte) ((77 * (w & 255) + 150 * (w >> 8 & 255) + 29 * (w >> 16 & 255) + 128) >> 8));
                    }
                })
                .reads(words, slice(1))
                .writes(bytes, slice(1))
                .chunkUnits()
                .build();
    }
}
