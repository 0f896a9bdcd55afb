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
    private static final float A = 2.5f;

    @Override
    public String name() {
        return "saxpy";
    }

    @Override
    public String description() {
        return "y = a x + y over floats, in place";
    }

    @Override
    public String item() {
        return "float";
    }

    @Override
    public String unit() {
        return "float";
    }

    @Override
    public List<Long> defaultSizes() {
        return List.of(16L << 10, 1L << 20, 16L << 20);
    }

    @Override
    public long mostItems() {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public double bytesPerItem() {
        return 12;
    }

    @Override
    public double flopsPerItem() {
        return 2;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, long items, long seed) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, items, seed));
    }

    private static JvmKernel jvm() {
        return chunk -> {
            FloatBuffer x = chunk.buffer(0).asFloatBuffer();
            FloatBuffer y = chunk.buffer(1).asFloatBuffer();
            for (int i = 0; i < chunk.units(); i++) {
                y.put(i, A * x.get(i) + y.get(i));
            }
        };
    }

    private static final class Prepared implements PreparedWorkload {
        private final HostBuffers buffers;
        private final long seed;
        private final HostBuffer x;
        private final HostBuffer y;
        private final Job job;

        Prepared(HostBuffers buffers, long items, long seed) {
            this.buffers = buffers;
            this.seed = seed;
            x = buffers.allocate(ElementType.FLOAT, items);
            y = buffers.allocate(ElementType.FLOAT, items);
            SeededData.floats(x.floats(), seed);
            reset();
            Job.Builder builder = Job.named("saxpy")
                    .source(SOURCE)
                    .units(items)
                    .kernel("saxpy")
                    .jvm(jvm());
            job = Variants.itemForEachUnit(builder)
                    .reads(x, slice())
                    .updates(y, slice())
                    .scalar(A)
                    .chunkUnits()
                    .build();
        }

        @Override
        public long items() {
            return x.elements();
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            SeededData.floats(y.floats(), seed + 1);
        }

        @Override
        public @Nullable String mismatch() {
            FloatBuffer result = y.floats();
            for (int i = 0; i < result.capacity(); i++) {
                float product = A * SeededData.unit(seed, i);
                float expected = product + SeededData.unit(seed + 1, i);
                if (result.get(i) != expected) {
                    return "y[" + i + "] is " + result.get(i) + ", not " + expected;
                }
            }
            return null;
        }

        @Override
        public void close() {
            buffers.close();
        }
    }
}
