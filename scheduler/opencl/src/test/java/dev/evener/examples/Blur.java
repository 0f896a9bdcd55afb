package dev.evener.examples;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;

/** A Gaussian blur of a grey picture: first along the rows, then along the columns, which needs the rows around a chunk. */
public final class Blur {
    // region kernel
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void across(global const float *in, global float *out, global const float *weights, int radius,
                               int width) {
                int x = get_global_id(0);
                size_t row = get_global_id(1) * width;
                float sum = 0;
                for (int d = -radius; d <= radius; d++)
                    sum += weights[radius + d] * in[row + clamp(x + d, 0, width - 1)];
                out[row + x] = sum;
            }
            kernel void down(global const float *in, ulong start, global float *out, global const float *weights,
                             int radius, int width, ulong first, ulong height) {
                size_t x = get_global_id(0), y = get_global_id(1);
                float sum = 0;
                for (int d = -radius; d <= radius; d++) {
                    long row = clamp((long) (first + y) + d, 0L, (long) height - 1); // in the picture
                    sum += weights[radius + d] * in[(long) start + (row - (long) first) * width + x];
                }
                out[y * width + x] = sum;
            }
            """;
    // endregion

    /** {@code out} becomes the blurred {@code in}; {@code between} is for the rows that are blurred along only. */
    static Job job(HostBuffer in, HostBuffer between, HostBuffer out, HostBuffer weights, int width, int height) {
        int radius = (int) weights.elements() / 2;
        return Job.named("blur")
                .source(SOURCE)
                // region job
                .range(width, height)
                .kernel("across")
                .reads(in, slice(width))
                .writes(between, slice(width))
                .reads(weights, whole())
                .scalar(radius)
                .scalar(width)
                .kernel("down") // the next phase
                .reads(between, slice(width).halo(radius, radius))
                .viewStart(between) // where the chunk's first row begins in what the kernel sees
                .writes(out, slice(width))
                .reads(weights, whole())
                .scalar(radius)
                .scalar(width)
                .chunkStart()
                .scalar((long) height)
                // endregion
                .build();
    }

    private Blur() {}

    /** Weights of {@code exp(-d^2 / (2 sigma^2))} for distances up to three sigma, with a sum of about 1. */
    static float[] gaussian(double sigma) {
        int radius = (int) Math.ceil(3 * sigma);
        double sum = 0;
        for (int d = -radius; d <= radius; d++) {
            sum += Math.exp(-d * d / (2 * sigma * sigma));
        }
        float[] weights = new float[2 * radius + 1];
        for (int d = -radius; d <= radius; d++) {
            weights[radius + d] = (float) (Math.exp(-d * d / (2 * sigma * sigma)) / sum);
        }
        return weights;
    }

    public static void main(String[] args) {
        int width = 1920;
        int height = 1080;
        float[] weights = gaussian(2.5);
        try (Evener evener = Evener.open()) {
            HostBuffer in = evener.allocate(ElementType.FLOAT, (long) width * height);
            HostBuffer between = evener.allocate(ElementType.FLOAT, (long) width * height);
            HostBuffer out = evener.allocate(ElementType.FLOAT, (long) width * height);
            HostBuffer factors = evener.allocate(ElementType.FLOAT, weights.length);
            factors.floats().put(weights);
            in.floats().put(height / 2 * width + width / 2, 1); // one white pixel
            evener.submit(job(in, between, out, factors, width, height)).join();
            int centre = height / 2 * width + width / 2;
            System.out.printf(
                    "centre %.5f, five pixels to the right %.5f, below %.5f%n",
                    out.floats().get(centre),
                    out.floats().get(centre + 5),
                    out.floats().get(centre + 5 * width));
        }
    }
}
