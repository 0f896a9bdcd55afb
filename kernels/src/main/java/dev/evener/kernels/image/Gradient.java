package dev.evener.kernels.image;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.Submission;
import org.jspecify.annotations.Nullable;

/**
 * The gradient of a grey image by Sobel's operator: {@code gx} is the weighted difference of the columns right and left of a
 * pixel, {@code gy} of the rows below and above it, weights 1, 2, 1; pixels beyond an edge are those at the edge. The
 * magnitude is {@code |gx| + |gy|}, 0 to 2040. The sector is the gradient's direction to the nearest eighth of a turn,
 * opposite ones taken for the same: 0 along a row, 1 from the upper left to the lower right, 2 along a column, 3 from the
 * lower left to the upper right. It is 0 if {@code 29 |gy| <= 12 |gx|}, 2 if {@code 12 |gy| > 29 |gx|} (12/29 stands for the
 * tangent of 22.5 degrees), and else 1 if {@code gx} and {@code gy} have the same sign, or 3. The operator is Sobel and
 * Feldman's (1968). Stateless; any thread.
 */
public final class Gradient {
    private static final KernelSource SOURCE =
            KernelSource.resource(Gradient.class, "sobel.cl", "gradient.cl").withTrialLaunch();

    private static final int GROUP = 64;
    private static final int PIXELS_PER_ITEM = 8;

    private Gradient() {}

    /**
     * Computes the gradient and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job} does
     * @throws dev.evener.EvenerException if the job fails
     */
    public static Report gradient(
            Evener evener, ImageSize size, DataBuffer grey, DataBuffer magnitudes, @Nullable DataBuffer sectors) {
        return Submission.run(evener, job(size, grey, magnitudes, sectors));
    }

    /**
     * The job that computes the gradient; its units are rows. Any number of such jobs may be in flight.
     *
     * @param grey {@code UBYTE}, at least one for each pixel, in one segment (below 2 GiB)
     * @param magnitudes {@code USHORT}, at least one for each pixel
     * @param sectors {@code UBYTE}, at least one for each pixel, another buffer than {@code grey}; null if they are not wanted
     * @throws IllegalArgumentException if a buffer has the wrong type, is too small, or is given twice
     */
    public static Job job(ImageSize size, DataBuffer grey, DataBuffer magnitudes, @Nullable DataBuffer sectors) {
        BufferChecks.require("grey", grey, ElementType.UBYTE, size.pixels());
        BufferChecks.require("magnitudes'", magnitudes, ElementType.USHORT, size.pixels());
        if (sectors != null) {
            BufferChecks.require("sectors'", sectors, ElementType.UBYTE, size.pixels());
            BufferChecks.requireDistinct(grey, sectors);
        }
        int width = size.width();
        int rows = size.rowsPerItem(sectors == null ? 3 : 4);
        int items = (width + PIXELS_PER_ITEM * GROUP - 1) / (PIXELS_PER_ITEM * GROUP) * GROUP;
        Variant other = Variant.itemsPerUnit(items).withGroupSize(GROUP);
        JobBuilder job = Forms.add(
                        Job.named("gradient")
                                .source(SOURCE)
                                .units(size.height())
                                .kernel(sectors == null ? "gradient" : "gradient_and_sector"),
                        Variant.unitsPerItem(rows).withGroupSize(1),
                        other)
                .jvm(GradientJvm.gradient(size, sectors != null))
                .reads(grey, slice(width).halo(1, 1))
                .viewStart(grey)
                .writes(magnitudes, slice(width));
        if (sectors != null) {
            job.writes(sectors, slice(width));
        }
        return job.scalar(width)
                .scalar((long) size.height())
                .scalar(rows)
                .chunkStart()
                .chunkUnits()
                .build();
    }
}
