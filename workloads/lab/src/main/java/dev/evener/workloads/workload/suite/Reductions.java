package dev.evener.workloads.workload.suite;

import static dev.evener.Access.slice;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JobBuilder;
import dev.evener.JvmKernel;
import dev.evener.KernelSource;
import dev.evener.Variant;
import dev.evener.kernels.Forms;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import dev.evener.kernels.histogram.RgbHistogram;
import dev.evener.kernels.histogram.RgbStyle;
import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import dev.evener.kernels.reduce.ReduceSteps;
import dev.evener.kernels.reference.HistogramReference;
import dev.evener.kernels.reference.ReduceReference;
import dev.evener.kernels.reference.ResultComparison;
import dev.evener.kernels.reference.RgbHistogramReference;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Workloads that make little of much: sums, extremes and histograms. */
final class Reductions {
    private Reductions() {}

    /** The sum of 32-bit integers modulo 2^32: a reduction at the speed at which memory is read. */
    static final class Sum extends Workload {
        private static final KernelSource SOURCE =
                KernelSource.resource(Sum.class, "sum.cl").withTrialLaunch();

        /** 4 KiB: fine enough for a cut, and a work-item's shortest run is worth its launch. */
        private static final int UNITS_PER_CPU_ITEM = 1024;

        private static final int GROUP = 256;
        private static final int UNITS_PER_ITEM = 16;

        Sum() {
            super("sum", "sum of 32-bit integers modulo 2^32, a reduction");
            items("integer", "integer", 16L << 10, 1L << 20, 64L << 20);
            parameters(RESIDENT);
            reads("values", ElementType.UINT, "what is added up");
            writes("uint: the sum");
            atMost(mostSliced(ElementType.UINT));
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            HostBuffer in = setup.input(0);
            HostBuffer total = setup.output(ElementType.UINT, 1);
            JobBuilder job = Job.named("sum")
                    .source(SOURCE)
                    .units(setup.items())
                    .kernel("sum")
                    .jvm(jvm())
                    .reads(setup.seenByJobs(in), slice())
                    .reduces(total, Reduction.SUM)
                    .chunkUnits();
            // A few work-items for each core, to balance the load; for a GPU as many groups as fit on it at once.
            Forms.add(
                    job,
                    Variant.unitsPerItem(UNITS_PER_CPU_ITEM).withGroupSize(1).withGroupsPerComputeUnit(4),
                    Variant.unitsPerItem(UNITS_PER_ITEM).withGroupSize(GROUP).withGroupsPerComputeUnit(8));
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

    /** Sum, least, greatest, or where they are. */
    static final class ReduceElements extends Workload {
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
            parameters(TYPE, OPERATION, RESIDENT);
            reads("elements", TYPE, "what is reduced");
            writes("one value, of the elements' type, or long for an index or a wide sum");
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            Operation operation = setup.get(OPERATION);
            HostBuffer in = setup.input(0);
            HostBuffer out = setup.output(operation.result(in.type()), 1);
            setup.job(new Reduce(setup::allocate).job(operation, setup.seenByJobs(in), out))
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
            boolean right = ResultComparison.agree(actual, exact, ROUNDING * ReduceReference.magnitude(values));
            return right ? null : "the sum is " + actual + ", not about " + exact;
        }
    }

    /** A sum in the steps of a course on OpenCL: what {@code reduce} is compared with. */
    static final class AddInSteps extends Workload {
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
        public void prepare(PreparedWorkload setup) {
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

    /** How many elements fall into each of equal bins. */
    static final class CountBins extends Workload {
        private static final Parameter<ElementType> TYPE =
                Parameter.type(ElementType.UBYTE, ElementType.USHORT, ElementType.UINT, ElementType.FLOAT);
        private static final Parameter<Integer> BINS = Parameter.integer("bins", 256, 1, Bins.MOST, "how many bins");
        private static final Parameter<Double> LOW = Parameter.number(
                "low", 0, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, "where the first bin begins");
        private static final Parameter<Double> HIGH = Parameter.number(
                "high",
                0,
                Double.NEGATIVE_INFINITY,
                Double.POSITIVE_INFINITY,
                "where the last bin ends; if not above low, behind the type's greatest value, of floats at 1");

        CountBins() {
            super("histogram", "how many elements fall into each of equal bins");
            items("element", "element", 64L << 10, 1L << 20, 64L << 20);
            parameters(TYPE, BINS, LOW, HIGH, RESIDENT);
            reads("elements", TYPE, "what is counted");
            writes("ulong: the count of each bin");
            tunes("histogram", items -> 4 * items, Distribution.UNIFORM, Distribution.CONSTANT);
        }

        @Override
        public long mostItems(Values values) {
            return mostSliced(values.get(TYPE));
        }

        private static Bins bins(PreparedWorkload setup) {
            ElementType type = setup.get(TYPE);
            int count = setup.get(BINS);
            double low = setup.get(LOW);
            double high = setup.get(HIGH);
            if (type == ElementType.FLOAT) {
                return Bins.even(count, (float) low, high > low ? (float) high : 1f);
            }
            double end = high > low ? high : 1L << (8 * type.bytes());
            if (low != Math.rint(low) || end != Math.rint(end)) {
                throw new IllegalArgumentException("bins of " + type.openClName()
                        + " elements begin and end at whole numbers, not " + low + " and " + end);
            }
            return Bins.even(count, (long) low, (long) end);
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            Bins bins = bins(setup);
            HostBuffer data = setup.input(0);
            HostBuffer counts = setup.output(ElementType.ULONG, bins.count());
            setup.job(new Histogram(setup::allocate, setup.tuning()).job(bins, setup.seenByJobs(data), counts))
                    .bytesPerItem(data.type().bytes())
                    .expect(() -> count(data, bins));
        }

        private static long[] count(HostBuffer data, Bins bins) {
            long[] counts = new long[bins.count()];
            for (ByteBuffer segment : data.segments()) {
                int elements = segment.limit() / data.type().bytes();
                long[] more = HistogramReference.count(data.type(), segment, elements, bins);
                Arrays.setAll(counts, bin -> counts[bin] + more[bin]);
            }
            return counts;
        }
    }

    /** Histograms of red, green and blue. */
    static final class CountColours extends Workload {
        private static final long COLOURS = 3;

        private static final Parameter<Integer> BINS = Parameter.integer(
                "bins", RgbHistogram.MOST_BINS, 1, RgbHistogram.MOST_BINS, "how many bins a colour has");
        private static final Parameter<RgbStyle> STYLE =
                Parameter.choice("style", "how pixels are counted", RgbStyle.BEST);

        CountColours() {
            super("rgb-histogram", "histograms of red, green and blue of RGBA pixels");
            items("pixel", "pixel", 64L << 10, 1L << 20, 16L << 20);
            parameters(BINS, STYLE);
            reads("pixels", ElementType.UINT, "red, green, blue and alpha, from the lowest byte on");
            writes("ulong: the count of each bin, of red, then green, then blue");
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            int bins = setup.get(BINS);
            HostBuffer pixels = setup.input(0);
            HostBuffer counts = setup.output(ElementType.ULONG, COLOURS * bins);
            setup.job(RgbHistogram.job(setup.get(STYLE), bins, pixels, counts))
                    .bytesPerItem(Integer.BYTES)
                    .expect(() -> RgbHistogramReference.count(pixels.ints(), bins));
        }
    }
}
