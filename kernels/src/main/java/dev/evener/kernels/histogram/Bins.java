package dev.evener.kernels.histogram;

import java.io.Serializable;
import java.util.Arrays;

/**
 * Where the bins of a {@link Histogram} begin and end: 1 to 65,536 of them, one behind the other, each holding its lower
 * edge and not its upper. Elements below the first or not below the end of the last are not counted, and neither is NaN.
 */
public sealed interface Bins extends Serializable {
    /** The most bins there may be. */
    int MOST = 65_536;

    /** How many there are. */
    int count();

    /**
     * Equal parts of {@code [low, high)}: {@code v} is counted in bin {@code floor((v - low) * count / (high - low))},
     * computed exactly. Where integers do not divide evenly, some bins hold one value more than others, and where there are
     * more bins than integers, some hold none. May be used over floats too if they can hold both bounds.
     *
     * @param count bins, 1 to 65,536
     * @param low at least -2^31, and 0 for bins of unsigned data
     * @param high more than {@code low}, at most 2^32, and 2^31 for bins of {@code INT} data
     * @throws IllegalArgumentException if one is out of range
     */
    static Bins even(int count, long low, long high) {
        return new EvenIntegers(count, low, high);
    }

    /**
     * Equal parts of {@code [low, high)} for floats: {@code v} is counted in bin {@code floor((v - low) * count / (high -
     * low))} as real numbers have it, not as rounded.
     *
     * @param count bins, 1 to 65,536
     * @param low finite
     * @param high finite, more than {@code low}
     * @throws IllegalArgumentException if one is out of range
     */
    static Bins even(int count, float low, float high) {
        return new EvenFloats(count, low, high);
    }

    /**
     * Bins between integers: bin {@code i} holds {@code [edges[i], edges[i + 1])}; none at all if the two are equal. May be
     * used over floats too if they can hold all edges.
     *
     * @param edges 2 to 65,537, each at least the one before, from 0 to 2^32, or from -2^31 to 2^31 for {@code INT} data
     * @throws IllegalArgumentException if they are not
     */
    static Bins edges(long... edges) {
        return new IntegerEdges(edges.clone());
    }

    /**
     * Bins between floats: bin {@code i} holds {@code [edges[i], edges[i + 1])}; none at all if the two are equal. -0 and +0
     * are one number.
     *
     * @param edges 2 to 65,537, each at least the one before; the first may be minus infinity, the last infinity
     * @throws IllegalArgumentException if they are not
     */
    static Bins edges(float... edges) {
        return new FloatEdges(edges.clone());
    }

    /** Equal parts of a range of integers. */
    record EvenIntegers(int count, long low, long high) implements Bins {
        public EvenIntegers {
            checkCount(count);
            if (high <= low) {
                throw new IllegalArgumentException(
                        "histogram: the range [" + low + ", " + high + ") is none; low must be less than high");
            } else if (!isBound(low) || !isBound(high)) {
                throw new IllegalArgumentException(
                        "histogram: the range [" + low + ", " + high + ") is not within [-2147483648, 4294967296]");
            }
        }
    }

    /** Equal parts of a range of floats. */
    record EvenFloats(int count, float low, float high) implements Bins {
        public EvenFloats {
            checkCount(count);
            if (!(low < high) || Float.isInfinite(low) || Float.isInfinite(high)) {
                throw new IllegalArgumentException("histogram: the range [" + low + ", " + high
                        + ") is none; low must be less than high, both finite");
            }
        }
    }

    /** Edges between integers; the array must not be written to. */
    @SuppressWarnings("ArrayRecordComponent") // compared by content, below
    record IntegerEdges(long[] values) implements Bins {
        public IntegerEdges {
            checkCount(values.length - 1);
            for (int i = 0; i < values.length; i++) {
                if (!isBound(values[i])) {
                    throw new IllegalArgumentException(
                            "histogram: edge " + i + " is " + values[i] + ", not within [-2147483648, 4294967296]");
                }
                if (i > 0 && values[i] < values[i - 1]) {
                    throw new IllegalArgumentException("histogram: edge " + i + " is " + values[i]
                            + ", less than the one before, " + values[i - 1]);
                }
            }
        }

        @Override
        public int count() {
            return values.length - 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof IntegerEdges e && Arrays.equals(values, e.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }

        @Override
        public String toString() {
            return count() + " bins between integers";
        }
    }

    /** Edges between floats; the array must not be written to. */
    @SuppressWarnings("ArrayRecordComponent") // compared by content, below
    record FloatEdges(float[] values) implements Bins {
        public FloatEdges {
            checkCount(values.length - 1);
            for (int i = 0; i < values.length; i++) {
                if (Float.isNaN(values[i])) {
                    throw new IllegalArgumentException("histogram: edge " + i + " is not a number");
                }
                if (i > 0 && values[i] < values[i - 1]) {
                    throw new IllegalArgumentException("histogram: edge " + i + " is " + values[i]
                            + ", less than the one before, " + values[i - 1]);
                }
            }
        }

        @Override
        public int count() {
            return values.length - 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof FloatEdges e && Arrays.equals(values, e.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }

        @Override
        public String toString() {
            return count() + " bins between floats";
        }
    }

    /** Whether some integers of 32 bits, signed or not, may end there. */
    private static boolean isBound(long value) {
        return value >= -1L << 31 && value <= 1L << 32;
    }

    private static void checkCount(int count) {
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException("histogram: " + count + " bins; there may be 1 to " + MOST);
        }
    }
}
