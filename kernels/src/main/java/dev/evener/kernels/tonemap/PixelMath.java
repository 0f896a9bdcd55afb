package dev.evener.kernels.tonemap;

/**
 * The arithmetic of {@code pixel.cl} and {@code tonemap.cl} in Java, operation for operation. The order of operations is
 * the contract: any change here is a change there and in {@code docs/tone-mapping-formulas.md}.
 */
final class PixelMath {
    private static final float SMALLEST = 0x1p-40f;
    private static final float LARGEST = 0x1p40f;
    private static final float LOG2_E = 1.442695f;
    /** The float bits of the square root of 1/2: mantissas are taken in [sqrt(1/2), sqrt(2)). */
    private static final int HALF_ROOT_BITS = 0x3f3504f3;

    private PixelMath() {}

    /** NaN, negative and vanishing components become 0, huge ones and infinity 2^40. */
    static float sanitise(float c) {
        float limited = c < LARGEST ? c : LARGEST;
        return c >= SMALLEST ? limited : 0;
    }

    /** NaN becomes 0, what is beyond 2^40 on either side that. */
    static float limit(float c) {
        float limited = c < LARGEST ? c : LARGEST;
        limited = limited > -LARGEST ? limited : -LARGEST;
        return Float.isNaN(c) ? 0 : limited;
    }

    /** Rec. 709 luminance of a sanitised pixel. */
    static float luminance(float r, float g, float b) {
        return (0.2126f * r + 0.7152f * g) + 0.0722f * b;
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
    private static float log2Polynomial(float t) {
        float t2 = t * t;
        float low = (-0.7213523f * t + 1.442695f) + (-0.36026356f * t + 0.48091918f) * t2;
        float high = (-0.24875838f * t + 0.2872416f) + (-0.14480314f * t + 0.2329416f) * t2;
        return low + high * (t2 * t2);
    }

    /** 2^x, x limited to [-100, 100]. */
    static float exp2(float x) {
        x = x < 100.0f ? x : 100.0f;
        x = x > -100.0f ? x : -100.0f;
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

    /** {@code 255 sRGB(x) + 0.5}, whose integer part is the code. */
    static float srgbCode(float x) {
        x = x < 1.0f ? x : 1.0f;
        if (!(x > 0.0031308f)) {
            return x * 3294.6f + 0.5f;
        }
        float bits = (float) Float.floatToRawIntBits(x);
        float y = (0x1.16419p-55f * bits + -0x1.30c5e6p-24f) * bits + 0x1.52d912p+5f;
        float y2 = y * y;
        float y3 = y2 * y;
        float y6 = y3 * y3;
        float xy6 = x * y6;
        float q = xy6 * y6;
        float p = (0x1.f0cdp+6f * q + -0x1.956d94p+8f) * q + 0x1.13205ep+9f;
        return (xy6 * y) * p + -13.525f;
    }

    /** Puts the pixel of three 8-bit codes with fractions: a word, or two, of which 16 bits have 257 times as many codes. */
    static void put(int[] out, int x, int words, float r, float g, float b) {
        if (words == 2) {
            putWide(out, x, 257.0f * r - 128.0f, 257.0f * g - 128.0f, 257.0f * b - 128.0f);
        } else {
            out[x] = (int) r | ((int) g << 8) | ((int) b << 16) | 0xff000000;
        }
    }

    /** The same of 16-bit codes. */
    private static void putWide(int[] out, int x, float r, float g, float b) {
        int green = (int) g;
        int blue = (int) b;
        out[2 * x] = ((int) r >> 8) | (((int) r & 0xff) << 8) | ((green >> 8) << 16) | 0xff000000;
        out[2 * x + 1] = (green & 0xff) | ((blue >> 8) << 8) | ((blue & 0xff) << 16) | 0xff000000;
    }

    /** A component through {@link Operator#FILM}: code plus one half. */
    static float filmCode(float c, float[] p) {
        float x = c - p[0];
        x = (x > 0.0f ? x : 0.0f) * p[1];
        float z = x - p[2];
        if (z > 0.0f) {
            float u = 1.0f + z * p[3];
            x = p[2] + z * ((log2Numerator(u) * 0.6931472f) / log2Denominator(u));
        }
        if (p[4] != 1.0f && x > 0.0f) {
            x = exp2(p[4] * log2(x));
        }
        x = x * p[5];
        return (x < 255.0f ? x : 255.0f) + 0.5f;
    }

    /** A pixel through {@link Operator#KHRONOS_NEUTRAL}. */
    static void neutral(int[] out, int at, int words, float r, float g, float b, float exposure) {
        r = r * exposure;
        g = g * exposure;
        b = b * exposure;
        float x = r < g ? r : g;
        x = x < b ? x : b;
        float offset = x < 0.08f ? x - (6.25f * x) * x : 0.04f;
        r = r - offset;
        g = g - offset;
        b = b - offset;
        float peak = r > g ? r : g;
        peak = peak > b ? peak : b;
        float high = peak > 0.76f ? peak : 0.76f;
        float compressed = 1.0f - 0.0576f / (high - 0.52f);
        float share = 1.0f / (high * (0.15f * (high - compressed) + 1.0f));
        float scale = compressed * share;
        float white = compressed - scale * high;
        float red = srgbCode(r * scale + white);
        put(out, at, words, red, srgbCode(g * scale + white), srgbCode(b * scale + white));
    }

    /** What an operator on luminance multiplies the components of a pixel of luminance {@code y} by. */
    static float scale(Operator operator, float y, float[] p) {
        return switch (operator) {
            case REINHARD -> p[0] / (1.0f + p[0] * y);
            case REINHARD_EXTENDED -> (p[0] + p[1] * y) / (1.0f + p[0] * y);
            case DRAGO -> drago(y, p);
            case HABLE -> {
                float x = p[0] * y;
                yield (p[1] + p[2] * x) / ((0.15f * x + 0.5f) * x + 0.06f);
            }
            case ACES -> {
                float x = p[0] * y;
                yield (p[1] + p[2] * x) / ((2.43f * x + 0.59f) * x + 0.14f);
            }
            case KHRONOS_NEUTRAL, FILM, REINHARD_LOCAL, GUIDED, PQ, HLG ->
                throw new AssertionError(operator + " is no curve of luminance");
        };
    }

    /** Puts a pixel through {@link Operator#PQ} or {@link Operator#HLG}. */
    static void hdr(int[] out, int x, float r, float g, float b, boolean hlg, float[] m) {
        float red = rolledOff((m[0] * r + m[1] * g) + m[2] * b, m);
        float green = rolledOff((m[3] * r + m[4] * g) + m[5] * b, m);
        float blue = rolledOff((m[6] * r + m[7] * g) + m[8] * b, m);
        if (hlg) {
            float y = (0.2627f * red + 0.678f * green) + 0.0593f * blue;
            y = exp2(-0.16666667f * log2(y > 0x1p-100f ? y : 0x1p-100f));
            red = Math.min(red * y, 1);
            green = Math.min(green * y, 1);
            blue = Math.min(blue * y, 1);
        }
        putWide(out, x, hdrCode(red, hlg), hdrCode(green, hlg), hdrCode(blue, hlg));
    }

    private static float rolledOff(float x, float[] p) {
        float high = p[11] - p[10] / x;
        float rolled = x > p[9] ? high : x;
        return rolled < 1.0f ? rolled : 1.0f;
    }

    /** {@code 65535} times the curve, plus one half. */
    private static float hdrCode(float x, boolean hlg) {
        x = x > 0x1p-100f ? x : 0x1p-100f;
        float v;
        if (hlg) {
            float low = log2(x > 0.083333336f ? 12.0f * x - 0.28466892f : 3.0f * x);
            v = x > 0.083333336f ? 0.12395743f * low + 0.5599107f : exp2(0.5f * low);
        } else {
            float y = exp2(0.15930176f * log2(x));
            float z = (0.1640625f - 0.1640625f * y) / (1.0f + 18.6875f * y);
            v = exp2((-78.84375f * z) * log2Polynomial(-z));
        }
        return 65535.0f * v + 0.5f;
    }

    private static float drago(float y, float[] p) {
        float u = 1.0f + p[0] * y;
        float relative = y * p[2];
        relative = relative > 0x1p-100f ? relative : 0x1p-100f;
        relative = relative < 1.0f ? relative : 1.0f;
        float base = log2(2.0f + 8.0f * exp2(p[3] * log2(relative)));
        return (p[1] * log2Numerator(u)) / (log2Denominator(u) * base);
    }
}
