package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.jspecify.annotations.Nullable;

/** Finds where an output is not what a reference says. Stateless. */
final class Differences {
    /** What no result is all made of. */
    private static final byte SPOILT = (byte) 0xa5;

    private Differences() {}

    /** What an element should be. */
    @FunctionalInterface
    interface FloatAt {
        float at(int index);
    }

    /** Fills with what no job writes. */
    static void spoil(HostBuffer buffer) {
        for (ByteBuffer segment : buffer.segments()) {
            for (int i = 0; i < segment.limit(); i++) {
                segment.put(i, SPOILT);
            }
        }
    }

    /** The first float that differs, in a sentence; null if none does. Bits count: 0 is not -0, but all NaNs are one. */
    static @Nullable String floats(String name, FloatBuffer actual, FloatAt expected) {
        for (int i = 0; i < actual.capacity(); i++) {
            float value = expected.at(i);
            if (Float.floatToIntBits(actual.get(i)) != Float.floatToIntBits(value)) {
                return sentence(name, i, actual.get(i), value);
            }
        }
        return null;
    }

    /**
     * The first element in which two buffers of one type differ, in a sentence; null if none does.
     *
     * @param count elements that count
     */
    static @Nullable String first(String name, HostBuffer actual, ByteBuffer expected, long count) {
        ElementType type = actual.type();
        ByteBuffer got = actual.bytes();
        ByteBuffer wanted = expected.duplicate().order(got.order());
        int bytes = Math.toIntExact(count * type.bytes());
        int at = got.limit(bytes).mismatch(wanted.position(0).limit(bytes));
        if (at < 0) {
            return null;
        }
        int index = at / type.bytes();
        return sentence(name, index, element(got, type, index), element(wanted, type, index));
    }

    private static String sentence(String name, long index, Object actual, Object expected) {
        return name + "[" + index + "] is " + actual + ", not " + expected;
    }

    /** An element as people read it. */
    static String element(ByteBuffer values, ElementType type, int index) {
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
