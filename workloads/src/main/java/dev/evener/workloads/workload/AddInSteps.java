package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.ReduceReference;
import dev.evener.kernels.reduce.ReduceStep;
import dev.evener.kernels.reduce.ReduceSteps;
import dev.evener.kernels.reduce.SecondPass;
import java.util.List;
import java.util.stream.IntStream;

/** A sum in the steps of a course on OpenCL: what {@code reduce} is measured against. */
final class AddInSteps implements Workload {
    private static final Parameter<ReduceStep> STEP =
            Parameter.choice("step", "how a group adds up its part", ReduceStep.ITEM_PER_GROUP);
    private static final Parameter<SecondPass> SECOND =
            Parameter.choice("second-pass", "where the groups' sums are added up", SecondPass.DEVICE);

    @Override
    public About about() {
        return new About(
                "reduce-steps",
                "sum of 32-bit integers in the steps of a course, for comparison",
                "element",
                "part of a group",
                "int: the sum",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(STEP, SECOND);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("elements", ElementType.INT, "what is added up"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS;
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> {
            HostBuffer in = buffers.input(request, 0, request.items());
            HostBuffer out = buffers.allocate(ElementType.INT, 1);
            ReduceSteps steps = new ReduceSteps(buffers::allocate);
            return new PreparedPrimitive(
                    buffers,
                    request,
                    steps.job(request.get(STEP), request.get(SECOND), in, out),
                    PreparedPrimitive.Cost.of(in.elements(), Integer.BYTES),
                    out,
                    () -> sum(in));
        });
    }

    private static int[] sum(HostBuffer in) {
        long[] values = IntStream.of(JavaArrays.ints(in)).asLongStream().toArray();
        return new int[] {ReduceReference.of(Operation.SUM, values).intValue()};
    }
}
