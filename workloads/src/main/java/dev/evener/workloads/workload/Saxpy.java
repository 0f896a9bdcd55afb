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

/** {@code y = a x + y}, in place: a plain kernel, bound by memory. */
final class Saxpy implements Workload {
    private static final KernelSource SOURCE = KernelSource.resource(Saxpy.class, "saxpy.cl");
    private static final Parameter<Double> FACTOR =
            Parameter.number("a", 2.5, -1e6, 1e6, "the factor, rounded to float");

    @Override
    public About about() {
        return new About(
                "saxpy",
                "y = a x + y over floats, in place",
                "float",
                "float",
                "float: y, one for each of x",
                List.of(16L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(FACTOR);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(
                Input.of("x", ElementType.FLOAT, "what is scaled"), Input.of("y", ElementType.FLOAT, "what is added"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
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

    private static final class Prepared extends PreparedData {
        private final float a;
        private final HostBuffer x;
        private final HostBuffer y;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            a = request.get(FACTOR).floatValue();
            long items = request.items();
            x = input(0, items);
            y = input(1, items);
            Job.Builder builder = Job.named("saxpy")
                    .source(SOURCE)
                    .units(items)
                    .kernel("saxpy")
                    .jvm(jvm(a));
            job = Variants.itemForEachUnit(builder, 0)
                    .reads(x, slice())
                    .updates(y, slice())
                    .scalar(a)
                    .chunkUnits()
                    .build();
        }

        @Override
        public long items() {
            return x.elements();
        }

        @Override
        public double bytesPerItem() {
            return 3 * Float.BYTES;
        }

        @Override
        public double flopsPerItem() {
            return 2;
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            request().fill(1, y);
        }

        @Override
        public @Nullable String mismatch() {
            try (HostBuffer before = buffers().temporary(ElementType.FLOAT, y.elements())) {
                request().fill(1, before);
                FloatBuffer xs = x.floats();
                FloatBuffer ys = before.floats();
                return Differences.floats("y", y.floats(), i -> {
                    float product = a * xs.get(i);
                    return product + ys.get(i);
                });
            }
        }

        @Override
        public Output output() {
            return Output.of(y);
        }
    }
}
