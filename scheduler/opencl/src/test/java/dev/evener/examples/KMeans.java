package dev.evener.examples;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.iteration.Iteration;
import java.nio.FloatBuffer;
import java.util.Random;

/** Clusters of points: points and labels stay on the devices, an iteration moves the centres and their sums. */
public final class KMeans {
    /** Points of a unit, whose sums are added up in one order: the result does not depend on the split. */
    static final int BLOCK = 256;

    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void assign(global const float2 *points, global const float2 *centres, int k,
                               global int *labels, global float *sums) {
                size_t block = get_global_id(0);
                global float *own = sums + 3 * k * block; // of each centre: x, y, number
                for (int i = 0; i < 3 * k; i++) own[i] = 0;
                for (size_t i = block * 256; i < (block + 1) * 256; i++) {
                    float2 point = points[i];
                    int nearest = 0;
                    float least = INFINITY;
                    for (int c = 0; c < k; c++) {
                        float2 d = point - centres[c];
                        float distance = d.x * d.x + d.y * d.y;
                        if (distance < least) { least = distance; nearest = c; }
                    }
                    labels[i] = nearest;
                    own[3 * nearest] += point.x;
                    own[3 * nearest + 1] += point.y;
                    own[3 * nearest + 2] += 1;
                }
            }
            """;

    private KMeans() {}

    /** An iteration: each point is given to the nearest of {@code k} centres, and each centre goes to the middle of its points. */
    static Job iteration(ManagedBuffer points, ManagedBuffer centres, int k, ManagedBuffer labels, ManagedBuffer sums) {
        return Job.named("k-means")
                .source(SOURCE)
                .units(labels.elements() / BLOCK)
                .kernel("assign")
                .reads(points, slice(2 * BLOCK))
                .reads(centres, whole())
                .scalar(k)
                .writes(labels, slice(BLOCK))
                // region job
                .reduces(sums, Reduction.SUM)
                .hostStep(
                        host -> {
                            FloatBuffer sum = host.read(sums, 0, 3L * k).asFloatBuffer();
                            FloatBuffer centre = host.update(centres, 0, 2L * k).asFloatBuffer();
                            for (int c = 0; c < k; c++) {
                                float number = Math.max(1, sum.get(3 * c + 2));
                                centre.put(2 * c, sum.get(3 * c) / number);
                                centre.put(2 * c + 1, sum.get(3 * c + 1) / number);
                            }
                        },
                        centres) // what the step changes
                // endregion
                .build();
    }

    /**
     * The label of each point after so many iterations.
     *
     * @param points x and y of each, a multiple of {@link #BLOCK} of them
     * @param centres x and y of each; afterwards where they are then
     */
    static int[] labels(Evener evener, float[] points, float[] centres, int iterations) {
        int n = points.length / 2;
        int k = centres.length / 2;
        try (ManagedBuffer where = evener.allocateManaged(ElementType.FLOAT, points.length);
                ManagedBuffer middles = evener.allocateManaged(ElementType.FLOAT, centres.length);
                ManagedBuffer labels = evener.allocateManaged(ElementType.INT, n);
                ManagedBuffer sums = evener.allocateManaged(ElementType.FLOAT, 3L * k)) {
            where.overwrite(view -> view.floats().put(points));
            middles.overwrite(view -> view.floats().put(centres));
            Iteration.of(iteration(where, middles, k, labels, sums))
                    .run(evener, iterations)
                    .join();
            int[] result = new int[n];
            labels.read(view -> view.ints().get(result)); // the labels are fetched once
            middles.read(view -> view.floats().get(centres));
            return result;
        }
    }

    public static void main(String[] args) {
        Random random = new Random(1);
        float[] points = new float[2 * 1000 * BLOCK];
        for (int i = 0; i < points.length; i++) { // four clouds around the corners of a square
            points[i] = (random.nextBoolean() ? 10 : -10) + (float) random.nextGaussian();
        }
        float[] centres = {1, 2, -1, 2, 1, -2, -1, -2};
        try (Evener evener = Evener.open()) {
            int[] labels = labels(evener, points, centres, 20);
            System.out.printf("%d points; the first centre is at %.1f, %.1f%n", labels.length, centres[0], centres[1]);
        }
    }
}
