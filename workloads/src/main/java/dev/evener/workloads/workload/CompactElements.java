package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.Report;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.CompactReference;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The elements that compare with a constant in some way, without gaps. */
final class CompactElements implements Workload {
    private static final String MIDDLE = "middle";

    private static final Parameter<ElementType> TYPE =
            ElementTypes.parameter(ElementType.UINT, ElementType.INT, ElementType.LONG, ElementType.FLOAT);
    private static final Parameter<Comparison> COMPARISON =
            Parameter.choice("comparison", "how an element that is kept stands to the constant", Comparison.LESS);
    private static final Parameter<String> CONSTANT = Parameter.text(
            "constant",
            MIDDLE,
            "a number of the elements' type, or " + MIDDLE,
            "what elements are compared with; by default the middle of what is made up",
            text -> text.equals(MIDDLE) ? MIDDLE : new BigDecimal(text).toPlainString());

    @Override
    public About about() {
        return new About(
                "compact",
                "the elements that satisfy a condition, in order and without gaps",
                "element",
                "tile of " + Compact.TILE + " element",
                "the elements kept, of their type",
                List.of(64L << 10, 1L << 20, 16L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(TYPE, COMPARISON, CONSTANT);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(Input.of("elements", values.get(TYPE), "what is compared and kept or not"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.most(values.get(TYPE));
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        return HostBuffers.ownedBy(evener, buffers -> new Prepared(buffers, request));
    }

    private static Number constant(Request request) {
        String text = request.get(CONSTANT);
        ElementType type = request.get(TYPE);
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

    private static final class Prepared extends PreparedData {
        private final Comparison comparison;
        private final Number constant;
        private final HostBuffer in;
        private final HostBuffer out;
        private final HostBuffer count;
        private final Job job;

        Prepared(HostBuffers buffers, Request request) {
            super(buffers, request);
            comparison = request.get(COMPARISON);
            constant = constant(request);
            in = input(0, request.items());
            out = allocate(in.type(), in.elements());
            count = allocate(ElementType.ULONG, 1);
            job = Compact.valuesJob(Selection.where(comparison, constant), in, out, count, request.tuning());
        }

        @Override
        public long items() {
            return in.elements();
        }

        @Override
        public double bytesPerItem() {
            return 2.0 * in.type().bytes();
        }

        /** All that goes in and what is kept, once: how often a device reads it in between depends on the form. */
        @Override
        public double bytesPerItem(Report run) {
            return (1 + kept() / (double) in.elements()) * in.type().bytes();
        }

        @Override
        public Job job() {
            return job;
        }

        @Override
        public void reset() {
            Differences.spoil(out);
            Differences.spoil(count);
        }

        private long kept() {
            return count.bytes().getLong(0);
        }

        @Override
        public @Nullable String mismatch() {
            long[] indices = CompactReference.indices(in.elements(), keeps());
            if (kept() != indices.length) {
                return Long.toUnsignedString(kept()) + " elements were kept, not " + indices.length;
            }
            int bytes = in.type().bytes();
            ByteBuffer from = in.bytes();
            ByteBuffer expected =
                    ByteBuffer.allocateDirect(indices.length * bytes).order(from.order());
            for (int i = 0; i < indices.length; i++) {
                expected.put(i * bytes, from, (int) indices[i] * bytes, bytes);
            }
            return Differences.first("output", out, expected);
        }

        private LongPredicate keeps() {
            ByteBuffer values = in.bytes();
            return switch (in.type()) {
                case FLOAT -> i -> holds(values.getFloat(4 * (int) i), constant.floatValue());
                case LONG -> i -> holds(Long.compare(values.getLong(8 * (int) i), constant.longValue()), 0);
                case INT -> i -> holds(values.getInt(4 * (int) i), constant.doubleValue());
                default ->
                    i -> holds((double) Integer.toUnsignedLong(values.getInt(4 * (int) i)), constant.doubleValue());
            };
        }

        private boolean holds(double a, double b) {
            return switch (comparison) {
                case LESS -> a < b;
                case LESS_OR_EQUAL -> a <= b;
                case EQUAL -> a == b;
                case NOT_EQUAL -> a != b;
                case GREATER_OR_EQUAL -> a >= b;
                case GREATER -> a > b;
            };
        }

        @Override
        public String result() {
            return "kept " + kept() + " of " + in.elements();
        }

        @Override
        public Output output() {
            return Output.of(out, this::kept);
        }
    }
}
