package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Reduction;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import org.jspecify.annotations.Nullable;

/** The sum of 32-bit integers modulo 2^32: a reduction at the speed at which memory is read. */
final class Sum extends Workload {
    private static final KernelSource SOURCE = KernelSource.resource(Sum.class, "sum.cl");

    /** 4 KiB: fine enough for a cut, and a work-item's shortest run is worth its launch. */
    private static final int UNITS_PER_CPU_ITEM = 1024;

    private static final int GROUP = 256;
    private static final int UNITS_PER_ITEM = 16;

    Sum() {
        super("sum", "sum of 32-bit integers modulo 2^32, a reduction");
        items("integer", "integer", 16L << 10, 1L << 20, 64L << 20);
        parameters(Setup.RESIDENT);
        reads("values", ElementType.UINT, "what is added up");
        writes("uint: the sum");
        atMost(mostSliced(ElementType.UINT));
    }

    @Override
    public void prepare(Setup setup) {
        HostBuffer in = setup.input(0);
        HostBuffer total = setup.output(ElementType.UINT, 1);
        Job.Builder job = Job.named("sum")
                .source(SOURCE)
                .units(setup.items())
                .kernel("sum")
                .jvm(jvm())
                .reads(in, slice())
                .reduces(total, Reduction.SUM)
                .chunkUnits();
        // A few work-items for each core, to balance the load; for a GPU as many groups as fit on it at once.
        Forms.add(
                job,
                Variant.unitsPerItem(UNITS_PER_CPU_ITEM, 1).withGroupsPerComputeUnit(4),
                Variant.unitsPerItem(UNITS_PER_ITEM, GROUP).withGroupsPerComputeUnit(8));
        setup.job(job.build()).bytesPerItem(Integer.BYTES).check(() -> mismatch(in, total));
    }

    private static JvmKernel jvm() {
        return chunk -> {
            IntBuffer total = chunk.buffer(1).asIntBuffer();
            total.put(0, total.get(0) + sum(chunk.buffer(0).asIntBuffer(), chunk.units()));
        };
    }

    private static int sum(IntBuffer values, int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += values.get(i);
        }
        return sum;
    }

    private static @Nullable String mismatch(HostBuffer in, HostBuffer total) {
        int expected = 0;
        for (ByteBuffer segment : in.segments()) {
            IntBuffer values = segment.asIntBuffer();
            expected += sum(values, values.limit());
        }
        int actual = total.ints().get(0);
        return actual == expected
                ? null
                : "the sum is " + Integer.toUnsignedString(actual) + ", not " + Integer.toUnsignedString(expected);
    }
}
