package dev.evener.workloads.workload;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
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

    /** Iterations after which a point is taken to be in the set; a multiple of the kernel's stride of 8. */
    private static final int LIMIT = 256;

    private static final float LEFT = -2.125f;
    private static final float TOP = -0.375f;
    private static final float WIDTH = 2.875f;

    @Override
    public String name() {
        return "mandelbrot";
    }

    @Override
    public String description() {
        return "iteration counts of the Mandelbrot set, rows of very different cost";
    }

    @Override
    public String item() {
        return "pixel";
    }

    @Override
    public String unit() {
        return "image row";
    }

    @Override
    public List<Long> defaultSizes() {
        return List.of(16L << 10, 256L << 10, 4L << 20);
    }

    @Override
    public long mostItems() {
        return HostBuffers.MOST_WORDS / 2; // a row more than asked for must fit as well
    }

    @Override
    public double bytesPerItem() {
        return 4;
    }

    @Override
    public double flopsPerItem() {
        return 0;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, long items, long seed) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, ImageShape.of(items)));
    }

    private static float step(ImageShape shape) {
        return WIDTH / shape.width();
    }

    private static JvmKernel jvm(ImageShape shape) {
        float step = step(shape);
        return chunk -> {
            IntBuffer counts = chunk.buffer(0).asIntBuffer();
            int width = shape.width();
            for (int row = 0; row < chunk.units(); row++) {
                float cy = (float) (chunk.firstUnit() + row) * step + TOP;
                for (int x = 0; x < width; x++) {
                    counts.put(row * width + x, iterations((float) x * step + LEFT, cy));
                }
            }
        };
    }

    private static int iterations(float cx, float cy) {
        float x = 0;
        float y = 0;
        int count = 0;
        for (; count < LIMIT; count++) {
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

    private static final class Prepared implements PreparedWorkload {
        private final HostBuffers buffers;
        private final ImageShape shape;
        private final HostBuffer counts;
        private final Job job;

        Prepared(HostBuffers buffers, ImageShape shape) {
            this.buffers = buffers;
            this.shape = shape;
            counts = buffers.allocate(ElementType.UINT, shape.pixels());
            Job.Builder builder = Job.named("mandelbrot")
                    .source(SOURCE)
                    .units(shape.height())
                    .kernel("mandelbrot")
                    .jvm(jvm(shape));
            job = Variants.add(builder, Variant.unitsPerItem(1, 1), Variant.itemsPerUnit(shape.width(), GROUP))
                    .writes(counts, slice())
                    .chunkStart()
                    .chunkUnits()
                    .scalar(shape.width())
                    .scalar(LEFT)
                    .scalar(TOP)
                    .scalar(step(shape))
                    .scalar(LIMIT)
                    .build();
        }

        @Override
        public long items() {
            return shape.pixels();
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            IntBuffer all = counts.ints();
            for (int i = 0; i < all.capacity(); i++) {
                all.put(i, -1);
            }
        }

        @Override
        public @Nullable String mismatch() {
            IntBuffer all = counts.ints();
            float step = step(shape);
            for (int i = 0; i < all.capacity(); i++) {
                int row = i / shape.width();
                int column = i % shape.width();
                int expected = reference(column * step + LEFT, row * step + TOP);
                if (all.get(i) != expected) {
                    return "pixel (" + column + ", " + row + ") has " + all.get(i) + " iterations, not " + expected;
                }
            }
            return null;
        }

        /** z = z^2 + c in the textbook's order, each operation rounded to float. */
        private static int reference(float cRe, float cIm) {
            float re = 0;
            float im = 0;
            for (int n = 0; n < LIMIT; n++) {
                if (!(re * re + im * im <= 4)) {
                    return n;
                }
                float next = re * re - im * im + cRe;
                im = 2 * re * im + cIm; // 2 re = re + re exactly
                re = next;
            }
            return LIMIT;
        }

        @Override
        public void close() {
            buffers.close();
        }
    }
}
