package dev.evener.kernels.scan;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.util.Arrays;
import java.util.Random;

/** Inputs for scans, as arrays of the type that fits the elements. */
enum Data {
    UNIFORM,
    CONSTANT,
    SORTED,
    /** Nine of ten elements are one value. */
    SKEWED,
    /** Floats: every bit pattern but denormal ones, so many NaN and infinities; the others as {@link #UNIFORM}. */
    SPECIAL;

    Object make(ElementType type, int count, long seed) {
        Random random = new Random(seed);
        long[] bits = new long[count];
        for (int i = 0; i < count; i++) {
            bits[i] = switch (this) {
                case UNIFORM, SORTED, SPECIAL -> random.nextLong();
                case CONSTANT -> 0x4040404040404040L;
                case SKEWED -> random.nextInt(10) == 0 ? random.nextLong() : 7;
            };
        }
        if (this == SORTED) {
            Arrays.sort(bits);
        }
        return switch (type) {
            case LONG -> bits;
            case FLOAT -> floats(bits);
            default -> ints(bits);
        };
    }

    private static int[] ints(long[] bits) {
        int[] ints = new int[bits.length];
        for (int i = 0; i < bits.length; i++) {
            ints[i] = (int) (bits[i] >> 32);
        }
        return ints;
    }

    private float[] floats(long[] bits) {
        float[] floats = new float[bits.length];
        for (int i = 0; i < bits.length; i++) {
            if (this == SPECIAL) {
                floats[i] = special((int) (bits[i] >>> 32), i);
            } else {
                floats[i] = (float) ((bits[i] >> 40) * 0x1p-12); // of both signs
            }
        }
        return floats;
    }

    /** Plain numbers of a wide range at first, then zeros of both signs and infinities, and NaN late. */
    private static float special(int bits, int i) {
        return switch (i % 97) {
            case 3 -> -0.0f;
            case 5 -> 0.0f;
            case 96 -> i > 6000 ? Float.intBitsToFloat(bits | 0x7f800001) : 1;
            case 95 -> i > 4000 ? Float.POSITIVE_INFINITY : -1;
            case 94 -> i > 5000 ? Float.NEGATIVE_INFINITY : -1;
            default -> Float.intBitsToFloat((bits & 0x8fffffff) | 0x30000000);
        };
    }

    static void fill(HostBuffer buffer, Object data) {
        if (data instanceof long[] longs) {
            buffer.bytes().asLongBuffer().put(longs);
        } else if (data instanceof int[] ints) {
            buffer.ints().put(ints);
        } else {
            buffer.floats().put((float[]) data);
        }
    }

    /** The content of a buffer: floats as their bits, so that what is equal is the same. */
    static Object content(HostBuffer buffer) {
        int count = (int) buffer.elements();
        if (buffer.type() == ElementType.LONG) {
            long[] longs = new long[count];
            buffer.bytes().asLongBuffer().get(longs);
            return longs;
        }
        int[] ints = new int[count];
        buffer.ints().get(ints);
        return ints;
    }

    /** The bits of floats; all else as it is. */
    static Object bits(Object data) {
        if (!(data instanceof float[] floats)) {
            return data;
        }
        int[] ints = new int[floats.length];
        for (int i = 0; i < floats.length; i++) {
            ints[i] = Float.floatToRawIntBits(floats[i]);
        }
        return ints;
    }

    static int length(Object data) {
        return data instanceof long[] longs
                ? longs.length
                : data instanceof int[] ints ? ints.length : ((float[]) data).length;
    }
}
