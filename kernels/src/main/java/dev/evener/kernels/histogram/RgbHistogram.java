package dev.evener.kernels.histogram;

import static dev.evener.Access.slice;

import dev.evener.Access.Reduction;
import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.Submission;
import java.nio.ByteBuffer;

/**
 * Histograms of the red, green and blue of packed 8-bit pixels, all three from one pass over the data. A pixel is a word:
 * red in bits 0 to 7 (the first byte in memory on little-endian machines), green in 8 to 15, blue in 16 to 23; bits 24 to 31
 * are ignored. Value {@code v} is counted in bin {@code v * bins / 256}, rounded down. Counts are exact and the same for
 * every style, device and split.
 *
 * <p>The job's units are pixels. Any thread; jobs share nothing.
 */
public final class RgbHistogram {
    /** The most bins of a colour. */
    public static final int MOST_BINS = 256;

    private static final KernelSource SOURCE =
            KernelSource.resource(RgbHistogram.class, "rgb.cl").withTrialLaunch();
    private static final int PIXELS_PER_CPU_ITEM = 32_768;
    private static final int GROUP = 256;
    private static final int PRIVATE_GROUP = 32;
    private static final int GROUPS_PER_COMPUTE_UNIT = 8;

    private RgbHistogram() {}

    /**
     * Counts all pixels in the best style, waits for the end, and returns the counts: those of red, then green, then blue.
     *
     * @throws IllegalArgumentException as {@link #job}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static long[] of(Evener evener, int bins, DataBuffer pixels) {
        checkBins(bins);
        try (HostBuffer counts = evener.allocate(ElementType.ULONG, 3L * bins)) {
            run(evener, RgbStyle.BEST, bins, pixels, counts);
            long[] result = new long[3 * bins];
            counts.bytes().asLongBuffer().get(result);
            return result;
        }
    }

    /**
     * Counts all pixels and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job}
     * @throws dev.evener.EvenerException if no device could do it
     */
    public static Report run(Evener evener, RgbStyle style, int bins, DataBuffer pixels, DataBuffer counts) {
        return Submission.run(evener, job(style, bins, pixels, counts));
    }

    /**
     * The job that counts all pixels.
     *
     * @param bins of each colour, 1 to 256
     * @param pixels {@code UINT}, any number
     * @param counts {@code UINT} or, needed for 2^32 pixels and more, {@code ULONG}; three times {@code bins}: those of red,
     *     then green, then blue; former content is replaced
     * @throws IllegalArgumentException if a buffer has the wrong type or size, or {@code bins} is out of range
     */
    public static Job job(RgbStyle style, int bins, DataBuffer pixels, DataBuffer counts) {
        check(bins, pixels, counts);
        String count = " -D COUNT=" + counts.type().openClName();
        boolean atomicsOnCpu = style == RgbStyle.ATOMICS;
        boolean atomics = style != RgbStyle.PRIVATE;
        Variant cpu = Variant.unitsPerItem(PIXELS_PER_CPU_ITEM)
                .withGroupSize(1)
                .withOptions("-D STYLE=" + (atomicsOnCpu ? RgbStyle.ATOMICS : RgbStyle.PRIVATE) + count);
        Variant other = (atomics
                        ? Variant.unitsPerItem(4).withGroupSize(GROUP)
                        : Variant.unitsPerItem(64).withGroupSize(PRIVATE_GROUP))
                .withGroupsPerComputeUnit(GROUPS_PER_COMPUTE_UNIT)
                .withOptions("-D STYLE=" + (atomics ? RgbStyle.ATOMICS : RgbStyle.PRIVATE) + count);
        JobBuilder job = Job.named("rgb-histogram")
                .source(SOURCE)
                .units(pixels.elements())
                .kernel("rgb_histogram");
        return Forms.add(job, cpu, other)
                .jvm(chunk -> count(chunk, bins, counts.type()))
                .reads(pixels, slice(1))
                .reduces(counts, Reduction.SUM)
                .chunkUnits()
                .scalar(bins)
                .scalar(PIXELS_PER_CPU_ITEM)
                .build();
    }

    /** The Java form. */
    private static void count(JvmKernel.Chunk chunk, int bins, ElementType type) {
        ByteBuffer pixels = chunk.buffer(0);
        int[] table = new int[3 * bins];
        for (int i = 0; i < chunk.units(); i++) {
            int word = pixels.getInt(i * Integer.BYTES);
            table[((word & 255) * bins) >> 8]++;
            table[bins + ((((word >> 8) & 255) * bins) >> 8)]++;
            table[2 * bins + ((((word >> 16) & 255) * bins) >> 8)]++;
        }
        ByteBuffer counts = chunk.buffer(1);
        for (int bin = 0; bin < table.length; bin++) {
            HistogramJvm.add(counts, type, bin, table[bin]);
        }
    }

    private static void checkBins(int bins) {
        if (bins < 1 || bins > MOST_BINS) {
            throw new IllegalArgumentException("rgb histogram: " + bins + " bins; there may be 1 to " + MOST_BINS);
        }
    }

    private static void check(int bins, DataBuffer pixels, DataBuffer counts) {
        checkBins(bins);
        BufferChecks.requireDistinct(pixels, counts);
        BufferChecks.require("pixels", pixels, ElementType.UINT, 0);
        BufferChecks.require("counts'", counts, Histogram.COUNTS, 0);
        if (counts.elements() != 3L * bins) {
            throw new IllegalArgumentException("rgb histogram: the " + BufferChecks.named("counts'", counts) + " has "
                    + counts.elements() + " elements, but three times " + bins + " bins need " + 3L * bins);
        }
        Histogram.requireCountable(counts.type(), pixels.elements());
    }
}
