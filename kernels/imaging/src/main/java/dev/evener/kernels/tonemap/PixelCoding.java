package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.JobBuilder;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How a buffer holds a frame's pixels, rows from top to bottom: as {@linkplain #FLOATS floats}, or as a Radiance file has them,
 * {@linkplain #rgbe four bytes a pixel}, side by side or {@linkplain #inPlanes in planes}, which devices expand; and what makes
 * {@linkplain #in linear Rec. 709} of them. Made by its constants and methods.
 *
 * @param rgbe whether a pixel has {@linkplain #rgbe four bytes}
 * @param planes whether these are {@linkplain #inPlanes in planes}
 * @param hasAlpha whether rows of floats have {@linkplain #FLOATS_WITH_ALPHA alpha}
 * @param bias what an exponent is larger by in a factor's bits than in a pixel's byte
 * @param fraction of all factors
 * @param matrix to linear Rec. 709, three by three, row by row; empty if they are that
 */
public record PixelCoding(boolean rgbe, boolean planes, boolean hasAlpha, int bias, int fraction, List<Float> matrix) {
    /** Planar rows of floats, as {@link FrameLayout} has them. */
    public static final PixelCoding FLOATS = new PixelCoding(false, false, false, 0, 0, List.of());

    /** The same with alpha in a fourth plane of each row, by which colours were multiplied. */
    public static final PixelCoding FLOATS_WITH_ALPHA = new PixelCoding(false, false, true, 0, 0, List.of());

    public PixelCoding {
        matrix = List.copyOf(matrix);
    }

    /** What an exponent byte is larger by than the power of two it stands for, 8 bits of mantissa included. */
    private static final int EXCESS = 136;

    /** Larger factors would take 255 of them beyond a float's range. */
    private static final float LARGEST = Float.MAX_VALUE / 255;

    /**
     * A {@code UINT} a pixel, {@link FrameLayout#stride} a row: from its lowest byte on the mantissas of red, green and blue, and the
     * exponent. A mantissa m with the exponent e is m &times; 2<sup>e-136</sup> / exposure, and 0 where e is 0 (Ward, "Real Pixels",
     * Graphics Gems II, 1991); a factor of m below the least normal float counts as 0. Padding is 0.
     *
     * @param exposure what values were multiplied with, positive and finite
     * @param matrix to linear Rec. 709, three by three, row by row; empty for values that are that
     */
    public static PixelCoding rgbe(double exposure, List<Float> matrix) {
        if (!(exposure > 0 && exposure < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("an exposure of " + exposure + "; it must be positive and finite");
        }
        // The factors of all exponents have one fraction, to which each adds a power of two.
        double one = 1 / exposure;
        int exponent = Math.getExponent(one);
        float significand = (float) Math.scalb(one, -exponent);
        return new PixelCoding(
                true,
                false,
                false,
                exponent + Math.getExponent(significand) + Float.MAX_EXPONENT - EXCESS,
                Float.floatToRawIntBits(significand) & 0x7fffff,
                matrix);
    }

    /**
     * The same words, of whose rows first all lowest bytes follow each other, then all second ones, and so on: as the scanlines of a
     * run-length coded Radiance file have them. Floats are in planes already.
     */
    public PixelCoding inPlanes() {
        return new PixelCoding(rgbe, rgbe, hasAlpha, bias, fraction, matrix);
    }

    /**
     * The same pixels in other colours, as {@link Primaries#toRec709} has it. Before that, components of {@link #FLOATS} that are no
     * numbers become 0, and those beyond 2<sup>40</sup> on either side that.
     *
     * @param conversion to linear Rec. 709 from what the pixels were to be by now, three by three, row by row
     */
    public PixelCoding in(double[] conversion) {
        List<Float> product = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            double sum = matrix.isEmpty() ? conversion[i] : 0;
            for (int k = 0; !matrix.isEmpty() && k < 3; k++) {
                sum += conversion[i / 3 * 3 + k] * matrix.get(3 * k + i % 3);
            }
            product.add((float) Math.max(-Float.MAX_VALUE, Math.min(Float.MAX_VALUE, sum)));
        }
        return new PixelCoding(rgbe, planes, hasAlpha, bias, fraction, product);
    }

    /** The type of the frame's buffer. */
    public ElementType type() {
        return rgbe ? ElementType.UINT : ElementType.FLOAT;
    }

    /** Elements of that type in a row, padding included. */
    public int rowElements(FrameLayout layout) {
        return rgbe ? layout.stride() : channels() * layout.stride();
    }

    /** Elements in the frame, padding included. */
    public int elements(FrameLayout layout) {
        return rowElements(layout) * layout.height();
    }

    /** Bytes of the frame, padding included. */
    public long bytes(FrameLayout layout) {
        return (long) elements(layout) * type().bytes();
    }

    /** Planes of a row of floats. */
    int channels() {
        return hasAlpha ? 4 : 3;
    }

    /** How the same is coded as floats in linear Rec. 709. */
    PixelCoding expanded() {
        return hasAlpha ? FLOATS_WITH_ALPHA : FLOATS;
    }

    /** Options that kernels are built with. */
    String options() {
        return (rgbe ? "-D RGBE " : "")
                + (planes ? "-D PLANES " : "")
                + (hasAlpha ? "-D ALPHA " : "")
                + (matrix.isEmpty() ? "" : "-D MATRIX ");
    }

    /** The last arguments of kernels. */
    JobBuilder arguments(JobBuilder job) {
        if (rgbe) {
            job.scalar(bias).scalar(fraction);
        }
        matrix.forEach(job::scalar);
        return job;
    }

    /** Reads rows of a buffer as floats. One thread. */
    final class Rows {
        private final FloatBuffer floats;
        private final ByteBuffer words;
        private final byte[] coded;
        private final float[] conversion = new float[matrix.size()];
        private final int first; // element of row 0

        Rows(ByteBuffer frame, int stride) {
            this(frame, stride, 0);
        }

        /** Of a view that has a part of the frame, whose row 0 would begin with this element of it. */
        Rows(ByteBuffer frame, int stride, int first) {
            this.first = first;
            floats = frame.asFloatBuffer();
            words = frame.slice();
            coded = new byte[Integer.BYTES * stride];
            for (int i = 0; i < conversion.length; i++) {
                conversion[i] = matrix.get(i);
            }
        }

        /** Takes a row: so many reds, greens and blues. */
        void get(int row, float[] planar) {
            int stride = planar.length / 3;
            if (!rgbe) {
                floats.get(first + row * channels() * stride, planar);
                for (int i = 0; conversion.length > 0 && i < planar.length; i++) {
                    planar[i] = PixelMath.limit(planar[i]);
                }
            } else {
                words(row, planar, stride);
            }
            if (conversion.length > 0) {
                transform(conversion, planar, stride);
            }
        }

        /** Takes a row's alpha, from 0, which NaN counts as, to 1. */
        void alpha(int row, float[] line) {
            floats.get(first + (row * channels() + 3) * line.length, line);
            for (int x = 0; x < line.length; x++) {
                line[x] = line[x] > 0 ? Math.min(line[x], 1) : 0;
            }
        }

        private void words(int row, float[] planar, int stride) {
            words.get(Integer.BYTES * first + row * coded.length, coded);
            int plane = planes ? stride : 1;
            for (int x = 0; x < stride; x++) {
                int at = planes ? x : Integer.BYTES * x;
                float factor = factor(coded[at + 3 * plane] & 0xff);
                planar[x] = (coded[at] & 0xff) * factor;
                planar[stride + x] = (coded[at + plane] & 0xff) * factor;
                planar[2 * stride + x] = (coded[at + 2 * plane] & 0xff) * factor;
            }
        }

        private float factor(int exponent) {
            int field = exponent + bias;
            return exponent == 0 || field <= 0
                    ? 0
                    : Math.min(Float.intBitsToFloat(Math.min(field, 254) << 23 | fraction), LARGEST);
        }

        private static void transform(float[] m, float[] planar, int stride) {
            for (int x = 0; x < stride; x++) {
                float r = planar[x];
                float g = planar[stride + x];
                float b = planar[2 * stride + x];
                planar[x] = m[0] * r + m[1] * g + m[2] * b;
                planar[stride + x] = m[3] * r + m[4] * g + m[5] * b;
                planar[2 * stride + x] = m[6] * r + m[7] * g + m[8] * b;
            }
        }
    }

    /**
     * Expands a whole frame: what its kernels see, before they sanitise it; of alpha nothing.
     *
     * @param frame coded so, in native byte order, from its first byte on
     * @param target takes {@link FrameLayout#floats} floats in planar rows, from its position on, which stays
     */
    public void expand(FrameLayout layout, ByteBuffer frame, FloatBuffer target) {
        Rows rows = new Rows(frame, layout.stride());
        float[] row = new float[layout.rowFloats()];
        for (int y = 0; y < layout.height(); y++) {
            rows.get(y, row);
            target.put(target.position() + y * row.length, row);
        }
    }
}
