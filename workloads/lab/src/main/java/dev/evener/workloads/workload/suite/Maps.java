package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;
import static dev.evener.workloads.workload.JavaArrays.floats;
import static dev.evener.workloads.workload.JavaArrays.ints;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.kernels.map.ColourInversion;
import dev.evener.kernels.reference.MapReference;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Workload;
import java.nio.FloatBuffer;

/** Workloads whose every element is computed from one element of each input, by kernels that are bound by memory or by arithmetic. */
final class Maps {
    private Maps() {}

    /**
     * One work-item for each unit, in groups of a fixed size: PoCL compiles a kernel anew for every group size that it meets,
     * and left to itself takes another for every chunk. The kernel must guard against the excess of the last group.
     *
     * @param rounds of the kernel's loops, at most
     */
    private static JobBuilder itemForEachUnit(JobBuilder job, long rounds) {
        return Forms.add(
                job,
                Variant.itemsPerUnit(1).withGroupSize(64).withRounds(rounds),
                Variant.itemsPerUnit(1).withGroupSize(256));
    }

    /** Colours of 8 bits a component, inverted. */
    static final class InvertColours extends Workload {
        InvertColours() {
            super("invert", "colours of RGBA pixels, inverted");
            items("pixel", "pixel", 64L << 10, 1L << 20, 16L << 20);
            reads("pixels", ElementType.UINT, "red, green, blue and alpha, from the lowest byte on");
            writes("uint: red, green, blue and alpha of each pixel, from the lowest byte on");
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            HostBuffer in = setup.input(0);
            HostBuffer out = setup.output(ElementType.UINT, setup.items());
            setup.job(ColourInversion.job(setup.items(), in, out, setup.tuning()))
                    .bytesPerItem(2.0 * Integer.BYTES)
                    .expect(() -> MapReference.invertWords(ints(in)));
        }
    }

    /** {@code y = a x + y}, in place: a plain kernel, bound by memory. */
    static final class Saxpy extends Workload {
        private static final KernelSource SOURCE =
                KernelSource.resource(Saxpy.class, "saxpy.cl").withTrialLaunch();
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
        public void prepare(PreparedWorkload setup) {
            float a = setup.get(FACTOR).floatValue();
            HostBuffer x = setup.input(0);
            HostBuffer y = setup.output(setup.input(1));
            JobBuilder job = Job.named("saxpy")
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
                    .expect("y", y, () -> expected(setup, a, x));
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

        private static float[] expected(PreparedWorkload setup, float a, HostBuffer x) {
            try (HostBuffer before = setup.temporary(ElementType.FLOAT, x.elements())) {
                setup.request().fill(1, before);
                float[] xs = floats(x);
                float[] ys = floats(before);
                for (int i = 0; i < ys.length; i++) {
                    float product = a * xs[i];
                    ys[i] = product + ys[i];
                }
                return ys;
            }
        }
    }

    /**
     * A hundred multiply-adds for each float, each depending on the one before: bound by arithmetic, so that what is lost
     * against the devices' summed speeds is lost by the scheduler. The kernel is plain on purpose: what takes long is the point.
     */
    static final class MultiplyAdd extends Workload {
        private static final KernelSource SOURCE =
                KernelSource.resource(MultiplyAdd.class, "fma.cl").withTrialLaunch();
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
        public void prepare(PreparedWorkload setup) {
            int steps = setup.get(STEPS);
            HostBuffer x = setup.input(0);
            HostBuffer y = setup.output(ElementType.FLOAT, setup.items());
            JobBuilder job = Job.named("fma")
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
            setup.job(itemForEachUnit(job, steps + 1L).build())
                    .bytesPerItem(2 * Float.BYTES)
                    .flopsPerItem(2.0 * steps)
                    .expect("y", y, () -> {
                        float[] chains = floats(x);
                        for (int i = 0; i < chains.length; i++) {
                            chains[i] = chain(chains[i], steps);
                        }
                        return chains;
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
}
