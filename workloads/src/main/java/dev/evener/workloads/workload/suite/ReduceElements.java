package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.reduce.ReduceReference;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Sum, least, greatest, or where they are. */
final class ReduceElements extends Workload {
    private static final Parameter<Operation> OPERATION =
            Parameter.choice("operation", "what is found out", Operation.SUM);
    private static final Parameter<ElementType> TYPE =
            Parameter.type(ElementType.UINT, ElementType.INT, ElementType.LONG, ElementType.FLOAT);

    /**
     * How far a sum of floats may be off, over the sum of the magnitudes: pairwise summation errs by 2^-24 for each level of
     * its tree, of which there are fewer than 40, and 8 elements follow one another in a tile's lane.
     */
    private static final double ROUNDING = 48 * 0x1p-24;

    ReduceElements() {
        super("reduce", "sum, minimum or maximum of all elements, or where they are");
        items("element", "tile of " + Reduce.TILE + " element", 64L << 10, 1L << 20, 64L << 20);
        parameters(TYPE, OPERATION, Setup.RESIDENT);
        reads("elements", TYPE, "what is reduced");
        writes("one value, of the elements' type, or long for an index or a wide sum");
    }

    @Override
    public void prepare(Setup setup) {
        Operation operation = setup.get(OPERATION);
        HostBuffer in = setup.input(0);
        HostBuffer out = setup.output(operation.result(in.type()), 1);
        setup.job(new Reduce(setup::allocate).job(operation, in, out))
                .bytesPerItem(in.type().bytes())
                .check(() -> in.type() == ElementType.FLOAT && operation == Operation.SUM
                        ? wrongSum(JavaArrays.floats(in), out.floats().get(0))
                        : Differences.first("the result", out, expected(operation, in, out.type())));
    }

    private static Object expected(Operation operation, HostBuffer in, ElementType result) {
        if (in.type() == ElementType.FLOAT) {
            float[] values = JavaArrays.floats(in);
            return operation == Operation.MIN || operation == Operation.MAX
                    ? new float[] {ReduceReference.extreme(operation, values)}
                    : new long[] {ReduceReference.index(operation, values)};
        }
        long exact = ReduceReference.of(operation, numbers(in)).longValue();
        return result.bytes() == Long.BYTES ? new long[] {exact} : new int[] {(int) exact};
    }

    /** The elements as the numbers they are. */
    private static long[] numbers(HostBuffer in) {
        return switch (in.type()) {
            case LONG -> JavaArrays.longs(in);
            case UINT ->
                IntStream.of(JavaArrays.ints(in))
                        .mapToLong(Integer::toUnsignedLong)
                        .toArray();
            default -> IntStream.of(JavaArrays.ints(in)).asLongStream().toArray();
        };
    }

    private static @Nullable String wrongSum(float[] values, float actual) {
        double exact = ReduceReference.sum(values);
        boolean right = Double.isFinite(exact)
                ? Math.abs(actual - exact) <= ROUNDING * ReduceReference.magnitude(values)
                : Float.compare(actual, (float) exact) == 0;
        return right ? null : "the sum is " + actual + ", not about " + exact;
    }
}
