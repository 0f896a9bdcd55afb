package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.JobBuilder;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a buffer holds a frame's pixels, rows from top to bottom: as {@linkplain #FLOATS floats}, or as a Radiance file has them,
 * {@linkplain #rgbe four bytes a pixel}, side by side or {@linkplain #inPlanes in planes}, which devices expand; and what makes
 * {@linkplain #in linear Rec. 709} of them. Immutable.
 */
public final class PixelCoding {
    /** Planar rows of floats, as {@link FrameLayout} has them. */
    public static final PixelCoding FLOATS = new PixelCoding(false, false, false, 0, 0, null);

    /** The same with alpha in a fourth plane of each row, by which colours were multiplied. */
    public static final PixelCoding FLOATS_WITH_ALPHA = new PixelCoding(false, false, true, 0, 0, null);

    /** What an exponent byte is larger by than the power of two it stands for, 8 bits of mantissa included. */
    private static final int EXCESS = 136;

    /** Larger factors would take 255 of them beyond a float's range. */
    private static final float LARGEST = Float.MAX_VALUE / 255;

    private final boolean rgbe;
    private final boolean planes;
    private final boolean alpha;
    private final int bias;
    private final int fraction;
    private final float @Nullable [] matrix;

    private PixelCoding(
            boolean rgbe, boolean planes, boolean alpha, int bias, int fraction, float @Nullable [] matrix) {
        this.rgbe = rgbe;
        this.planes = planes;
        this.alpha = alpha;
        this.bias = bias;
        this.fraction = fraction;
        this.matrix = matrix;
    }

    /**
     * A {@code UINT} a pixel, {@link FrameLayout#stride} a row: from its lowest byte on the mantissas of red, green and blue, and the
     * exponent. A mantissa m with the exponent e is m &times; 2<sup>e-136</sup> / exposure, and 0 where e is 0 (Ward, "Real Pixels",
     * Graphics Gems II, 1991); a factor of m below the least normal float counts as 0. Padding is 0.
     *
     * @param exposure what values were multiplied with, positive and finite
     * @param matrix to linear Rec. 709, three by three, row by row; null for values that are that
     */
    public static PixelCoding rgbe(double exposure, float @Nullable [] matrix) {
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
                matrix == null ? null : matrix.clone());
    }

    /**
     * The same words, of whose rows first all lowest bytes follow each other, then all second ones, and so on: as the scanlines of a
     * run-length coded Radiance file have them. Floats are in planes already.
     */
    public PixelCoding inPlanes() {
        return new PixelCoding(rgbe, rgbe, alpha, bias, fraction, matrix);
    }

    /**
     * The same pixels in other colours, as {@link Primaries#toRec709} has it. Before that, components of {@link #FLOATS} that are no
     * numbers become 0, and those beyond 2<sup>40</sup> on either side that.
     *
     * @param conversion to linear Rec. 709 from what the pixels were to be by now, three by three, row by row
     */
    public PixelCoding in(double[] conversion) {
        float[] product = new float[9];
        for (int i = 0; i < 9; i++) {
            double sum = matrix == null ? conversion[i] : 0;
            for (int k = 0; matrix != null && k < 3; k++) {
                sum += conversion[i / 3 * 3 + k] * matrix[3 * k + i % 3];
            }
            product[i] = (float) Math.max(-Float.MAX_VALUE, Math.min(Float.MAX_VALUE, sum));
        }
        return new PixelCoding(rgbe, planes, alpha, bias, fraction, product);
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

    /** Whether rows have {@linkplain #FLOATS_WITH_ALPHA alpha}. */
    public boolean hasAlpha() {
        return alpha;
    }

    /** Planes of a row of floats. */
    int channels() {
        return alpha ? 4 : 3;
    }

    /** How the same is coded as floats in linear Rec. 709. */
    PixelCoding expanded() {
        return alpha ? FLOATS_WITH_ALPHA : FLOATS;
    }

    /** Whether it is {@linkplain #rgbe four bytes} a pixel, {@linkplain #inPlanes in planes}. */
    boolean isInPlanes() {
        return planes;
    }

    /** Options that kernels are built with. */
    String options() {
        return (rgbe ? "-D RGBE " : "")
                + (planes ? "-D PLANES " : "")
                + (alpha ? "-D ALPHA " : "")
                + (matrix == null ? "" : "-D MATRIX ");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PixelCoding o
                && rgbe == o.rgbe
                && planes == o.planes
                && alpha == o.alpha
                && bias == o.bias
                && fraction == o.fraction
                && Arrays.equals(matrix, o.matrix);
    }

    @Override
    public int hashCode() {
        return Objects.hash(rgbe, planes, alpha, bias, fraction, Arrays.hashCode(matrix));
    }

    /** The last arguments of kernels. */
    JobBuilder arguments(JobBuilder job) {
        if (rgbe) {
            job.scalar(bias).scalar(fraction);
        }
        if (matrix != null) {
            for (float each : matrix) {
                job.scalar(each);
            }
        }
        return job;
    }

    /** Reads rows of a buffer as floats. One thread. */
    final class Rows {
        private final FloatBuffer floats;
        private final ByteBuffer words;
        private final byte[] coded;
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
        }

        /** Takes a row: so many reds, greens and blues. */
        void get(int row, float[] planar) {
            int stride = planar.length / 3;
            if (!rgbe) {
                floats.get(first + row * channels() * stride, planar);
                for (int i = 0; matrix != null && i < planar.length; i++) {
                    planar[i] = PixelMath.limit(planar[i]);
                }
            } else {
                words(row, planar, stride);
            }
            if (matrix != null) {
                transform(matrix, planar, stride);
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
