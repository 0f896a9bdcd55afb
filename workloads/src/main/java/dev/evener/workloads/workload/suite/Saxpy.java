package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;
import java.nio.FloatBuffer;
import org.jspecify.annotations.Nullable;

/** {@code y = a x + y}, in place: a plain kernel, bound by memory. */
final class Saxpy extends Workload {
    private static final KernelSource SOURCE = KernelSource.resource(Saxpy.class, "saxpy.cl");
    private static final Parameter<Double> FACTOR =
            Parameter.number("a", 2.5, -1e6, 1e6, "the factor, rounded to float");

    Saxpy() {
        super("saxpy", "y = a x + y over floats, in place");
        items("float", "float", 16L << 10, 1L << 20, 16L << 20);
        parameters(FACTOR);
        reads("x", ElementType.FLOAT, "what is scaled");
        reads("y", ElementType.FLOAT, "what is added");
        writes("float: y, one for each of x");
    }

    @Override
    public void prepare(Setup setup) {
        float a = setup.get(FACTOR).floatValue();
        HostBuffer x = setup.input(0);
        HostBuffer y = setup.output(setup.input(1));
        Job.Builder job = Job.named("saxpy")
                .source(SOURCE)
                .units(setup.items())
                .kernel("saxpy")
                .jvm(jvm(a))
                .reads(x, slice())
                .updates(y, slice())
                .scalar(a)
                .chunkUnits();
        setup.job(itemForEachUnit(job, 0).build())
                .bytesPerItem(3 * Float.BYTES)
                .flopsPerItem(2)
                .reset(() -> setup.request().fill(1, y))
                .check(() -> mismatch(setup, a, x, y));
    }

    /**
     * One work-item for each unit, in groups of a fixed size: PoCL compiles a kernel anew for every group size that it meets,
     * and left to itself takes another for every chunk. The kernel must guard against the excess of the last group.
     *
     * @param rounds of the kernel's loops, at most
     */
    static Job.Builder itemForEachUnit(Job.Builder job, long rounds) {
        return Forms.add(job, Variant.itemsPerUnit(1, 64).withRounds(rounds), Variant.itemsPerUnit(1, 256));
    }

    private static JvmKernel jvm(float a) {
        return chunk -> {
            FloatBuffer x = chunk.buffer(0).asFloatBuffer();
            FloatBuffer y = chunk.buffer(1).asFloatBuffer();
            for (int i = 0; i < chunk.units(); i++) {
                y.put(i, a * x.get(i) + y.get(i));
            }
        };
    }

    private static @Nullable String mismatch(Setup setup, float a, HostBuffer x, HostBuffer y) {
        try (HostBuffer before = setup.temporary(ElementType.FLOAT, y.elements())) {
            setup.request().fill(1, before);
            FloatBuffer xs = x.floats();
            FloatBuffer ys = before.floats();
            return Differences.floats("y", y.floats(), i -> {
                float product = a * xs.get(i);
                return product + ys.get(i);
            });
        }
    }
}
