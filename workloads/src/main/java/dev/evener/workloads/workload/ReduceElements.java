package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.reduce.ReduceReference;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Sum, least, greatest, or where they are. */
final class ReduceElements implements Workload {
    private static final Parameter<Operation> OPERATION =
            Parameter.choice("operation", "what is found out", Operation.SUM);
    private static final Parameter<ElementType> TYPE =
            ElementTypes.parameter(ElementType.UINT, ElementType.INT, ElementType.LONG, ElementType.FLOAT);

    /**
     * How far a sum of floats may be off, over the sum of the magnitudes: pairwise summation errs by 2^-24 for each level of
     * its tree, of which there are fewer than 40, and 8 elements follow one another in a tile's lane.
     */
    private static final double ROUNDING = 48 * 0x1p-24;

    @Override
    public About about() {
        return new About(
                "reduce",
                "sum, minimum or maximum of all elements, or where they are",
                "element",
                "tile of " + Reduce.TILE + " element",
                "one value, of the elements' type, or long for an index or a wide sum",
                List.of(64L << 10, 1L << 20, 64L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(TYPE, OPERATION, HostBuffers.RESIDENT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("elements", values.get(TYPE), "what is reduced"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.most(values.get(TYPE));
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
    }

    private static final class Prepared extends PreparedData {
        private final Operation operation;
        private final HostBuffer in;
        private final HostBuffer out;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            operation = request.get(OPERATION);
            ElementType type = operation.result(request.get(TYPE));
            in = input(0, request.items());
            out = allocate(type, 1);
            job = new Reduce(buffers::allocate).job(operation, in, out);
        }

        @Override
        public long items() {
            return in.elements();
        }

        @Override
        public double bytesPerItem() {
            return in.type().bytes();
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            Differences.spoil(out);
        }

        @Override
        public @Nullable String mismatch() {
            if (in.type() == ElementType.FLOAT && operation == Operation.SUM) {
                return wrongSum(JavaArrays.floats(in), out.floats().get(0));
            }
            Object expected;
            if (in.type() == ElementType.FLOAT) {
                float[] values = JavaArrays.floats(in);
                boolean value = operation == Operation.MIN || operation == Operation.MAX;
                expected = value
                        ? new float[] {ReduceReference.extreme(operation, values)}
                        : new long[] {ReduceReference.index(operation, values)};
            } else {
                long exact = ReduceReference.of(operation, numbers()).longValue();
                expected = out.type().bytes() == Long.BYTES ? new long[] {exact} : new int[] {(int) exact};
            }
            return Differences.first("the result", out, expected);
        }

        /** The elements as the numbers they are. */
        private long[] numbers() {
            if (in.type() == ElementType.LONG) {
                return JavaArrays.longs(in);
            }
            IntStream ints = IntStream.of(JavaArrays.ints(in));
            LongStream longs =
                    in.type() == ElementType.UINT ? ints.mapToLong(Integer::toUnsignedLong) : ints.asLongStream();
            return longs.toArray();
        }

        private static @Nullable String wrongSum(float[] values, float actual) {
            double exact = ReduceReference.sum(values);
            boolean right = Double.isFinite(exact)
                    ? Math.abs(actual - exact) <= ROUNDING * ReduceReference.magnitude(values)
                    : Float.compare(actual, (float) exact) == 0;
            return right ? null : "the sum is " + actual + ", not about " + exact;
        }

        @Override
        public String result() {
            return Differences.element(out.bytes(), out.type(), 0);
        }

        @Override
        public Output output() {
            return Output.of(out);
        }
    }
}
