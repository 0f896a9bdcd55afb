package dev.evener.kernels.image;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

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
 * Canny's edges (IEEE PAMI, 1986) of a grey image, in integers: smoothing by the binomial 1 4 6 4 1 in both directions,
 * Sobel's {@link Gradient} of the smoothed image, thinning to pixels whose magnitude exceeds that of the neighbour on one side
 * of the edge and is not below that of the neighbour on the other, and hysteresis: pixels of magnitude {@code high} and above
 * are edges, and so are those of magnitude {@code low} and above that are joined to one by a path of such pixels, eight
 * neighbours to each. {@code canny.cl} has every detail. The result is that of a flood through the whole image, however it was
 * split: devices find the connected components of small tiles, and between two phases the host joins those that touch.
 *
 * <pre>{@code
 * try (Canny canny = new Canny(evener::allocate)) {
 *     Job job = canny.job(new ImageSize(1920, 1080), grey, edges, 50, 100);
 *     evener.submit(job).join();
 * }
 * }</pre>
 *
 * <p>It owns buffers of about five bytes a pixel that a running job uses: one instance serves one image after another, and
 * images in flight at the same time need one each. Making a job for a larger image invalidates those made before. Not
 * thread-safe, but may be handed from thread to thread between jobs.
 */
public final class Canny implements AutoCloseable {
    /** The largest magnitude there is. */
    public static final int MOST = 2040;

    private static final KernelSource SOURCE =
            KernelSource.resource(Canny.class, "sobel.cl", "parts.cl", "canny.cl", "canny.cpu.cl", "canny.group.cl");

    /** Rows around a pixel that its class depends on. */
    private static final int HALO = 4;

    /** Rounds of the loops of a CPU's work-item for each pixel, at most: labels may have long ways to their roots. */
    private static final long ROUNDS_PER_PIXEL = 32;

    /** And for each row of a block of 256 columns, those around the work-item's own included. */
    private static final long ROUNDS_PER_BLOCK = 300;

    /** What {@code canny.cl} works on in a group of a GPU. */
    private static final int GROUP = 256;

    private static final int WIDE = 64;
    private static final int TALL = 16;

    private final OwnBuffer<HostBuffer> classes;
    private final OwnBuffer<HostBuffer> labels;
    private final OwnBuffer<HostBuffer> kept;

    /** An instance whose buffers come from this allocator when they are first needed. */
    public Canny(Allocator allocator) {
        this.classes = new OwnBuffer<>(allocator::allocate);
        this.labels = new OwnBuffer<>(allocator::allocate);
        this.kept = new OwnBuffer<>(allocator::allocate);
    }

    /**
     * Finds the edges of one image and waits for the end.
     *
     * @throws IllegalArgumentException as {@link #job} does
     * @throws dev.evener.EvenerException if the job fails
     */
    public static Report edges(Evener evener, ImageSize size, DataBuffer grey, DataBuffer edges, int low, int high) {
        try (Canny canny = new Canny(evener::allocate)) {
            return Submission.run(evener, canny.job(size, grey, edges, low, high));
        }
    }

    /**
     * The job that finds the edges of one image; its units are rows.
     *
     * @param grey {@code UBYTE}, at least one for each pixel
     * @param edges {@code UBYTE}, at least one for each pixel, another buffer; takes 255 for an edge and 0 elsewhere
     * @param low least magnitude of a weak edge, 1 to {@code high}
     * @param high least magnitude of a strong edge, at most {@link #MOST}
     * @throws IllegalArgumentException if a buffer has the wrong type, is too small or is given twice, or if a threshold is
     *     out of range
     * @throws dev.evener.EvenerException if the image is too large for the job's own buffers, four bytes a pixel, to be below 2
     *     GiB each, or if there is no memory for them
     */
    public Job job(ImageSize size, DataBuffer grey, DataBuffer edges, int low, int high) {
        requireGrey(size, grey);
        requireEdges(size, edges);
        BufferChecks.requireDistinct(grey, edges);
        requireThresholds(low, high);
        Parts parts = new Parts("canny", size);
        parts.classes(grey, low, high);
        parts.hysteresis(edges);
        return parts.job.build();
    }

    /**
     * The first half of {@link #job}, for pipelines: smoothing, gradient, thinning and thresholds, into buffers of its own.
     * On images to which {@link #hysteresisJob} is applied next; the two together have the result of the one job.
     *
     * @throws IllegalArgumentException as {@link #job} does
     * @throws dev.evener.EvenerException as {@link #job} does
     */
    public Job classesJob(ImageSize size, DataBuffer grey, int low, int high) {
        requireGrey(size, grey);
        requireThresholds(low, high);
        Parts parts = new Parts("canny-classes", size);
        parts.classes(grey, low, high);
        return parts.job.build();
    }

    /**
     * The second half of {@link #job}: hysteresis, from what {@link #classesJob} left in this instance for an image of the
     * same size.
     *
     * @throws IllegalArgumentException as {@link #job} does
     * @throws dev.evener.EvenerException as {@link #job} does
     */
    public Job hysteresisJob(ImageSize size, DataBuffer edges) {
        requireEdges(size, edges);
        Parts parts = new Parts("canny-hysteresis", size);
        parts.hysteresis(edges);
        return parts.job.build();
    }

    private static void requireGrey(ImageSize size, DataBuffer grey) {
        BufferChecks.require("grey", grey, ElementType.UBYTE, size.pixels());
    }

    private static void requireEdges(ImageSize size, DataBuffer edges) {
        BufferChecks.require("edges'", edges, ElementType.UBYTE, size.pixels());
    }

    private static void requireThresholds(int low, int high) {
        if (low < 1 || low > high || high > MOST) {
            throw new IllegalArgumentException(
                    "thresholds of " + low + " and " + high + "; it must be 1 <= low <= high <= " + MOST);
        }
    }

    /** A job under construction, phase by phase. */
    private final class Parts {
        final JobBuilder job;
        private final ImageSize size;
        private final int width;
        private final int tall;
        private final HostBuffer ownClasses;

        Parts(String name, ImageSize size) {
            this.size = size;
            this.width = size.width();
            this.tall = tileRows(size.height());
            this.ownClasses = classes.atLeast(ElementType.UBYTE, size.pixels());
            this.job = Job.named(name).source(SOURCE).units(size.height());
            if (size.height() > 0) {
                job.granule(tall);
            }
        }

        void classes(DataBuffer grey, int low, int high) {
            Variant pixelTiles = Variant.itemsPerUnit(GROUP * ((width + WIDE - 1) / WIDE))
                    .withUnitsPerItem(TALL)
                    .withGroupSize(GROUP);
            kernel("canny_classes", pixelTiles)
                    .jvm(CannyJvm.classes(size, low, high))
                    .reads(grey, slice(width).halo(HALO, HALO))
                    .viewStart(grey)
                    .writes(ownClasses, slice(width))
                    .scalar(width)
                    .scalar(size.height())
                    .scalar(low)
                    .scalar(high)
                    .scalar(tall)
                    .chunkStart()
                    .chunkUnits();
        }

        void hysteresis(DataBuffer edges) {
            CannyTiles tiles = new CannyTiles(size, tall);
            HostBuffer ownLabels = labels.atLeast(ElementType.UINT, size.pixels());
            HostBuffer ownKept = kept.atLeast(ElementType.UBYTE, tiles.keptBytes());
            Variant groupOfRows =
                    Variant.itemsPerUnit(GROUP).withUnitsPerItem(tall).withGroupSize(GROUP);
            kernel("canny_link", groupOfRows)
                    .jvm(CannyJvm.link(tiles))
                    .reads(ownClasses, slice(width))
                    .writes(ownLabels, slice(width).sparse()) // where there are edges
                    .scalar(width)
                    .scalar(tall)
                    .chunkUnits()
                    .hostStep(() -> tiles.join(ownClasses.bytes(), ownLabels.ints(), ownKept.bytes()), ownKept);
            kernel("canny_trace", groupOfRows)
                    .jvm(CannyJvm.trace(tiles))
                    .reads(ownClasses, slice(width))
                    .reads(ownLabels, slice(width))
                    .reads(ownKept, whole())
                    .writes(edges, slice(width))
                    .scalar(width)
                    .scalar(tall)
                    .chunkStart()
                    .chunkUnits();
        }

        private JobBuilder kernel(String name, Variant other) {
            Variant cpu = Variant.unitsPerItem(tall)
                    .withGroupSize(1)
                    .withRounds(
                            ROUNDS_PER_PIXEL * tall * width + ROUNDS_PER_BLOCK * (tall + 2 * HALO) * (width / 256 + 1));
            return Forms.add(job.kernel(name), cpu, other);
        }
    }

    /** Releases its own buffers. Idempotent. Must not be called while a job runs. */
    @Override
    public void close() {
        try (classes;
                labels;
                kept) {
            // each of them, whatever happens
        }
    }

    /** Rows of a tile: tall, so that the host has few borders to join, but enough tiles to share out. */
    private static int tileRows(int height) {
        int rows = height >= 2048 ? 64 : height >= 256 ? 16 : 4;
        return Math.max(1, Math.min(rows, height));
    }
}
