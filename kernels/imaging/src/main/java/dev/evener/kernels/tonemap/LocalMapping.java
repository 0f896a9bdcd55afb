package dev.evener.kernels.tonemap;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.JobBuilder;
import dev.evener.KernelSource;
import dev.evener.kernels.Allocator;
import dev.evener.kernels.Forms;
import dev.evener.kernels.OwnBuffer;
import dev.evener.kernels.OwnBuffers;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The phases of local operators, {@code local.cl}: a plane of luminance, for {@link Operator#GUIDED} the coefficients of the
 * guided filter, and the map. Each sees so many rows around its own as its filter reaches. It has what lies between them: four
 * bytes a pixel, and twelve more for the guided filter. One frame after another, as its {@link ToneMapper}.
 */
final class LocalMapping {
    private static final KernelSource SOURCE =
            KernelSource.resource(LocalMapping.class, "pixel.cl", "colour.cl", "tonemap.cl", "local.cl");

    /** Scales of {@link Operator#REINHARD_LOCAL} and the surround of the last. */
    static final int SCALES = 9;

    /** Pixels that each Gaussian reaches to either side: three standard deviations, rounded up. {@code local.cl} has them too. */
    private static final int[] RADII = IntStream.range(0, SCALES)
            .map(scale -> (int) Math.ceil(3 * deviation(scale)))
            .toArray();

    /** As {@code local.cl} has them: columns of a CPU's block, and items of a group. */
    private static final int BLOCK = 1024;

    private static final int GROUP = 256;

    /** Where {@code local.cl} has the norms of {@link Operator#REINHARD_LOCAL}'s activities, behind the weights of its Gaussians. */
    static final int NORMS = 1 + SCALES + Arrays.stream(RADII).sum();

    /** The third plane of a row holds what was filtered. */
    static final int GUIDED_PLANES = 3;

    private final OwnBuffer<DataBuffer> luminance;
    private final OwnBuffer<DataBuffer> coefficients;

    LocalMapping(OwnBuffers own, Allocator allocator) {
        this.luminance = own.add(allocator::between);
        this.coefficients = own.add(allocator::between);
    }

    /** The standard deviation of a scale's Gaussian, in pixels: a quarter of what the paper calls the scale. */
    static double deviation(int scale) {
        return 0.25 * StrictMath.pow(1.6, scale);
    }

    /** Pixels that the Gaussian of a scale reaches to either side. */
    static int radius(int scale) {
        return RADII[scale];
    }

    /** Pixels that the operator's filters reach to either side. */
    static int radius(Operator operator, FrameLayout layout) {
        return operator == Operator.GUIDED
                ? Math.max(2, Math.min(32, Math.max(layout.width(), layout.height()) / 64))
                : RADII[SCALES - 1];
    }

    /** Adds the phases that make pixels of a frame, once the parameters are known. */
    void add(
            JobBuilder job,
            FrameLayout layout,
            PixelCoding coding,
            DataBuffer frame,
            DataBuffer pixels,
            HostBuffer parameters,
            ToneMapSettings settings,
            int words) {
        Operator operator = settings.operator();
        int stride = layout.stride();
        int radius = radius(operator, layout);
        DataBuffer plane = luminance.atLeast(ElementType.FLOAT, layout.words());
        String option = coding.options() + settings.options(words);
        forms(job.source(SOURCE).kernel("local_luminance"), option, stride, stride / 16 + 1L)
                .jvm(LocalJvm.luminance(operator, coding, stride))
                .reads(frame, slice(coding.rowElements(layout)))
                .writes(plane, slice(stride))
                .reads(parameters, whole())
                .scalar(stride)
                .chunkUnits();
        coding.arguments(job);
        DataBuffer filtered = plane;
        int pitch = stride;
        if (operator == Operator.GUIDED) {
            pitch = GUIDED_PLANES * stride;
            filtered = coefficients.atLeast(ElementType.FLOAT, (long) pitch * layout.height());
            filter(job.kernel("guided_coefficients"), option, stride, radius)
                    .jvm(LocalJvm.coefficients(settings, layout, radius))
                    .reads(plane, slice(stride).halo(radius, radius))
                    .viewStart(plane)
                    .writes(filtered, slice(pitch));
            place(job, layout, radius);
        }
        filter(job.kernel("local_map"), option, stride, radius)
                .jvm(LocalJvm.map(settings, layout, coding, radius, words))
                .reads(frame, slice(coding.rowElements(layout)))
                .reads(filtered, slice(pitch).halo(radius, radius))
                .viewStart(filtered)
                .writes(pixels, slice((long) words * stride))
                .reads(parameters, whole());
        place(job, layout, radius);
        coding.arguments(job);
    }

    private static void place(JobBuilder job, FrameLayout layout, int radius) {
        job.scalar(layout.width())
                .scalar(layout.height())
                .scalar(layout.stride())
                .scalar(radius)
                .chunkStart()
                .chunkUnits();
    }

    /** One row for each work-item of a CPU; as many groups for a row as take all pixels, with what filters reach on either side. */
    private static JobBuilder filter(JobBuilder job, String option, int stride, int radius) {
        int blocks = (stride + BLOCK - 1) / BLOCK;
        int span = GROUP - 2 * radius;
        long perColumn = 2L * SCALES * (radius + 4); // down and along
        long rounds = (stride / 16 + 6L * blocks) * perColumn + 100L * SCALES * blocks;
        return forms(job, option, GROUP * ((stride + span - 1) / span), rounds);
    }

    private static JobBuilder forms(JobBuilder job, String option, int items, long rounds) {
        return Forms.perUnit(job, option, rounds, items, GROUP, " -D LANES=1");
    }
}
