package dev.evener.workloads.workload;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Reduction;
import dev.evener.Variant;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sum of 32-bit integers modulo 2^32: a reduction at the speed at which memory is read. */
final class Sum implements Workload {
    private static final KernelSource SOURCE = KernelSource.resource(Sum.class, "sum.cl");

    /** 4 KiB: fine enough for a cut, and a work-item's shortest run is worth its launch. */
    private static final int UNITS_PER_CPU_ITEM = 1024;

    private static final int GROUP = 256;
    private static final int UNITS_PER_ITEM = 16;

    @Override
    public String name() {
        return "sum";
    }

    @Override
    public String description() {
        return "sum of 32-bit integers modulo 2^32, a reduction";
    }

    @Override
    public String item() {
        return "integer";
    }

    @Override
    public String unit() {
        return "integer";
    }

    @Override
    public List<Long> defaultSizes() {
        return List.of(16L << 10, 1L << 20, 64L << 20);
    }

    @Override
    public long mostItems() {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public double bytesPerItem() {
        return 4;
    }

    @Override
    public double flopsPerItem() {
        return 0;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, long items, long seed) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, items, seed));
    }

    private static JvmKernel jvm() {
        return chunk -> {
            IntBuffer in = chunk.buffer(0).asIntBuffer();
            IntBuffer total = chunk.buffer(1).asIntBuffer();
            int sum = 0;
            for (int i = 0; i < chunk.units(); i++) {
                sum += in.get(i);
            }
            total.put(0, total.get(0) + sum);
        };
    }

    private static final class Prepared implements PreparedWorkload {
        private final HostBuffers buffers;
        private final long seed;
        private final HostBuffer in;
        private final HostBuffer total;
        private final Job job;

        Prepared(HostBuffers buffers, long items, long seed) {
            this.buffers = buffers;
            this.seed = seed;
            in = buffers.allocate(ElementType.UINT, items);
            total = buffers.allocate(ElementType.UINT, 1);
            SeededData.ints(in.ints(), seed);
            Job.Builder builder =
                    Job.named("sum").source(SOURCE).units(items).kernel("sum").jvm(jvm());
            // A few work-items for each core, to balance the load; for a GPU as many groups as fit on it at once.
            job = Variants.add(
                            builder,
                            Variant.unitsPerItem(UNITS_PER_CPU_ITEM, 1).withGroupsPerComputeUnit(4),
                            Variant.unitsPerItem(UNITS_PER_ITEM, GROUP).withGroupsPerComputeUnit(8))
                    .reads(in, slice())
                    .reduces(total, Reduction.SUM)
                    .chunkUnits()
                    .build();
        }

        @Override
        public long items() {
            return in.elements();
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            total.ints().put(0, ~expected());
        }

        @Override
        public @Nullable String mismatch() {
            int expected = expected();
            int actual = total.ints().get(0);
            return actual == expected
                    ? null
                    : "the sum is " + Integer.toUnsignedString(actual) + ", not " + Integer.toUnsignedString(expected);
        }

        private int expected() {
            long sum = 0;
            for (long i = 0; i < in.elements(); i++) {
                sum += SeededData.bits(seed, i) & 0xffffffffL;
            }
            return (int) sum;
        }

        @Override
        public void close() {
            buffers.close();
        }
    }
}
