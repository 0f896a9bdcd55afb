package dev.evener.examples;

// region program
import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;

public final class Saxpy {
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void saxpy(global const float *x, global float *y, float a) {
                size_t i = get_global_id(0);
                y[i] = a * x[i] + y[i];
            }
            """;

    static Report saxpy(Evener evener, float a, HostBuffer x, HostBuffer y) {
        Job job = Job.named("saxpy")
                .source(SOURCE)
                .units(x.elements())
                .kernel("saxpy")
                .reads(x, slice())
                .updates(y, slice())
                .scalar(a)
                .build();
        return evener.submit(job).join();
    }

    public static void main(String[] args) {
        try (Evener evener = Evener.open()) {
            HostBuffer x = evener.allocate(ElementType.FLOAT, 1 << 22);
            HostBuffer y = evener.allocate(ElementType.FLOAT, 1 << 22);
            x.floats().put(1000, 1000);
            y.floats().put(1000, 1);
            System.out.println(saxpy(evener, 2.5f, x, y).summary());
            System.out.println("2.5 * 1000 + 1 = " + y.floats().get(1000));
        }
    }
}
// endregion
