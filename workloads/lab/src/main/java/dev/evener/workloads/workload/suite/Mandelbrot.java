package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.workloads.workload.ImageShape;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Workload;
import java.nio.IntBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Iteration counts of the Mandelbrot set: rows whose cost differs by more than ten times. The view lies off the axis, since
 * the set is symmetric and its halves would be equal work.
 */
final class Mandelbrot extends Workload {
    private static final KernelSource SOURCE =
            KernelSource.resource(Mandelbrot.class, "mandelbrot.cl").withTrialLaunch();
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

    Mandelbrot() {
        super("mandelbrot", "iteration counts of the Mandelbrot set, rows of very different cost");
        items("pixel", "image row", 16L << 10, 256L << 10, 4L << 20);
        parameters(LIMIT);
        writes("uint: the count of each pixel, row by row");
        atMost(MOST_WORDS / 2);
    }

    @Override
    public void prepare(PreparedWorkload setup) {
        ImageShape shape = ImageShape.of(setup.items());
        int limit = (setup.get(LIMIT) + STRIDE - 1) / STRIDE * STRIDE;
        float step = WIDTH / shape.width();
        HostBuffer counts = setup.output(ElementType.UINT, shape.pixels());
        JobBuilder job = Job.named("mandelbrot")
                .source(SOURCE)
                .units(shape.height())
                .kernel("mandelbrot")
                .jvm(jvm(shape.width(), step, limit))
                .writes(counts, slice())
                .chunkStart()
                .chunkUnits()
                .scalar(shape.width())
                .scalar(LEFT)
                .scalar(TOP)
                .scalar(step)
                .scalar(limit);
        // Rounds of the loops of a CPU's work-item, at most: a row, 16 pixels side by side, STRIDE iterations at once.
        long rounds = (shape.width() + 15L) / 16 * (limit / STRIDE + 2L);
        Forms.add(
                job,
                Variant.unitsPerItem(1).withGroupSize(1).withRounds(rounds),
                Variant.itemsPerUnit(shape.width()).withGroupSize(GROUP));
        setup.job(job.build())
                .items(shape.pixels())
                .bytesPerItem(Integer.BYTES)
                .check(() -> mismatch(counts.ints(), shape.width(), step, limit));
    }

    private static JvmKernel jvm(int width, float step, int limit) {
        return chunk -> {
            IntBuffer counts = chunk.buffer(0).asIntBuffer();
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

    private static @Nullable String mismatch(IntBuffer counts, int width, float step, int limit) {
        for (int i = 0; i < counts.capacity(); i++) {
            int row = i / width;
            int column = i % width;
            int expected = reference(column * step + LEFT, row * step + TOP, limit);
            if (counts.get(i) != expected) {
                return "pixel (" + column + ", " + row + ") has " + counts.get(i) + " iterations, not " + expected;
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
}
