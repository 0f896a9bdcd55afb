package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.ManagedBuffer;
import dev.evener.iteration.Iteration;

/** Heat that spreads over a plate, a job for each step: the plate stays on the devices until somebody looks at it. */
public final class Heat {
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void heat(global const float *in, ulong start, global float *out, int width, ulong first, ulong height) {
                size_t x = get_global_id(0), y = first + get_global_id(1);
                size_t at = start + get_global_id(1) * width + x;
                float here = in[at];
                float up = y > 0 ? in[at - width] : here, down = y + 1 < height ? in[at + width] : here;
                float left = x > 0 ? in[at - 1] : here, right = x + 1 < width ? in[at + 1] : here;
                out[get_global_id(1) * width + x] = here + 0.2f * (((up + down) + (left + right)) - 4 * here);
            }
            kernel void change(global const float *a, global const float *b, global float *most, int width) {
                size_t row = get_global_id(0);
                float greatest = 0;
                for (int x = 0; x < width; x++) greatest = fmax(greatest, fabs(a[row * width + x] - b[row * width + x]));
                most[row] = greatest;
            }
            """;

    private Heat() {}

    static Job step(ManagedBuffer in, ManagedBuffer out, int width, int height) {
        return Job.named("heat")
                .source(SOURCE)
                .range(width, height)
                .kernel("heat")
                .reads(in, slice(width).halo(1, 1))
                .viewStart(in)
                .writes(out, slice(width))
                .scalar(width)
                .chunkStart()
                .scalar((long) height)
                .build();
    }

    /** The plate after so many steps. */
    static float[] after(Evener evener, float[] plate, int width, int height, int steps) {
        try (ManagedBuffer now = evener.allocateManaged(ElementType.FLOAT, plate.length);
                ManagedBuffer next = evener.allocateManaged(ElementType.FLOAT, plate.length)) {
            now.overwrite(view -> view.floats().put(plate));
            Iteration.Result done = Iteration.of(step(now, next, width, height))
                    .rotating(now, next)
                    .run(evener, steps)
                    .join();
            float[] result = new float[plate.length];
            done.at(now).read(view -> view.floats().get(result));
            return result;
        }
    }

    /** Lets the plate come to rest: until no point changes by the limit or more in a step. Returns how many steps that took. */
    static long settle(Evener evener, ManagedBuffer now, ManagedBuffer next, int width, int height, float limit) {
        try (ManagedBuffer most = evener.allocateManaged(ElementType.FLOAT, 1)) {
            Job change = Job.named("change")
                    .source(SOURCE)
                    .units(height)
                    .kernel("change")
                    .reads(now, slice(width))
                    .reads(next, slice(width))
                    .reduces(most, Reduction.MAX)
                    .scalar(width)
                    .build();
            // region until
            return Iteration.of(step(now, next, width, height), change)
                    .rotating(now, next)
                    .until(most, 10, values -> values.getFloat(0) < limit) // asked every 10 steps
                    .run(evener, 10_000)
                    .join()
                    .steps();
            // endregion
        }
    }

    public static void main(String[] args) {
        int side = 512;
        float[] plate = new float[side * side];
        plate[side / 2 * side + side / 2] = 1000; // a hot spot
        try (Evener evener = Evener.open()) {
            float[] result = after(evener, plate, side, side, 100);
            System.out.printf("centre %.3f%n", result[side / 2 * side + side / 2]);
        }
    }
}
