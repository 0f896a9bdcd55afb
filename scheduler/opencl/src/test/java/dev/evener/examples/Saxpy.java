package dev.evener.examples;

// region program
import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import java.nio.FloatBuffer;

public final class Saxpy {
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void saxpy(global const float *x, global float *y, float a) {
                size_t i = get_global_id(0);
                y[i] = a * x[i] + y[i];
            }
            """;

    private Saxpy() {}

    /** {@code y = a * x + y}, shared out among all devices. */
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
        int n = 1 << 22;
        try (Evener evener = Evener.open()) {
            HostBuffer x = evener.allocate(ElementType.FLOAT, n);
            HostBuffer y = evener.allocate(ElementType.FLOAT, n);
            FloatBuffer xs = x.floats();
            FloatBuffer ys = y.floats();
            for (int i = 0; i < n; i++) {
                xs.put(i, i);
                ys.put(i, 1);
            }
            Report report = saxpy(evener, 2.5f, x, y);
            System.out.println(report.summary());
            System.out.println("2.5 * 1000 + 1 = " + ys.get(1000));
        }
    }
}
// endregion
