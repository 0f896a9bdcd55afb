package dev.evener.workloads.workload;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.DeviceVariants;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Iteration counts of the Mandelbrot set: rows whose cost differs by more than ten times. The view lies off the axis, since
 * the set is symmetric and its halves would be equal work.
 */
final class Mandelbrot implements Workload {
    private static final KernelSource SOURCE = KernelSource.resource(Mandelbrot.class, "mandelbrot.cl");
    private static final int GROUP = 256;

    /** The kernel counts in strides of so many iterations. */
    private static final int STRIDE = 8;

    private static final Parameter<Integer> LIMIT = Parameter.integer(
            "limit",
            256,
            STRIDE,
            1 << 20,
            "iterations after which a point is taken to be in the set, rounded up to a multiple of " + STRIDE);

    private static final float LEFT = -2.125f;
    private static final float TOP = -0.375f;
    private static final float WIDTH = 2.875f;

    @Override
    public About about() {
        return new About(
                "mandelbrot",
                "iteration counts of the Mandelbrot set, rows of very different cost",
                "pixel",
                "image row",
                "uint: the count of each pixel, row by row",
                List.of(16L << 10, 256L << 10, 4L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(LIMIT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of();
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS / 2;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
    }

    private static float step(ImageShape shape) {
        return WIDTH / shape.width();
    }

    private static JvmKernel jvm(ImageShape shape, int limit) {
        float step = step(shape);
        return chunk -> {
            IntBuffer counts = chunk.buffer(0).asIntBuffer();
            int width = shape.width();
            for (int row = 0; row < chunk.units(); row++) {
                float cy = (float) (chunk.firstUnit() + row) * step + TOP;
                for (int x = 0; x < width; x++) {
                    counts.put(row * width + x, iterations((float) x * step + LEFT, cy, limit));
                }
            }
        };
    }

    private static int iterations(float cx, float cy, int limit) {
        float x = 0;
        float y = 0;
        int count = 0;
        for (; count < limit; count++) {
            float xx = x * x;
            float yy = y * y;
            if (!(xx + yy <= 4)) {
                break;
            }
            y = (x + x) * y + cy;
            x = xx - yy + cx;
        }
        return count;
    }

    /** Rounds of the loops of a CPU's work-item, at most: a row, 16 pixels side by side, STRIDE iterations at once. */
    private static long rounds(long width, int limit) {
        return (width + 15) / 16 * (limit / STRIDE + 2L);
    }

    private static final class Prepared extends PreparedData {
        private final ImageShape shape;
        private final int limit;
        private final HostBuffer counts;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            shape = ImageShape.of(request.items());
            limit = (request.get(LIMIT) + STRIDE - 1) / STRIDE * STRIDE;
            counts = allocate(ElementType.UINT, shape.pixels());
            Job.Builder builder = Job.named("mandelbrot")
                    .source(SOURCE)
                    .units(shape.height())
                    .kernel("mandelbrot")
                    .jvm(jvm(shape, limit));
            job = DeviceVariants.add(
                            builder,
                            Variant.unitsPerItem(1, 1).withRounds(rounds(shape.width(), limit)),
                            Variant.itemsPerUnit(shape.width(), GROUP))
                    .writes(counts, slice())
                    .chunkStart()
                    .chunkUnits()
                    .scalar(shape.width())
                    .scalar(LEFT)
                    .scalar(TOP)
                    .scalar(step(shape))
                    .scalar(limit)
                    .build();
        }

        @Override
        public long items() {
            return shape.pixels();
        }

        @Override
        public double bytesPerItem() {
            return Integer.BYTES;
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            Differences.spoil(counts);
        }

        @Override
        public @Nullable String mismatch() {
            IntBuffer all = counts.ints();
            float step = step(shape);
            for (int i = 0; i < all.capacity(); i++) {
                int row = i / shape.width();
                int column = i % shape.width();
                int expected = reference(column * step + LEFT, row * step + TOP, limit);
                if (all.get(i) != expected) {
                    return "pixel (" + column + ", " + row + ") has " + all.get(i) + " iterations, not " + expected;
                }
            }
            return null;
        }

        /** z = z^2 + c in the textbook's order, each operation rounded to float. */
        private static int reference(float cRe, float cIm, int limit) {
            float re = 0;
            float im = 0;
            for (int n = 0; n < limit; n++) {
                if (!(re * re + im * im <= 4)) {
                    return n;
                }
                float next = re * re - im * im + cRe;
                im = 2 * re * im + cIm; // 2 re = re + re exactly
                re = next;
            }
            return limit;
        }

        @Override
        public Output output() {
            return Output.of(counts);
        }
    }
}
