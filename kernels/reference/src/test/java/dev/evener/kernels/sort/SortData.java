package dev.evener.kernels.sort;

import dev.evener.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Keys to sort, of several kinds. */
enum SortData {
    UNIFORM,
    CONSTANT,
    SORTED,
    REVERSED,
    SKEWED,
    LOW_BITS,
    HIGH_BITS,
    AROUND_ZERO,
    SPECIAL;

    private static final double[] SPECIALS = {
        0.0,
        -0.0,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        1,
        -1,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        Double.MIN_VALUE,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        Double.MAX_VALUE,
        Float.MIN_NORMAL
    };

    /** So many keys of a type, the same at every call. */
    ByteBuffer keys(ElementType type, int n) {
        ByteBuffer keys = ByteBuffer.allocate(n * type.bytes()).order(ByteOrder.nativeOrder());
        Random random = new Random(n + 31L * name().hashCode());
        for (int i = 0; i < n; i++) {
            if (type.isFloating() && this != UNIFORM && this != LOW_BITS && this != HIGH_BITS) {
                putNumber(keys, type, i, number(random, i, n));
            } else {
                putBits(keys, type, i, bits(random, i, n, type.bytes() * Byte.SIZE));
            }
        }
        return keys;
    }

    private double number(Random random, int i, int n) {
        return switch (this) {
            case CONSTANT -> -2.5;
            case SORTED -> i - n / 2.0;
            case REVERSED -> n / 2.0 - i;
            case SKEWED -> random.nextInt(10) > 0 ? 0.1 : random.nextGaussian();
            case SPECIAL ->
                random.nextInt(40) == 0
                        ? Double.longBitsToDouble(0xFFF8000000000000L | random.nextInt(100)) // NaNs with a sign bit
                        : SPECIALS[random.nextInt(SPECIALS.length)];
            default -> random.nextGaussian();
        };
    }

    private long bits(Random random, int i, int n, int width) {
        long any = random.nextLong();
        return switch (this) {
            case UNIFORM -> any;
            case CONSTANT -> 0x1234567887654321L;
            case SORTED -> i;
            case REVERSED -> n - i;
            case SKEWED -> random.nextInt(10) > 0 ? 0x40302010L : any;
            case LOW_BITS -> 0x5A5A5A5A5A5A5000L | (any & 0xFFF);
            case HIGH_BITS -> any << (width - 12);
            case AROUND_ZERO -> any % 1000;
            case SPECIAL ->
                new long[] {0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE}
                        [random.nextInt(7)];
        };
    }

    private static void putNumber(ByteBuffer keys, ElementType type, int i, double value) {
        if (type == ElementType.FLOAT) {
            keys.putFloat(4 * i, (float) value);
        } else {
            keys.putDouble(8 * i, value);
        }
    }

    private static void putBits(ByteBuffer keys, ElementType type, int i, long bits) {
        if (type.bytes() == 4) {
            keys.putInt(4 * i, (int) bits);
        } else {
            keys.putLong(8 * i, bits);
        }
    }
}
