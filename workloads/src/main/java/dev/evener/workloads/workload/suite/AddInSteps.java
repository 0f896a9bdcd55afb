package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.ReduceReference;
import dev.evener.kernels.reduce.ReduceSteps;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;
import java.util.stream.IntStream;

/** A sum in the steps of a course on OpenCL: what {@code reduce} is compared with. */
final class AddInSteps extends Workload {
    private static final Parameter<ReduceSteps.Step> STEP =
            Parameter.choice("step", "how a group adds up its part", ReduceSteps.Step.ITEM_PER_GROUP);
    private static final Parameter<ReduceSteps.SecondPass> SECOND =
            Parameter.choice("second-pass", "where the groups' sums are added up", ReduceSteps.SecondPass.DEVICE);

    AddInSteps() {
        super("reduce-steps", "sum of 32-bit integers in the steps of a course, for comparison");
        items("element", "part of a group", 64L << 10, 1L << 20, 16L << 20);
        parameters(STEP, SECOND);
        reads("elements", ElementType.INT, "what is added up");
        writes("int: the sum");
    }

    @Override
    public void prepare(Setup setup) {
        HostBuffer in = setup.input(0);
        HostBuffer out = setup.output(ElementType.INT, 1);
        setup.job(new ReduceSteps(setup::allocate).job(setup.get(STEP), setup.get(SECOND), in, out))
                .bytesPerItem(Integer.BYTES)
                .expect(() -> sum(in));
    }

    private static int[] sum(HostBuffer in) {
        long[] values = IntStream.of(JavaArrays.ints(in)).asLongStream().toArray();
        return new int[] {ReduceReference.of(Operation.SUM, values).intValue()};
    }
}
