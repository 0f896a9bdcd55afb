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
import dev.evener.kernels.DeviceVariants;
import java.nio.ByteBuffer;
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
    public About about() {
        return new About(
                "sum",
                "sum of 32-bit integers modulo 2^32, a reduction",
                "integer",
                "integer",
                "uint: the sum",
                List.of(16L << 10, 1L << 20, 64L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(HostBuffers.RESIDENT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("values", ElementType.UINT, "what is added up"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.mostSliced(ElementType.UINT);
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
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

    private static final class Prepared extends PreparedData {
        private final HostBuffer in;
        private final HostBuffer total;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            long items = request.items();
            in = input(0, items);
            total = allocate(ElementType.UINT, 1);
            Job.Builder builder =
                    Job.named("sum").source(SOURCE).units(items).kernel("sum").jvm(jvm());
            // A few work-items for each core, to balance the load; for a GPU as many groups as fit on it at once.
            job = DeviceVariants.add(
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
        public double bytesPerItem() {
            return Integer.BYTES;
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
            int sum = 0;
            for (ByteBuffer segment : in.segments()) {
                IntBuffer values = segment.asIntBuffer();
                for (int i = 0; i < values.limit(); i++) {
                    sum += values.get(i);
                }
            }
            return sum;
        }

        @Override
        public String result() {
            return Integer.toUnsignedString(total.ints().get(0));
        }

        @Override
        public Output output() {
            return Output.of(total);
        }
    }
}
