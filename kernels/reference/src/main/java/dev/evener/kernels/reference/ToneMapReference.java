package dev.evener.kernels.reference;

import dev.evener.kernels.tonemap.FrameLayout;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/**
 * The yardstick: tone mapping in double precision, written from the published formulas with {@link Math#pow} and
 * {@link Math#log}, one pixel after another, sharing no arithmetic with the kernels. A kernel's codes lie within 1 of
 * these.
 *
 * <p>Two things are taken over as part of the definition of the statistics, because exposure hangs on them: the luminance
 * that is counted is rounded to float after each operation, and stands at the average step of its bin.
 *
 * <p>Stateless; any thread.
 */
public final class ToneMapReference {
    private ToneMapReference() {}

    /**
     * How far an output is from the reference.
     *
     * @param largest largest difference of a code, 0 to 255, or 65,535 with 16 bits
     * @param differing codes that differ at all
     */
    public record Difference(int largest, long differing) {}

    /**
     * Maps a frame in planar rows.
     *
     * @param frame at least {@link FrameLayout#floats} floats; the padding is not looked at
     * @return red, green, blue codes of each pixel, without padding; with 16 bits two bytes each, the upper one first
     */
    public static byte[] map(FloatBuffer frame, FrameLayout layout, ToneMapSettings settings) {
        return map(frame, layout, settings, settings.operator().words());
    }

    /** The same with so many words for each pixel, at least {@link Operator#words}: 1, or 2 for 16 bits. */
    public static byte[] map(FloatBuffer frame, FrameLayout layout, ToneMapSettings settings, int words) {
        double[] rgb = new double[Math.toIntExact(3 * layout.pixels())];
        int out = 0;
        for (int y = 0; y < layout.height(); y++) {
            for (int x = 0; x < layout.width(); x++) {
                for (int component = 0; component < 3; component++) {
                    rgb[out++] = frame.get((y * 3 + component) * layout.stride() + x);
                }
            }
        }
        return map(rgb, layout, settings, words);
    }

    /**
     * Maps interleaved pixels.
     *
     * @param rgb red, green, blue of each pixel, row by row, linear Rec. 709; each representable as a float
     * @return red, green, blue codes of each pixel; with 16 bits two bytes each, the upper one first
     */
    public static byte[] map(double[] rgb, FrameLayout layout, ToneMapSettings settings) {
        return map(rgb, layout, settings, settings.operator().words());
    }

    private static byte[] map(double[] rgb, FrameLayout layout, ToneMapSettings settings, int words) {
        if (rgb.length != 3 * layout.pixels()) {
            throw new IllegalArgumentException(
                    "a frame of " + layout + " needs three components for each pixel, not " + rgb.length + " numbers");
        }
        double[] clean = new double[rgb.length];
        for (int i = 0; i < rgb.length; i++) {
            clean[i] = clean(rgb[i]);
        }
        ReferenceCurve curve = ReferenceCurve.of(settings, clean, layout);
        LookReference look = settings.look() == null ? null : new LookReference(settings.look());
        boolean wide = words == 2;
        byte[] codes = new byte[wide ? 2 * rgb.length : rgb.length];
        double[] pixel = new double[3];
        for (int i = 0; i < clean.length; i += 3) {
            System.arraycopy(clean, i, pixel, 0, 3);
            curve.apply(pixel, i / 3);
            if (look != null) {
                look.apply(pixel);
            }
            for (int component = 0; component < 3; component++) {
                double display = Math.min(Math.max(pixel[component], 0), 1);
                if (wide) {
                    int code = (int) Math.floor(display * 65535 + 0.5);
                    codes[2 * (i + component)] = (byte) (code >> 8);
                    codes[2 * (i + component) + 1] = (byte) code;
                } else {
                    codes[i + component] = (byte) Math.floor(display * 255 + 0.5);
                }
            }
        }
        return codes;
    }

    /**
     * Compares an output with the reference.
     *
     * @param expected as returned by {@code map}
     * @param pixels output words, {@link FrameLayout#stride} to a row, with 16 bits twice as many
     */
    public static Difference compare(byte[] expected, IntBuffer pixels, FrameLayout layout) {
        int largest = 0;
        long differing = 0;
        int bytes = Math.toIntExact(expected.length / (3 * layout.pixels())); // of a code
        for (int i = 0; i < expected.length; i += bytes) {
            int row = i / (3 * bytes * layout.width());
            int difference = 0;
            for (int at = i; at < i + bytes; at++) {
                int inRow = at - row * 3 * bytes * layout.width();
                int word = pixels.get(row * bytes * layout.stride() + inRow / 3);
                difference = 256 * difference + ((word >> (8 * (inRow % 3))) & 0xff) - (expected[at] & 0xff);
            }
            largest = Math.max(largest, Math.abs(difference));
            differing += difference == 0 ? 0 : 1;
        }
        return new Difference(largest, differing);
    }

    private static double clean(double c) {
        return Double.isNaN(c) || c <= -Math.pow(2, 40) ? 0 : Math.min(c, Math.pow(2, 40));
    }
}
