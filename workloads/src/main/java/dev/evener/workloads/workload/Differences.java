package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.jspecify.annotations.Nullable;

/** Finds where an output is not what a reference says. Stateless. */
public final class Differences {
    /** What no result is all made of. */
    private static final byte SPOILT = (byte) 0xa5;

    private Differences() {}

    /** What an element should be. */
    @FunctionalInterface
    public interface FloatAt {
        float at(int index);
    }

    /** Fills with what no job writes. */
    public static void spoil(HostBuffer buffer) {
        for (ByteBuffer segment : buffer.segments()) {
            for (int i = 0; i < segment.limit(); i++) {
                segment.put(i, SPOILT);
            }
        }
    }

    /** The first float that differs, in a sentence; null if none does. Bits count: 0 is not -0, but all NaNs are one. */
    public static @Nullable String floats(String name, FloatBuffer actual, FloatAt expected) {
        for (int i = 0; i < actual.capacity(); i++) {
            float value = expected.at(i);
            if (Float.floatToIntBits(actual.get(i)) != Float.floatToIntBits(value)) {
                return sentence(name, i, actual.get(i), value);
            }
        }
        return null;
    }

    /**
     * The first element that differs, in a sentence; null if none does. Bits count: 0 is not -0, but all NaNs are one.
     *
     * @param expected an array of as many primitive values as count, of the buffer's width
     */
    public static @Nullable String first(String name, HostBuffer actual, Object expected) {
        ByteBuffer got = actual.bytes();
        int at;
        if (expected instanceof int[] ints) {
            at = got.asIntBuffer().limit(ints.length).mismatch(IntBuffer.wrap(ints));
        } else if (expected instanceof float[] floats) {
            return floats(name, got.asFloatBuffer().limit(floats.length).slice(), i -> floats[i]);
        } else if (expected instanceof byte[] bytes) {
            at = got.limit(bytes.length).mismatch(ByteBuffer.wrap(bytes));
        } else if (expected instanceof short[] shorts) {
            at = got.asShortBuffer().limit(shorts.length).mismatch(ShortBuffer.wrap(shorts));
        } else if (expected instanceof long[] longs) {
            at = got.asLongBuffer().limit(longs.length).mismatch(LongBuffer.wrap(longs));
        } else {
            throw new IllegalArgumentException("no array of values: " + expected);
        }
        return at < 0 ? null : sentence(name, at, element(got, actual.type(), at), text(expected, actual.type(), at));
    }

    /** The same, all of {@code expected} being the first bytes that the buffer should hold. */
    public static @Nullable String first(String name, HostBuffer actual, ByteBuffer expected) {
        ByteBuffer got = actual.bytes();
        int at = got.limit(expected.limit()).mismatch(expected);
        if (at < 0) {
            return null;
        }
        int index = at / actual.type().bytes();
        return sentence(name, index, element(got, actual.type(), index), element(expected, actual.type(), index));
    }

    private static String text(Object array, ElementType type, int index) {
        ByteBuffer one = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        one.putLong(0, ((Number) Array.get(array, index)).longValue());
        return element(one, type, 0);
    }

    /** That a 32-bit integer is not what it should be. */
    public static String sentence(String name, ElementType type, long index, int actual, int expected) {
        return type == ElementType.UINT
                ? sentence(name, index, Integer.toUnsignedString(actual), Integer.toUnsignedString(expected))
                : sentence(name, index, actual, expected);
    }

    private static String sentence(String name, long index, Object actual, Object expected) {
        return name + "[" + index + "] is " + actual + ", not " + expected;
    }

    /** An element as people read it. */
    public static String element(ByteBuffer values, ElementType type, int index) {
        int at = index * type.bytes();
        return switch (type) {
            case BYTE -> Byte.toString(values.get(at));
            case UBYTE -> Integer.toString(Byte.toUnsignedInt(values.get(at)));
            case SHORT -> Short.toString(values.getShort(at));
            case USHORT -> Integer.toString(Short.toUnsignedInt(values.getShort(at)));
            case INT -> Integer.toString(values.getInt(at));
            case UINT -> Integer.toUnsignedString(values.getInt(at));
            case LONG -> Long.toString(values.getLong(at));
            case ULONG -> Long.toUnsignedString(values.getLong(at));
            case FLOAT -> Float.toString(values.getFloat(at));
            case DOUBLE -> Double.toString(values.getDouble(at));
        };
    }
}
