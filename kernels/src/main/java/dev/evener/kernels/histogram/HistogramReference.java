package dev.evener.kernels.histogram;

import dev.evener.ElementType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;

/** One element after another by the definition of {@link Bins}: what a {@link Histogram} is checked against. */
public final class HistogramReference {
    private HistogramReference() {}

    /**
     * Counts elements.
     *
     * @param type {@code UBYTE}, {@code USHORT}, {@code UINT} or {@code FLOAT}
     * @param data the elements, in native byte order, from index 0
     */
    public static long[] count(ElementType type, ByteBuffer data, long elements, Bins bins) {
        long[] counts = new long[bins.count()];
        for (int i = 0; i < elements; i++) {
            int bin = type == ElementType.FLOAT
                    ? bin(bins, data.getFloat(i * Float.BYTES))
                    : bin(
                            bins,
                            switch (type) {
                                case UBYTE -> data.get(i) & 0xff;
                                case USHORT -> data.getShort(i * Short.BYTES) & 0xffff;
                                case UINT -> data.getInt(i * Integer.BYTES) & 0xffffffffL;
                                default -> throw new IllegalArgumentException("no histogram of " + type);
                            });
            if (bin >= 0) {
                counts[bin]++;
            }
        }
        return counts;
    }

    /** The bin of an integer, or -1. */
    static int bin(Bins bins, long value) {
        if (bins instanceof Bins.EvenIntegers even) {
            if (value < even.low() || value >= even.high()) {
                return -1;
            }
            return BigInteger.valueOf(value - even.low())
                    .multiply(BigInteger.valueOf(even.count()))
                    .divide(BigInteger.valueOf(even.high() - even.low()))
                    .intValue();
        }
        long[] edges = ((Bins.IntegerEdges) bins).values();
        for (int i = 0; i + 1 < edges.length; i++) {
            if (value >= edges[i] && value < edges[i + 1]) {
                return i;
            }
        }
        return -1;
    }

    /** The bin of a float, or -1. */
    static int bin(Bins bins, float value) {
        if (Float.isNaN(value)) {
            return -1;
        }
        if (bins instanceof Bins.FloatEdges given) {
            float[] edges = given.values();
            for (int i = 0; i + 1 < edges.length; i++) {
                if (value >= edges[i] && value < edges[i + 1]) {
                    return i;
                }
            }
            return -1;
        }
        if (Float.isInfinite(value)) {
            return -1;
        }
        if (bins instanceof Bins.EvenFloats even) {
            return even(value, even.count(), new BigDecimal(even.low()), new BigDecimal(even.high()));
        }
        if (bins instanceof Bins.EvenIntegers even) {
            return even(value, even.count(), new BigDecimal(even.low()), new BigDecimal(even.high()));
        }
        long[] edges = ((Bins.IntegerEdges) bins).values();
        for (int i = 0; i + 1 < edges.length; i++) {
            if (value >= (double) edges[i] && value < (double) edges[i + 1]) {
                return i;
            }
        }
        return -1;
    }

    private static int even(float value, int count, BigDecimal low, BigDecimal high) {
        BigDecimal exact = new BigDecimal(value);
        if (exact.compareTo(low) < 0 || exact.compareTo(high) >= 0) {
            return -1;
        }
        return exact.subtract(low)
                .multiply(BigDecimal.valueOf(count))
                .divideToIntegralValue(high.subtract(low))
                .intValue();
    }
}
