package dev.evener.kernels.reference;

import dev.evener.kernels.reduce.Operation;
import dev.evener.kernels.reduce.Reduce;
import java.math.BigDecimal;
import java.math.BigInteger;

/** Plain loops from the first element to the last: what a {@link Reduce} is checked against. Stateless; any thread. */
public final class ReduceReference {
    private ReduceReference() {}

    /**
     * The result over integers.
     *
     * @param values the elements, those of an unsigned type as the numbers they are
     * @return exactly, not cut to the type's width; of an index, the index
     */
    public static BigInteger of(Operation operation, long[] values) {
        if (operation == Operation.SUM || operation == Operation.WIDE_SUM) {
            BigInteger sum = BigInteger.ZERO;
            for (long value : values) {
                sum = sum.add(BigInteger.valueOf(value));
            }
            return sum;
        }
        int best = -1;
        boolean least = operation == Operation.MIN || operation == Operation.ARG_MIN;
        for (int i = 0; i < values.length; i++) {
            if (best < 0 || (least ? values[i] < values[best] : values[i] > values[best])) {
                best = i;
            }
        }
        if (operation == Operation.MIN || operation == Operation.MAX) {
            if (best < 0) {
                throw new IllegalArgumentException("nothing has no " + operation);
            }
            return BigInteger.valueOf(values[best]);
        }
        return BigInteger.valueOf(best);
    }

    /** The least or greatest of floats, as {@link Math#min(float, float)} and {@link Math#max(float, float)} have it. */
    public static float extreme(Operation operation, float[] values) {
        boolean least = operation == Operation.MIN;
        float result = least ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY;
        for (float value : values) {
            result = least ? Math.min(result, value) : Math.max(result, value);
        }
        return result;
    }

    /** The first index of the least or greatest of floats, or of the first NaN; -1 of nothing. */
    public static long index(Operation operation, float[] values) {
        int best = -1;
        for (int i = 0; i < values.length; i++) {
            if (Float.isNaN(values[i])) {
                return i;
            }
            int order = best < 0 ? 1 : Float.compare(values[i], values[best]);
            if (best < 0 || (operation == Operation.ARG_MIN ? order < 0 : order > 0)) {
                best = i;
            }
        }
        return best;
    }

    /**
     * The sum of floats: exact, if all are finite, and then rounded to double.
     *
     * @return NaN or an infinity if the elements' sum is
     */
    public static double sum(float[] values) {
        double special = 0;
        BigDecimal sum = BigDecimal.ZERO;
        for (float value : values) {
            if (Float.isNaN(value) || Float.isInfinite(value)) {
                special += value;
            } else {
                sum = sum.add(new BigDecimal(value));
            }
        }
        return special == 0 ? sum.doubleValue() : special;
    }

    /** The sum of the elements' magnitudes, which bounds the rounding error of any order of addition. */
    public static double magnitude(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += Math.abs(value);
        }
        return sum;
    }
}
