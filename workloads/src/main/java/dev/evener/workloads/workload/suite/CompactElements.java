package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.compact.Compact;
import dev.evener.kernels.compact.CompactReference;
import dev.evener.kernels.compact.Comparison;
import dev.evener.kernels.compact.Selection;
import dev.evener.workloads.workload.Differences;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.Setup;
import dev.evener.workloads.workload.Workload;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The elements that compare with a constant in some way, without gaps. */
final class CompactElements extends Workload {
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
    }

    private static Number constant(Setup setup) {
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
    public void prepare(Setup setup) {
        Comparison comparison = setup.get(COMPARISON);
        Number constant = constant(setup);
        HostBuffer in = setup.input(0);
        HostBuffer out = setup.output(in.type(), in.elements());
        HostBuffer count = setup.count(ElementType.ULONG);
        int bytes = in.type().bytes();
        setup.job(Compact.valuesJob(Selection.where(comparison, constant), in, out, count, setup.tuning()))
                .bytesPerItem(2.0 * bytes)
                // All that goes in and what is kept, once: how often a device reads it in between depends on the form.
                .bytesPerItemOf(run -> (1 + setup.counted() / (double) in.elements()) * bytes)
                .result(() -> "kept " + setup.counted() + " of " + in.elements())
                .check(() -> mismatch(keeps(comparison, constant, in), in, out, setup.counted()));
    }

    private static @Nullable String mismatch(LongPredicate keeps, HostBuffer in, HostBuffer out, long kept) {
        long[] indices = CompactReference.indices(in.elements(), keeps);
        if (kept != indices.length) {
            return Long.toUnsignedString(kept) + " elements were kept, not " + indices.length;
        }
        int bytes = in.type().bytes();
        ByteBuffer from = in.bytes();
        ByteBuffer expected = ByteBuffer.allocateDirect(indices.length * bytes).order(from.order());
        for (int i = 0; i < indices.length; i++) {
            expected.put(i * bytes, from, (int) indices[i] * bytes, bytes);
        }
        return Differences.first("output", out, expected);
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
