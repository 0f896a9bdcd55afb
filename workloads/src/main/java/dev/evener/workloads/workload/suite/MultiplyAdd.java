package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;
import java.nio.FloatBuffer;

/**
 * A hundred multiply-adds for each float, each depending on the one before: bound by arithmetic, so that what is lost
 * against the devices' summed speeds is lost by the scheduler. The kernel is plain on purpose: what takes long is the point.
 */
final class MultiplyAdd extends Workload {
    private static final KernelSource SOURCE = KernelSource.resource(MultiplyAdd.class, "fma.cl");
    private static final Parameter<Integer> STEPS =
            Parameter.integer("steps", 100, 1, 1_000_000, "multiply-adds for each float");
    private static final float A = 0.75f;
    private static final float B = 0.3f;

    MultiplyAdd() {
        super("fma", "multiply-adds, one after another for each float");
        items("float", "float", 16L << 10, 256L << 10, 4L << 20);
        parameters(STEPS);
        reads("x", ElementType.FLOAT, "where each chain begins");
        writes("float: where each chain ends");
    }

    @Override
    public void prepare(Setup setup) {
        int steps = setup.get(STEPS);
        HostBuffer x = setup.input(0);
        HostBuffer y = setup.output(ElementType.FLOAT, setup.items());
        Job.Builder job = Job.named("fma")
                .source(SOURCE)
                .units(setup.items())
                .kernel("fma_chain")
                .jvm(jvm(steps))
                .reads(x, slice())
                .writes(y, slice())
                .scalar(A)
                .scalar(B)
                .scalar(steps)
                .chunkUnits();
        setup.job(Saxpy.itemForEachUnit(job, steps + 1L).build())
                .bytesPerItem(2 * Float.BYTES)
                .flopsPerItem(2.0 * steps)
                .check(() -> {
                    FloatBuffer xs = x.floats();
                    return Differences.floats("y", y.floats(), i -> chain(xs.get(i), steps));
                });
    }

    private static JvmKernel jvm(int steps) {
        return chunk -> {
            FloatBuffer x = chunk.buffer(0).asFloatBuffer();
            FloatBuffer y = chunk.buffer(1).asFloatBuffer();
            for (int i = 0; i < chunk.units(); i++) {
                float v = x.get(i);
                for (int step = 0; step < steps; step++) {
                    v = v * A + B;
                }
                y.put(i, v);
            }
        };
    }

    private static float chain(float first, int steps) {
        float value = first;
        for (int step = 0; step < steps; step++) {
            float product = value * A;
            value = product + B;
        }
        return value;
    }
}
