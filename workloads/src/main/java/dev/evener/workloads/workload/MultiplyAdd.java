package dev.evener.workloads.workload;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import java.nio.FloatBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hundred multiply-adds for each float, each depending on the one before: bound by arithmetic, so that what is lost
 * against the devices' summed speeds is lost by the scheduler. The kernel is plain on purpose: what takes long is the point.
 */
final class MultiplyAdd implements Workload {
    private static final KernelSource SOURCE = KernelSource.resource(MultiplyAdd.class, "fma.cl");
    private static final Parameter<Integer> STEPS =
            Parameter.integer("steps", 100, 1, 1_000_000, "multiply-adds for each float");
    private static final float A = 0.75f;
    private static final float B = 0.3f;

    @Override
    public About about() {
        return new About(
                "fma",
                "multiply-adds, one after another for each float",
                "float",
                "float",
                "float: where each chain ends",
                List.of(16L << 10, 256L << 10, 4L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(STEPS);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("x", ElementType.FLOAT, "where each chain begins"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
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

    private static final class Prepared extends PreparedData {
        private final int steps;
        private final HostBuffer x;
        private final HostBuffer y;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            steps = request.get(STEPS);
            long items = request.items();
            x = input(0, items);
            y = allocate(ElementType.FLOAT, items);
            Job.Builder builder = Job.named("fma")
                    .source(SOURCE)
                    .units(items)
                    .kernel("fma_chain")
                    .jvm(jvm(steps));
            job = Variants.itemForEachUnit(builder, steps + 1L)
                    .reads(x, slice())
                    .writes(y, slice())
                    .scalar(A)
                    .scalar(B)
                    .scalar(steps)
                    .chunkUnits()
                    .build();
        }

        @Override
        public long items() {
            return x.elements();
        }

        @Override
        public double bytesPerItem() {
            return 2 * Float.BYTES;
        }

        @Override
        public double flopsPerItem() {
            return 2.0 * steps;
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            Differences.spoil(y);
        }

        @Override
        public @Nullable String mismatch() {
            FloatBuffer xs = x.floats();
            return Differences.floats("y", y.floats(), i -> {
                float expected = xs.get(i);
                for (int step = 0; step < steps; step++) {
                    float product = expected * A;
                    expected = product + B;
                }
                return expected;
            });
        }

        @Override
        public Output output() {
            return Output.of(y);
        }
    }
}
