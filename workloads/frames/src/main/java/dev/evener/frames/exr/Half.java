package dev.evener.frames.exr;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.DoubleUnaryOperator;

/** Numbers of 16 bits as IEEE 754 has them, which Java has only from 20 on, and little-endian numbers in arrays. */
public final class Half {
    static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** A table: the multiplication, which gives exponents 112 more, takes long where a half has no leading one. */
    private static final float[] FLOATS = new float[1 << 16];

    static {
        for (int bits = 0; bits < FLOATS.length; bits++) {
            int finite = (bits & 0x7fff) << 13;
            float value = Float.intBitsToFloat(finite) * 0x1p112f;
            int magnitude = (bits & 0x7c00) == 0x7c00 ? finite | 0x7f800000 : Float.floatToRawIntBits(value);
            FLOATS[bits] = Float.intBitsToFloat(magnitude | ((bits & 0x8000) << 16));
        }
    }

    private Half() {}

    /** The float of the bits of a half; others above them do not count. */
    public static float toFloat(int bits) {
        return FLOATS[bits & 0xffff];
    }

    /** The bits of the half nearest to it; of two, of the even one. */
    static int bits(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = (bits >>> 16) & 0x8000;
        int magnitude = bits & 0x7fffffff;
        if (magnitude >= 0x38800000 && magnitude < 0x47800000) { // 2^-14 to 2^16
            return sign | ((magnitude - (112 << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13);
        }
        if (magnitude < 0x38800000) {
            // The last place of floats of 0.5 to 1 is that of halves without a leading one: the addition rounds.
            return sign | (Float.floatToRawIntBits(Float.intBitsToFloat(magnitude) + 0.5f) - 0x3f000000);
        }
        return sign | 0x7c00 | (magnitude > 0x7f800000 ? Math.max(1, (magnitude >> 13) & 0x3ff) : 0);
    }

    /** Of the bits of each half those of a function of it; of what is not finite 0. */
    static char[] table(DoubleUnaryOperator function) {
        char[] table = new char[1 << 16];
        for (int bits = 0; bits < table.length; bits++) {
            boolean finite = (bits & 0x7c00) != 0x7c00;
            table[bits] = finite ? (char) bits((float) function.applyAsDouble(toFloat(bits))) : 0;
        }
        return table;
    }

    /** What a half would keep of it. */
    static float rounded(float value) {
        return toFloat(bits(value));
    }
}
