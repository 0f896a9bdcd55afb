package dev.evener.kernels.histogram;

import dev.evener.ElementType;
import java.math.BigInteger;

/**
 * How the elements of one type find their bins, and the numbers that the kernel does it with; see {@code histogram.cl}.
 *
 * @param way the build option
 * @param counted bins that devices count: {@code bins}, or one for each value if the host sums them up afterwards
 * @param edges keys of lower edges, or one 0
 * @param low the value or key of the first element inside
 * @param last what it may exceed that by
 * @param range values in the range
 * @param multiplier of {@code SCALED} and {@code DIVIDED}
 * @param shift that goes with it
 * @param origin where float arithmetic of {@code GUESS} begins
 * @param scale its bins per unit
 * @param none true if no element can be inside
 */
@SuppressWarnings("ArrayRecordComponent") // handed on to a kernel, never compared
record Method(
        Way way,
        int counted,
        int[] edges,
        int low,
        int last,
        long range,
        long multiplier,
        int shift,
        float origin,
        float scale,
        boolean none) {
    private static final long VALUES = 1L << 32;

    /** The build options there are. */
    enum Way {
        RAW,
        SCALED,
        DIVIDED,
        SEARCH,
        GUESS
    }

    /**
     * The way for these bins.
     *
     * @throws IllegalArgumentException if elements of this type have none, or not with these bins
     */
    static Method of(ElementType type, Bins bins) {
        return switch (type) {
            case UBYTE, USHORT, UINT, INT -> {
                if (bins instanceof Bins.EvenIntegers even) {
                    requireWithin(type, even.low(), even.high());
                    yield type == ElementType.UBYTE ? raw(256) : even(even);
                }
                if (bins instanceof Bins.IntegerEdges given) {
                    requireWithin(type, given.values()[0], given.values()[given.count()]);
                    yield type.bytes() == Integer.BYTES
                            ? search(given, type == ElementType.INT)
                            : raw(type == ElementType.UBYTE ? 256 : 65_536);
                }
                throw new IllegalArgumentException("histogram: bins of " + type.openClName()
                        + " data need integer bounds; give them as long, not float");
            }
            case FLOAT -> floats(bins);
            default ->
                throw new IllegalArgumentException(
                        "histogram: the data must be uchar, ushort, uint, int or float, not " + type.openClName());
        };
    }

    private static void requireWithin(ElementType type, long low, long high) {
        long least = type == ElementType.INT ? Integer.MIN_VALUE : 0;
        long most = least + VALUES;
        if (low < least || high > most) {
            throw new IllegalArgumentException("histogram: bins of " + type.openClName() + " data lie within [" + least
                    + ", " + most + "], not [" + low + ", " + high + "]");
        }
    }

    private static Method raw(int values) {
        return new Method(Way.RAW, values, new int[1], 0, -1, values, 0, 0, 0, 0, false);
    }

    private static Method even(Bins.EvenIntegers bins) {
        long range = bins.high() - bins.low();
        BigInteger two64 = BigInteger.ONE.shiftLeft(64);
        BigInteger wide = BigInteger.valueOf(range);
        // x * count / range = x * multiplier / 2^shift exactly, for all x < range, if the product fits 64 bits and what
        // the
        // multiplier is too large by adds less than the distance to the next multiple of 1 / range.
        for (int shift = 0; shift < Long.SIZE; shift++) {
            BigInteger power = BigInteger.valueOf(bins.count()).shiftLeft(shift);
            BigInteger multiplier = power.add(wide).subtract(BigInteger.ONE).divide(wide);
            BigInteger excess = multiplier.multiply(wide).subtract(power);
            BigInteger most = BigInteger.valueOf(range - 1);
            if (most.multiply(multiplier).compareTo(two64) < 0
                    && most.multiply(excess).compareTo(BigInteger.ONE.shiftLeft(shift)) < 0) {
                return integers(Way.SCALED, bins, multiplier.longValue(), shift);
            }
        }
        // One rounded down makes x * count / range too small by less than x / 2^shift. The shift is at least 47, as a
        // product
        // has 64 bits and a count 17.
        for (int shift = Long.SIZE - 1; ; shift--) {
            BigInteger multiplier =
                    BigInteger.valueOf(bins.count()).shiftLeft(shift).divide(wide);
            if (BigInteger.valueOf(range).multiply(multiplier).compareTo(two64) < 0) {
                return integers(Way.DIVIDED, bins, multiplier.longValue(), shift);
            }
        }
    }

    private static Method integers(Way way, Bins.EvenIntegers bins, long multiplier, int shift) {
        long range = bins.high() - bins.low();
        int low = (int) bins.low();
        int last = (int) (range - 1);
        return new Method(way, bins.count(), new int[1], low, last, range, multiplier, shift, 0, 0, false);
    }

    private static Method search(Bins.IntegerEdges bins, boolean signed) {
        long[] values = bins.values();
        long above = signed ? VALUES / 2 : VALUES; // every element; an edge there has no key
        int usable = 0;
        while (usable < bins.count() && values[usable] < above) {
            usable++;
        }
        int[] keys = new int[Math.max(1, usable)];
        for (int i = 0; i < usable; i++) {
            keys[i] = (int) values[i] ^ (signed ? 0 : Integer.MIN_VALUE);
        }
        return searched(Way.SEARCH, bins.count(), keys, values[bins.count()] - values[0], 0, 0);
    }

    /** @param span how many keys are inside, from the first edge on */
    private static Method searched(Way way, int count, int[] keys, long span, float origin, float scale) {
        return new Method(way, count, keys, keys[0], (int) (span - 1), 0, 0, 0, origin, scale, span <= 0);
    }

    private static Method floats(Bins bins) {
        if (bins instanceof Bins.EvenIntegers even) {
            return floats(Bins.even(even.count(), exact(even.low()), exact(even.high())));
        }
        if (bins instanceof Bins.IntegerEdges given) {
            float[] edges = new float[given.count() + 1];
            for (int i = 0; i < edges.length; i++) {
                edges[i] = exact(given.values()[i]);
            }
            return floats(Bins.edges(edges));
        }
        float[] edges = bins instanceof Bins.EvenFloats even ? FloatEdges.of(even) : ((Bins.FloatEdges) bins).values();
        int count = bins.count();
        int[] keys = new int[count];
        for (int i = 0; i < count; i++) {
            keys[i] = FloatEdges.key(edges[i]);
        }
        long span = (long) FloatEdges.key(edges[count]) - keys[0];
        if (bins instanceof Bins.EvenFloats even) {
            float width = even.high() - even.low();
            if (width >= 0x1p-100f && width <= 0x1p100f) { // else small or large numbers would spoil the guess
                return searched(Way.GUESS, count, keys, span, even.low(), count / width);
            }
        }
        return searched(Way.SEARCH, count, keys, span, 0, 0);
    }

    private static float exact(long bound) {
        float narrow = bound;
        if ((long) narrow != bound) {
            throw new IllegalArgumentException(
                    "histogram: a float cannot hold the bound " + bound + " exactly; give bounds as float");
        }
        return narrow;
    }

    /** Whether an element's bin is found by comparing it with several edges. */
    boolean searches() {
        return way == Way.SEARCH || way == Way.GUESS;
    }
}
