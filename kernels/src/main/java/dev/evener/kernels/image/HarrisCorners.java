package dev.evener.kernels.image;

import static dev.evener.Access.slice;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.Submission;

/**
 * Corners of a grey image (Harris and Stephens, Alvey 1988). The response of a pixel is {@code det - k trace^2} of the matrix of
 * sums of {@code gx gx}, {@code gx gy} and {@code gy gy} over a square window around it, with {@code gx} and {@code gy} of
 * {@link Gradient}: sums are integers, the rest floats in a fixed order, so responses have the same bits on every device. A
 * corner is a pixel whose response is above a threshold, above that of its four neighbours that come before it in the image,
 * and not below that of the four others. {@code harris.cl} has every detail.
 *
 * <p>The corners are listed in the order of the image, row by row: {@code x + 65536 y} and, in a second list, the responses.
 *
 * <p>It owns a buffer of four bytes a pixel that a running job uses: one instance serves one image after another, and images
 * in flight at the same time need one each. Making a job for a larger image invalidates those made before. Not thread-safe,
 * but may be handed from thread to thread between jobs.
 */
public final class HarrisCorners implements AutoCloseable {
    private static final KernelSource SOURCE = KernelSource.resource(
                    HarrisCorners.class, "sobel.cl", "parts.cl", "harris.cl")
            .withTrialLaunch();

    /** Coordinates are packed into 16 bits each. */
    private static final int LONGEST = 65536;

    /** What {@code harris.cl} works on in a group of a GPU. */
    private static final int GROUP = 256;

    private static final int WIDE = 64;
    private static final int TALL = 16;

    private final OwnBuffer<HostBuffer> responses;

    /**
     * What a corner is.
     *
     * @param radius of the window: 1 for 3 x 3 pixels, 2 for 5 x 5
     * @param k how much edges are disliked, 0 to 0.25; 0.04 to 0.06 are usual
     * @param threshold corners have a larger response than this, at least 0
     */
    public record Settings(int radius, float k, float threshold) {
        public Settings {
            if (radius != 1 && radius != 2) {
                throw new IllegalArgumentException("the window's radius must be 1 or 2, not " + radius);
            }
            if (!(k >= 0 && k <= 0.25f)) {
                throw new IllegalArgumentException("k must be between 0 and 0.25, not " + k);
            }
            if (!(threshold >= 0 && threshold < Float.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("the threshold must be at least 0 and finite, not " + threshold);
            }
        }
    }

    /** An instance whose buffer comes from this allocator when it is first needed. */
    public HarrisCorners(Allocator allocator) {
        this.responses = new OwnBuffer<>(allocator::allocate);
    }

    /**
     * Finds the corners of one image and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job} does
     * @throws dev.evener.EvenerException if the job fails, as it does when {@code corners} is too small
     */
    public static Report corners(
            Evener evener,
            ImageSize size,
            DataBuffer grey,
            DataBuffer corners,
            DataBuffer strengths,
            DataBuffer count,
            Settings settings) {
        try (HarrisCorners harris = new HarrisCorners(evener::allocate);
                HostBuffer second = evener.allocate(ElementType.UINT, 1)) {
            return Submission.run(evener, harris.job(size, grey, corners, strengths, count, second, settings));
        }
    }

    /**
     * The job that finds the corners of one image; its units are rows. If there are more corners than the lists have room for,
     * it fails, with their number in {@code count}.
     *
     * @param size at most 65,536 x 65,536 pixels
     * @param grey {@code UBYTE}, at least one for each pixel
     * @param corners {@code UINT}, takes {@code x + 65536 y} of each corner
     * @param strengths {@code FLOAT}, at least as long, takes the response of each
     * @param count one {@code UINT} or {@code ULONG}, takes their number
     * @param strengthCount the same for {@code strengths}, another buffer
     * @throws IllegalArgumentException if a buffer has the wrong type, is too small or is given twice, or if the image is too
     *     large
     */
    public Job job(
            ImageSize size,
            DataBuffer grey,
            DataBuffer corners,
            DataBuffer strengths,
            DataBuffer count,
            DataBuffer strengthCount,
            Settings settings) {
        int width = size.width();
        int height = size.height();
        if (width > LONGEST || height > LONGEST) {
            throw new IllegalArgumentException(
                    "an image of " + size + " pixels; corners are found in up to 65536 x 65536");
        }
        BufferChecks.require("grey", grey, ElementType.UBYTE, size.pixels());
        BufferChecks.require("corners'", corners, ElementType.UINT, 0);
        BufferChecks.require("strengths'", strengths, ElementType.FLOAT, corners.elements());
        BufferChecks.requireDistinct(corners, count, strengthCount);
        HostBuffer own = responses.atLeast(ElementType.FLOAT, size.pixels());

        int rows = size.rowsPerItem(2);
        int most = (width + 1) / 2; // no two neighbours
        String window = "-D RADIUS=" + settings.radius();
        Variant strips = Variant.unitsPerItem(rows)
                .withGroupSize(1)
                .withOptions(window)
                .withRounds(rounds(width, rows, settings.radius()));
        Variant groups = Variant.itemsPerUnit(GROUP).withGroupSize(GROUP).withOptions(window);
        Variant tiles = tiles(width).withOptions(window);
        int halo = settings.radius() + 1;
        JobBuilder job = Job.named("harris").source(SOURCE).units(height).kernel("harris_response");
        Forms.add(job, strips, tiles)
                .jvm(HarrisJvm.responses(size, settings))
                .reads(grey, slice(width).halo(halo, halo))
                .viewStart(grey)
                .writes(own, slice(width))
                .scalar(width)
                .scalar(height)
                .scalar(settings.k())
                .scalar(rows)
                .chunkStart()
                .chunkUnits();
        job.kernel("harris_corners");
        return Forms.add(job, strips, groups)
                .jvm(HarrisJvm.corners(size, settings, most))
                .reads(own, slice(width).halo(1, 1))
                .viewStart(own)
                .appends(corners, count, most)
                .appends(strengths, strengthCount, most)
                .scalar(width)
                .scalar(height)
                .scalar(settings.threshold())
                .scalar(most)
                .scalar(rows)
                .chunkStart()
                .chunkUnits()
                .build();
    }

    private static Variant tiles(int width) {
        return Variant.itemsPerUnit(GROUP * ((width + WIDE - 1) / WIDE))
                .withUnitsPerItem(TALL)
                .withGroupSize(GROUP);
    }

    /** Rounds of the loops of a CPU's work-item, at most: blocks of 256 columns, each with the rows around the work-item's own. */
    private static long rounds(long width, long rows, long radius) {
        long sum = 16L * (2 * radius + 3);
        long block = (rows + 2 * radius + 2) * 54 + (rows + 2 * radius) * (26 + sum) + rows * (46 + sum);
        return Math.max((width + 255) / 256 * block, rows * (width + width / 8 + 2));
    }

    /** The response of every pixel of the image that was last done, row by row; valid until the next job or {@link #close}. */
    public HostBuffer responses() {
        return responses.atLeast(ElementType.FLOAT, 0);
    }

    /** Releases its own buffer. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        responses.close();
    }
}
