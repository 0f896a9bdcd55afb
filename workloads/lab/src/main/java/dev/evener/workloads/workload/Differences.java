package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.reference.ResultComparison;
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

    /** Fills with what no job writes. */
    public static void spoil(HostBuffer buffer) {
        for (ByteBuffer segment : buffer.segments()) {
            for (int i = 0; i < segment.limit(); i++) {
                segment.put(i, SPOILT);
            }
        }
    }

    /**
     * The first element that differs, in a sentence; null if none does. Bits count: 0 is not -0, but all NaNs are one.
     *
     * @param expected an array of as many primitive values as count, of the buffer's width; or a {@link ByteBuffer} of its first
     *     bytes, in native order
     */
    public static @Nullable String first(String name, HostBuffer actual, Object expected) {
        ByteBuffer got = actual.bytes();
        int at;
        if (expected instanceof int[] ints) {
            at = got.asIntBuffer().limit(ints.length).mismatch(IntBuffer.wrap(ints));
        } else if (expected instanceof float[] floats) {
            at = ResultComparison.firstDifference(got.asFloatBuffer(), FloatBuffer.wrap(floats), 0);
        } else if (expected instanceof byte[] bytes) {
            at = got.limit(bytes.length).mismatch(ByteBuffer.wrap(bytes));
        } else if (expected instanceof short[] shorts) {
            at = got.asShortBuffer().limit(shorts.length).mismatch(ShortBuffer.wrap(shorts));
        } else if (expected instanceof long[] longs) {
            at = got.asLongBuffer().limit(longs.length).mismatch(LongBuffer.wrap(longs));
        } else if (expected instanceof ByteBuffer bytes) {
            return first(name, actual, bytes, 0);
        } else {
            throw new IllegalArgumentException("no array of values: " + expected);
        }
        return at < 0 ? null : sentence(name, at, element(got, actual.type(), at), text(expected, actual.type(), at));
    }

    /**
     * The same, within a tolerance as {@link ResultComparison#firstDifference} has it; integers are compared exactly.
     *
     * @param expected the buffer's first bytes, from 0 to its limit, in native order
     */
    public static @Nullable String first(String name, HostBuffer actual, ByteBuffer expected, double tolerance) {
        ByteBuffer got = actual.bytes();
        ElementType type = actual.type();
        int at = switch (type) {
            case FLOAT -> ResultComparison.firstDifference(got.asFloatBuffer(), expected.asFloatBuffer(), tolerance);
            case DOUBLE -> ResultComparison.firstDifference(got.asDoubleBuffer(), expected.asDoubleBuffer(), tolerance);
            default -> Math.floorDiv(got.limit(expected.limit()).mismatch(expected), type.bytes());
        };
        return at < 0
                ? null
                : sentence(name, at, element(got, type, at), element(expected, type, at))
                        + (tolerance > 0 && type.isFloating() ? " within " + tolerance : "");
    }

    private static String text(Object array, ElementType type, int index) {
        if (array instanceof float[] floats) {
            return Float.toString(floats[index]);
        }
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
