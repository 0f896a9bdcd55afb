package dev.evener.examples;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import java.nio.FloatBuffer;

/** Scales a vector to length 1: a sum of floats, a host step, and a second phase that uses what the step computed. */
public final class Norm {
    // region kernel
    /** Elements for each unit: few enough units that their sums cost nothing, enough to share them out. */
    static final int BLOCK = 4096;

    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void squares(global const float *v, global float *sum) {
                size_t unit = get_global_id(0);
                float s = 0;
                for (int k = 0; k < BLOCK; k++) s += v[unit * BLOCK + k] * v[unit * BLOCK + k];
                sum[unit] = s; // of this unit alone; no atomics
            }
            kernel void scale(global float *v, global const float *factor) {
                size_t unit = get_global_id(0);
                for (int k = 0; k < BLOCK; k++) v[unit * BLOCK + k] *= factor[0];
            }
            """.replace("BLOCK", "" + BLOCK);
    // endregion

    /** {@code sum} becomes the sum of squares, {@code factor} what {@code v} is scaled by; each holds one element. */
    static Job job(HostBuffer v, HostBuffer sum, HostBuffer factor) {
        return Job.named("norm")
                .source(SOURCE)
                .units(v.elements() / BLOCK)
                // region job
                .kernel("squares")
                .reads(v, slice(BLOCK))
                .reduces(sum, Reduction.SUM)
                .hostStep(
                        () -> factor.floats()
                                .put(0, (float) (1 / Math.sqrt(sum.floats().get(0)))),
                        factor) // the step writes this buffer and no other
                .kernel("scale")
                .updates(v, slice(BLOCK))
                .reads(factor, whole())
                // endregion
                .build();
    }

    private Norm() {}

    public static void main(String[] args) {
        try (Evener evener = Evener.open()) {
            HostBuffer v = evener.allocate(ElementType.FLOAT, 1 << 22);
            HostBuffer sum = evener.allocate(ElementType.FLOAT, 1);
            HostBuffer factor = evener.allocate(ElementType.FLOAT, 1);
            FloatBuffer values = v.floats();
            for (int i = 0; i < 1 << 22; i++) {
                values.put(i, i % 2 == 0 ? 3 : 4);
            }
            evener.submit(job(v, sum, factor)).join();
            System.out.println("sum of squares " + sum.floats().get(0) + ", first element " + values.get(0));
        }
    }
}
