package dev.evener.workloads.workload.suite;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import dev.evener.kernels.reference.CompactReference;
import dev.evener.kernels.reference.RadixSortReference;
import dev.evener.kernels.sort.RadixSort;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Values;
import dev.evener.workloads.workload.Workload;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Workloads that bring elements into an order, or the chosen ones together. */
final class Ordering {
    private Ordering() {}

    /** The elements at these places. */
    private static ByteBuffer picked(HostBuffer elements, int[] places) {
        ByteBuffer from = elements.bytes();
        int bytes = elements.type().bytes();
        ByteBuffer picked = ByteBuffer.allocateDirect(places.length * bytes).order(from.order());
        for (int i = 0; i < places.length; i++) {
            picked.put(i * bytes, from, places[i] * bytes, bytes);
        }
        return picked;
    }

    /** Numbers in ascending order, alone or with a value each. */
    static final class SortKeys extends Workload {
        private static final Parameter<ElementType> TYPE = Parameter.type(
                ElementType.UINT,
                ElementType.INT,
                ElementType.FLOAT,
                ElementType.ULONG,
                ElementType.LONG,
                ElementType.DOUBLE);
        private static final Parameter<Boolean> PAIRS =
                Parameter.flag("pairs", "whether each key has a uint that goes with it");

        SortKeys() {
            super("sort", "numbers in ascending order, alone or with a value each");
            items("key", "place in the result", 64L << 10, 1L << 20, 4L << 20);
            parameters(TYPE, PAIRS, RESIDENT);
            reads("keys", TYPE, "what is sorted");
            reads("values", ElementType.UINT, "what goes with the keys");
            writes("the keys in order, of their type; with pairs, then their values");
            tunes("sort", items -> items, Distribution.UNIFORM);
        }

        @Override
        public List<Input> inputs(Values values) {
            return super.inputs(values).subList(0, values.get(PAIRS) ? 2 : 1);
        }

        /** Bytes are in and out once: how often a device reads them in between depends on how it sorts. */
        @Override
        public void prepare(PreparedWorkload setup) {
            RadixSort sort = new RadixSort(setup::allocate, setup.tuning());
            HostBuffer keys = setup.input(0);
            DataBuffer read = setup.seenByJobs(keys);
            HostBuffer sorted = setup.output(keys.type(), setup.items());
            if (!setup.get(PAIRS)) {
                setup.job(sort.job(read, sorted))
                        .bytesPerItem(2.0 * keys.type().bytes())
                        .expect("sorted", sorted, () -> picked(keys, order(keys)));
                return;
            }
            HostBuffer values = setup.input(1);
            HostBuffer sortedValues = setup.output(values.type(), setup.items());
            setup.job(sort.job(RadixSort.keys(read)
                            .into(sorted)
                            .values(setup.seenByJobs(values))
                            .into(sortedValues)))
                    .bytesPerItem(2.0 * (keys.type().bytes() + values.type().bytes()))
                    .check(() -> {
                        int[] order = order(keys);
                        String mismatch = Differences.first("sorted", sorted, picked(keys, order));
                        return mismatch != null
                                ? mismatch
                                : Differences.first("values", sortedValues, picked(values, order));
                    });
        }

        private static int[] order(HostBuffer keys) {
            return RadixSortReference.order(keys.type(), keys.bytes().slice());
        }
    }

    /** The elements that compare with a constant in some way, without gaps. */
    static final class CompactElements extends Workload {
        private static final String MIDDLE = "middle";

        private static final Parameter<ElementType> TYPE =
                Parameter.type(ElementType.UINT, ElementType.INT, ElementType.LONG, ElementType.FLOAT);
        private static final Parameter<Comparison> COMPARISON =
                Parameter.choice("comparison", "how an element that is kept stands to the constant", Comparison.LESS);
        private static final Parameter<String> CONSTANT = Parameter.text(
                "constant",
                MIDDLE,
                "a number of the elements' type, or " + MIDDLE,
                "what elements are compared with; by default the middle of synthetic data",
                text -> text.equals(MIDDLE) ? MIDDLE : new BigDecimal(text).toPlainString());

        CompactElements() {
            super("compact", "the elements that satisfy a condition, in order and without gaps");
            items("element", "tile of " + Compact.TILE + " element", 64L << 10, 1L << 20, 16L << 20);
            parameters(TYPE, COMPARISON, CONSTANT);
            reads("elements", TYPE, "what is compared and kept or not");
            writes("the elements kept, of their type");
            tunes("compact", items -> items, Distribution.UNIFORM, Distribution.SORTED);
        }

        private static Number constant(PreparedWorkload setup) {
            String text = setup.get(CONSTANT);
            ElementType type = setup.get(TYPE);
            if (text.equals(MIDDLE)) {
                return switch (type) {
                    case FLOAT -> (Number) 0.5f;
                    case UINT -> (Number) (1L << 31);
                    default -> (Number) 0;
                };
            }
            try {
                return type == ElementType.FLOAT
                        ? (Number) Float.valueOf(text)
                        : (Number) new BigDecimal(text).longValueExact();
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException("the constant " + text + " is no " + type.openClName(), e);
            }
        }

        @Override
        public void prepare(PreparedWorkload setup) {
            Comparison comparison = setup.get(COMPARISON);
            Number constant = constant(setup);
            HostBuffer in = setup.input(0);
            HostBuffer out = setup.output(in.type(), in.elements());
            HostBuffer count = setup.count(ElementType.ULONG);
            int bytes = in.type().bytes();
            setup.job(Compact.valuesJob(Selection.where(comparison, constant), in, out, count, setup.tuning()))
                    .bytesPerItem(2.0 * bytes)
                    // All that goes in and what is kept, once: how often a device reads it in between depends on the
                    // form.
                    .bytesPerItemOf(run -> (1 + setup.counted() / (double) in.elements()) * bytes)
                    .result(() -> "kept " + setup.counted() + " of " + in.elements())
                    .check(() -> mismatch(kept(comparison, constant, in), in, out, setup.counted()));
        }

        private static @Nullable String mismatch(int[] indices, HostBuffer in, HostBuffer out, long kept) {
            return kept == indices.length
                    ? Differences.first("output", out, picked(in, indices))
                    : Long.toUnsignedString(kept) + " elements were kept, not " + indices.length;
        }

        private static int[] kept(Comparison comparison, Number constant, HostBuffer in) {
            return LongStream.of(CompactReference.indices(in.elements(), keeps(comparison, constant, in)))
                    .mapToInt(Math::toIntExact)
                    .toArray();
        }

        private static LongPredicate keeps(Comparison comparison, Number constant, HostBuffer in) {
            ByteBuffer values = in.bytes();
            double bound = constant.doubleValue();
            return switch (in.type()) {
                case FLOAT -> i -> holds(comparison, values.getFloat(4 * (int) i), constant.floatValue());
                case LONG -> i -> holds(comparison, Long.compare(values.getLong(8 * (int) i), constant.longValue()), 0);
                case INT -> i -> holds(comparison, values.getInt(4 * (int) i), bound);
                default -> i -> holds(comparison, (double) Integer.toUnsignedLong(values.getInt(4 * (int) i)), bound);
            };
        }

        private static boolean holds(Comparison comparison, double a, double b) {
            return switch (comparison) {
                case LESS -> a < b;
                case LESS_OR_EQUAL -> a <= b;
                case EQUAL -> a == b;
                case NOT_EQUAL -> a != b;
                case GREATER_OR_EQUAL -> a >= b;
                case GREATER -> a > b;
            };
        }
    }
}
