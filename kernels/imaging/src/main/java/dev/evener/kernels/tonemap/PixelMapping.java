package dev.evener.kernels.tonemap;

/** The curves of {@code tonemap.cl} in Java, operation for operation, as {@link PixelMath}. One thread. */
final class PixelMapping {
    private final Operator operator;
    private final boolean onChannels;
    private final boolean clip;
    private final boolean saturated;
    private final boolean wide;
    private final float[] p;
    private float r;
    private float g;
    private float b;

    PixelMapping(ToneMapSettings settings, float[] parameters, int words) {
        this.operator = settings.operator();
        this.onChannels = settings.onChannels();
        this.clip = settings.colours().outOfRange() == Colours.OutOfRange.CLIP;
        this.saturated = settings.colours().saturation() != 1;
        this.wide = words == 2;
        this.p = parameters;
    }

    /** The words of a sanitised pixel, the first in the lower half. */
    long map(float red, float green, float blue) {
        saturate(red, green, blue);
        float y = PixelMath.luminance(r, g, b);
        if (operator == Operator.PQ || operator == Operator.HLG) {
            return hdr(operator == Operator.HLG);
        }
        if (!onChannels) {
            return scaled(scale(y), y);
        }
        inRange(y, Float.POSITIVE_INFINITY);
        switch (operator) {
            case FILM -> {
                return packed(filmCode(r), filmCode(g), filmCode(b));
            }
            case KHRONOS_NEUTRAL -> {
                neutral();
                return coded();
            }
            case ACES_HILL, AGX -> {
                times(0);
                each(this::betweenMatrices);
                times(9);
            }
            default -> each(c -> c * scale(c));
        }
        boolean codes = operator == Operator.AGX;
        inRange(PixelMath.luminance(r, g, b), codes ? 255 : 1);
        return codes ? packed(r + 0.5f, g + 0.5f, b + 0.5f) : coded();
    }

    /** The words of a sanitised pixel whose components are multiplied by this. */
    long scaled(float red, float green, float blue, float scale) {
        saturate(red, green, blue);
        return scaled(scale, PixelMath.luminance(r, g, b));
    }

    private long scaled(float scale, float y) {
        r = r * scale;
        g = g * scale;
        b = b * scale;
        inRange(y * scale, 1);
        return coded();
    }

    private void saturate(float red, float green, float blue) {
        r = red;
        g = green;
        b = blue;
        if (saturated) {
            float y = PixelMath.luminance(r, g, b);
            each(c -> y + p[ToneMapParameters.SATURATION] * (c - y));
        }
    }

    private interface Component {
        float of(float c);
    }

    private void each(Component function) {
        r = function.of(r);
        g = function.of(g);
        b = function.of(b);
    }

    private void times(int at) {
        float red = (p[at] * r + p[at + 1] * g) + p[at + 2] * b;
        float green = (p[at + 3] * r + p[at + 4] * g) + p[at + 5] * b;
        b = (p[at + 6] * r + p[at + 7] * g) + p[at + 8] * b;
        r = red;
        g = green;
    }

    /** Of 8-bit codes with fractions, of which 16 bits have 257 times as many. */
    private long packed(float red, float green, float blue) {
        return wide
                ? PixelMath.packWide(257.0f * red - 128.0f, 257.0f * green - 128.0f, 257.0f * blue - 128.0f)
                : PixelMath.pack(red, green, blue);
    }

    private long coded() {
        return packed(PixelMath.srgbCode(r), PixelMath.srgbCode(g), PixelMath.srgbCode(b));
    }

    private float least() {
        return Math.min(r, Math.min(g, b));
    }

    private float greatest() {
        return Math.max(r, Math.max(g, b));
    }

    private void inRange(float luminance, float most) {
        if (clip) {
            each(c -> c > 0 ? c < most ? c : most : 0);
            return;
        }
        float y = luminance < most ? luminance : most;
        float low = least();
        if (low < 0) {
            float t = y / (y - low);
            each(c -> (c - low) * t);
        }
        float high = greatest();
        if (high > most) {
            float t = (most - y) / (high - y);
            float grey = y - t * y;
            float bend = onChannels ? 0 : bend(t);
            boolean warm = r > b;
            each(c -> t * c + grey);
            if (bend > 0) {
                boolean hdr = operator == Operator.PQ || operator == Operator.HLG;
                float green = hdr ? 0.678f : 0.7152f;
                bend = Math.max(Math.min(bend, Math.min(r, b) * (1.0f / green)), 0.0f);
                float loss = green * bend;
                r = r - (warm ? 0.0f : loss);
                b = b - (warm ? loss : 0.0f);
                g = g + (warm ? hdr ? 0.0593f : 0.0722f : hdr ? 0.2627f : 0.2126f) * bend;
            }
        }
    }

    /** How far green takes over from the lesser of red and blue on the way of a part t; 0 or less for not at all. */
    private float bend(float t) {
        float strong = Math.max(r, b);
        float weak = Math.min(r, b);
        float bend = (strong - 2.0f * weak) + 3.0f * Math.min(g - weak, 0.0f);
        bend = Math.min(bend, 3.0f * (strong - g));
        return ((0.28f * bend) * t) * (1.0f - t);
    }

    /** A component through {@link Operator#FILM}: code plus one half. */
    private float filmCode(float c) {
        float x = c - p[0];
        x = (x > 0.0f ? x : 0.0f) * p[1];
        float z = x - p[2];
        if (z > 0.0f) {
            float u = 1.0f + z * p[3];
            x = p[2] + z * ((PixelMath.log2Numerator(u) * 0.6931472f) / PixelMath.log2Denominator(u));
        }
        if (p[4] != 1.0f) {
            float power = Math.max(-100.0f, Math.min(100.0f, p[4] * PixelMath.log2(x)));
            x = x > 0x1p-100f ? PixelMath.exp2(power) : 0;
        }
        x = x * p[5];
        return (x < 255.0f ? x : 255.0f) + 0.5f;
    }

    private void neutral() {
        each(c -> c * p[0]);
        float x = least();
        float offset = x < 0.08f ? x - (6.25f * x) * x : 0.04f;
        each(c -> c - offset);
        float peak = greatest();
        float high = peak > 0.76f ? peak : 0.76f;
        float compressed = 1.0f - 0.0576f / (high - 0.52f);
        float share = 1.0f / (high * (0.15f * (high - compressed) + 1.0f));
        float scale = compressed * share;
        float white = compressed - scale * high;
        each(c -> c * scale + white);
    }

    /** {@link Operator#ACES_HILL}'s and {@link Operator#AGX}'s curves. */
    private float betweenMatrices(float x) {
        if (operator == Operator.ACES_HILL) {
            return (x * (x + 0.0245786f) - 0.000090537f) / (x * (0.983729f * x + 0.432951f) + 0.238081f);
        }
        x = x > 1.7578126E-4f ? x < 16.29174f ? x : 16.29174f : 1.7578126E-4f;
        float v = (PixelMath.log2(x) + 4.22393f) * 0.060606062f;
        float v2 = v * v;
        return ((1.7404f * v + 0.2914925f) + (-4.548f * v + 2.42405f) * v2)
                + ((15.5f * v + 6.36f) * v - 10.265f) * (v2 * v2);
    }

    /** What luminance, or a component, is multiplied by. */
    private float scale(float y) {
        return switch (operator) {
            case REINHARD -> p[0] / (1.0f + p[0] * y);
            case REINHARD_EXTENDED -> (p[0] + p[1] * y) / (1.0f + p[0] * y);
            case DRAGO -> drago(y);
            case HABLE -> {
                float x = p[0] * y;
                yield (p[1] + p[2] * x) / ((0.15f * x + 0.5f) * x + 0.06f);
            }
            case ACES -> {
                float x = p[0] * y;
                yield (p[1] + p[2] * x) / ((2.43f * x + 0.59f) * x + 0.14f);
            }
            default -> throw new AssertionError(operator + " is no such curve");
        };
    }

    private float drago(float y) {
        float u = 1.0f + p[0] * y;
        float relative = y * p[2];
        relative = relative > p[4] ? relative < 1.0f ? relative : 1.0f : p[4];
        float base = PixelMath.log2(2.0f + 8.0f * PixelMath.exp2(p[3] * PixelMath.log2(relative)));
        return (p[1] * PixelMath.log2Numerator(u)) / (PixelMath.log2Denominator(u) * base);
    }

    /** Through {@link Operator#PQ} or {@link Operator#HLG}. */
    private long hdr(boolean hlg) {
        times(0);
        each(x -> x > p[9] ? p[11] - p[10] / x : x);
        if (hlg) {
            inRange(PixelMath.wideLuminance(r, g, b), Float.POSITIVE_INFINITY);
            float y = PixelMath.wideLuminance(r, g, b);
            float scene = PixelMath.exp2(-0.16666667f * PixelMath.log2(y > 0x1p-100f ? y : 0x1p-100f));
            each(c -> c * scene);
        }
        inRange(PixelMath.wideLuminance(r, g, b), 1);
        return PixelMath.packWide(hdrCode(r, hlg), hdrCode(g, hlg), hdrCode(b, hlg));
    }

    /** {@code 65535} times the curve, plus one half. */
    private static float hdrCode(float x, boolean hlg) {
        x = x > 0x1p-100f ? x : 0x1p-100f;
        float v;
        if (hlg) {
            float low = PixelMath.log2(x > 0.083333336f ? 12.0f * x - 0.28466892f : 3.0f * x);
            v = x > 0.083333336f ? 0.12395743f * low + 0.5599107f : PixelMath.exp2(0.5f * low);
        } else {
            float y = PixelMath.exp2(0.15930176f * PixelMath.log2(x));
            float z = (0.1640625f - 0.1640625f * y) / (1.0f + 18.6875f * y);
            v = PixelMath.exp2((-78.84375f * z) * PixelMath.log2Polynomial(-z));
        }
        return 65535.0f * v + 0.5f;
    }
}
