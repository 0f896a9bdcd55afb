package dev.evener.kernels.tonemap;

/**
 * The arithmetic of {@code pixel.cl} and {@code colour.cl} in Java, operation for operation. The order of operations is
 * the contract: any change here is a change there. The package's page has what it approximates.
 */
final class PixelMath {
    private static final float TINY = 0x1p-100f;
    private static final float LARGEST = 0x1p40f;
    private static final float LOG2_E = 1.442695f;
    /** The float bits of the square root of 1/2: mantissas are taken in [sqrt(1/2), sqrt(2)). */
    private static final int HALF_ROOT_BITS = 0x3f3504f3;

    private PixelMath() {}

    /** A frame's row, sanitised. */
    static void sanitised(PixelCoding.Rows frame, int unit, float[] row) {
        frame.get(unit, row);
        for (int i = 0; i < row.length; i++) {
            row[i] = sanitise(row[i]);
        }
    }

    /** NaN becomes 0, what is beyond 2^40 on either side that. */
    static float limit(float c) {
        return Float.isNaN(c) ? 0 : Math.max(-LARGEST, Math.min(LARGEST, c));
    }

    /** NaN and what is not above -2^40 become 0, what is above 2^40 that. */
    static float sanitise(float c) {
        return c > -LARGEST ? c < LARGEST ? c : LARGEST : 0;
    }

    /** Rec. 709 luminance of a sanitised pixel. */
    static float luminance(float r, float g, float b) {
        float y = (0.2126f * r + 0.7152f * g) + 0.0722f * b;
        return y > TINY ? y : 0;
    }

    /** BT.2020's, of a pixel with its primaries. */
    static float wideLuminance(float r, float g, float b) {
        float y = (0.2627f * r + 0.678f * g) + 0.0593f * b;
        return y > TINY ? y : 0;
    }

    /** {@link FrameStatistics#STEPS} times the histogram bin of a sanitised pixel's luminance, plus its step. */
    static int place(float y) {
        int place = (Float.floatToRawIntBits(y) >> 17) - (((127 - 22) << 6) - FrameStatistics.STEPS);
        return Math.max(place, 0);
    }

    /** log2 of a normal positive number. */
    static float log2(float v) {
        int bits = Float.floatToRawIntBits(v);
        int exponent = (bits - HALF_ROOT_BITS) >> 23;
        float t = Float.intBitsToFloat(bits - (exponent << 23)) - 1.0f;
        return t * log2Polynomial(t) + (float) exponent;
    }

    /** log2(1 + t) / t. */
    static float log2Polynomial(float t) {
        float t2 = t * t;
        float low = (-0.7213523f * t + 1.442695f) + (-0.36026356f * t + 0.48091918f) * t2;
        float high = (-0.24875838f * t + 0.2872416f) + (-0.14480314f * t + 0.2329416f) * t2;
        return low + high * (t2 * t2);
    }

    /** 2^x of x in [-100, 100]. */
    static float exp2(float x) {
        int whole = (int) (x + 128.5f) - 128;
        float f = x - (float) whole;
        float f2 = f * f;
        float p = ((0.69314706f * f + 1.0000001f) + (0.055506036f * f + 0.24022095f) * f2)
                + (0.0013305986f * f + 0.009676756f) * (f2 * f2);
        return Float.intBitsToFloat(Float.floatToRawIntBits(p) + (whole << 23));
    }

    /** Numerator of {@code log2(u) / (u - 1)}, which is 1 / ln 2 where u is 1. */
    static float log2Numerator(float u) {
        return u == 1.0f ? LOG2_E : log2(u);
    }

    /** Denominator of the same. */
    static float log2Denominator(float u) {
        return u == 1.0f ? 1.0f : u - 1.0f;
    }

    /** {@code 255 sRGB(x) + 0.5} of x in [0, 1] and a rounding beyond; the integer part is the code. */
    static float srgbCode(float x) {
        if (!(x > 0.0031308f)) {
            return x * 3294.6f + 0.5f;
        }
        float bits = (float) Float.floatToRawIntBits(x);
        float y = (0x1.4515c8p-55f * bits + -0x1.64108ep-24f) * bits + 0x1.8bdfcap+5f;
        float y2 = y * y;
        float y3 = y2 * y;
        float y6 = y3 * y3;
        float xy6 = x * y6;
        float q = xy6 * y6;
        float z = q + -0x1.51b4ep+3f;
        return (xy6 * y) * (z * z + 0x1.27671ep+6f) + -13.525f;
    }

    /** The word, in the lower half, of three 8-bit codes with fractions. */
    static long pack(float r, float g, float b) {
        return Integer.toUnsignedLong((int) r | ((int) g << 8) | ((int) b << 16) | 0xff000000);
    }

    /** The two words, the first in the lower half, of three 16-bit codes with fractions. */
    static long packWide(float r, float g, float b) {
        int green = (int) g;
        int blue = (int) b;
        int first = ((int) r >> 8) | (((int) r & 0xff) << 8) | ((green >> 8) << 16) | 0xff000000;
        int second = (green & 0xff) | ((blue >> 8) << 8) | ((blue & 0xff) << 16) | 0xff000000;
        return Integer.toUnsignedLong(first) | ((long) second << 32);
    }

    /** Puts a row's so many-th pixel of one word or two. */
    static void put(int[] out, int x, int words, long pixel) {
        out[words * x] = (int) pixel;
        if (words == 2) {
            out[2 * x + 1] = (int) (pixel >>> 32);
        }
    }
}
