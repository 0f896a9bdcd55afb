package dev.evener.examples;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.JobFuture;
import dev.evener.ManagedBuffer;

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

    // region iterate
    /** The plate after so many steps. */
    static float[] after(Evener evener, float[] plate, int width, int height, int steps) {
        try (ManagedBuffer now = evener.allocateManaged(ElementType.FLOAT, plate.length);
                ManagedBuffer next = evener.allocateManaged(ElementType.FLOAT, plate.length)) {
            try (ManagedBuffer.Scope scope = now.write()) {
                scope.floats().put(plate);
            }
            Job[] jobs = {step(now, next, width, height), step(next, now, width, height)};
            for (int i = 0; i < steps; i++) {
                JobFuture ignored = evener.submit(jobs[i % 2]); // read() would tell of a failure
            }
            float[] result = new float[plate.length];
            try (ManagedBuffer.Scope scope = (steps % 2 == 0 ? now : next).read()) { // waits for the last step
                scope.floats().get(result);
            }
            return result;
        }
    }
    // endregion

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
