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
    private static final int STEPS = 100;
    private static final float A = 0.75f;
    private static final float B = 0.3f;

    @Override
    public String name() {
        return "fma";
    }

    @Override
    public String description() {
        return "100 multiply-adds per float, one after another";
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
        return List.of(16L << 10, 256L << 10, 4L << 20);
    }

    @Override
    public long mostItems() {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public double bytesPerItem() {
        return 8;
    }

    @Override
    public double flopsPerItem() {
        return 2.0 * STEPS;
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
                float v = x.get(i);
                for (int step = 0; step < STEPS; step++) {
                    v = v * A + B;
                }
                y.put(i, v);
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
            Job.Builder builder = Job.named("fma")
                    .source(SOURCE)
                    .units(items)
                    .kernel("fma_chain")
                    .jvm(jvm());
            job = Variants.itemForEachUnit(builder)
                    .reads(x, slice())
                    .writes(y, slice())
                    .scalar(A)
                    .scalar(B)
                    .scalar(STEPS)
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
            FloatBuffer result = y.floats();
            for (int i = 0; i < result.capacity(); i++) {
                result.put(i, Float.NaN);
            }
        }

        @Override
        public @Nullable String mismatch() {
            FloatBuffer result = y.floats();
            for (int i = 0; i < result.capacity(); i++) {
                float expected = SeededData.unit(seed, i);
                for (int step = 0; step < STEPS; step++) {
                    float product = expected * A;
                    expected = product + B;
                }
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
