package dev.evener.kernels.reference;

import dev.evener.ElementType;
import dev.evener.kernels.histogram.Bins;
import dev.evener.kernels.histogram.Histogram;
import java.math.BigDecimal;
import java.nio.ByteBuffer;

/** One element after another by the definition of {@link Bins}: what a {@link Histogram} is checked against. */
public final class HistogramReference {
    private HistogramReference() {}

    /**
     * Counts elements.
     *
     * @param type {@code UBYTE}, {@code USHORT}, {@code UINT}, {@code INT} or {@code FLOAT}
     * @param data the elements, in native byte order, from index 0
     */
    public static long[] count(ElementType type, ByteBuffer data, long elements, Bins bins) {
        long[] counts = new long[bins.count()];
        for (int i = 0; i < elements; i++) {
            double value = switch (type) {
                case UBYTE -> data.get(i) & 0xff;
                case USHORT -> data.getShort(i * Short.BYTES) & 0xffff;
                case UINT -> data.getInt(i * Integer.BYTES) & 0xffffffffL;
                case INT -> data.getInt(i * Integer.BYTES);
                case FLOAT -> data.getFloat(i * Float.BYTES);
                default -> throw new IllegalArgumentException("no histogram of " + type);
            };
            int bin = bin(bins, value);
            if (bin >= 0) {
                counts[bin]++;
            }
        }
        return counts;
    }

    /** The bin of a float or of an integer of 32 bits, or -1. */
    public static int bin(Bins bins, double value) {
        if (bins instanceof Bins.EvenFloats even) {
            return even(value, even.count(), even.low(), even.high());
        }
        if (bins instanceof Bins.EvenIntegers even) {
            return even(value, even.count(), (double) even.low(), (double) even.high());
        }
        for (int i = 0; i < bins.count(); i++) {
            if (value >= edge(bins, i) && value < edge(bins, i + 1)) {
                return i;
            }
        }
        return -1;
    }

    private static double edge(Bins bins, int i) {
        return bins instanceof Bins.FloatEdges floats ? floats.values()[i] : ((Bins.IntegerEdges) bins).values()[i];
    }

    /** Value and ends are exact. The quotient is off by four roundings at most: only where that may matter is it found exactly. */
    private static int even(double value, int count, double low, double high) {
        if (!(value >= low && value < high)) {
            return -1;
        }
        double bin = (value - low) * count / (high - low);
        int least = (int) (bin * (1 - 0x1p-50));
        if (least == (int) (bin * (1 + 0x1p-50)) && least < count - 1) {
            return least;
        }
        BigDecimal from = new BigDecimal(low);
        return new BigDecimal(value)
                .subtract(from)
                .multiply(BigDecimal.valueOf(count))
                .divideToIntegralValue(new BigDecimal(high).subtract(from))
                .intValue();
    }
}
