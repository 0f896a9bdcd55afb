package dev.evener.kernels.tonemap;

import dev.evener.JvmKernel;
import java.nio.IntBuffer;

/**
 * The Java form of {@code luminance_statistics} and {@code tonemap}: scalar float code that gives the bits of the OpenCL
 * form. The kernels returned are stateless but for what they were made with, so that several threads may run one at once.
 * Units are rows.
 */
public final class ToneMapJvm {
    private ToneMapJvm() {}

    /**
     * Statistics: argument 0 the frame's slice, 1 the histogram (512 {@code uint}, and as many for sums of steps).
     *
     * @param coding of the frame
     * @param stride pixels in a row, a multiple of 16
     */
    public static JvmKernel statistics(PixelCoding coding, int stride) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            IntBuffer histogram = chunk.buffer(1).asIntBuffer();
            float[] row = new float[3 * stride];
            int[] counts = new int[FrameStatistics.BINS * FrameStatistics.STEPS];
            for (int unit = 0; unit < chunk.units(); unit++) {
                frame.get(unit, row);
                for (int x = 0; x < stride; x++) {
                    counts[PixelMath.place(luminance(row, x, stride))]++;
                }
            }
            for (int place = 0; place < counts.length; place++) {
                int bin = place / FrameStatistics.STEPS;
                int sum = FrameStatistics.BINS + bin;
                histogram.put(bin, histogram.get(bin) + counts[place]);
                histogram.put(sum, histogram.get(sum) + counts[place] * (place % FrameStatistics.STEPS));
            }
        };
    }

    /**
     * Mapping: argument 0 the frame's slice, 1 the output's slice, 2 the parameters.
     *
     * @param operator the tone curve
     * @param coding of the frame
     * @param stride pixels in a row, a multiple of 16
     * @param words of a mapped pixel, 1 or 2
     */
    public static JvmKernel map(Operator operator, PixelCoding coding, int stride, int words) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            IntBuffer pixels = chunk.buffer(1).asIntBuffer();
            float[] parameters = new float[ToneMapParameters.COUNT];
            chunk.buffer(2).asFloatBuffer().get(0, parameters);
            float[] row = new float[3 * stride];
            int[] out = new int[stride * words];
            for (int unit = 0; unit < chunk.units(); unit++) {
                frame.get(unit, row);
                for (int i = 0; i < row.length; i++) {
                    row[i] = PixelMath.sanitise(row[i]);
                }
                mapRow(operator, row, out, words, parameters);
                pixels.put(unit * out.length, out);
            }
        };
    }

    private static void mapRow(Operator operator, float[] row, int[] out, int words, float[] p) {
        int green = row.length / 3;
        int blue = 2 * green;
        // One loop per kind of curve, so that the choice is made once a row.
        switch (operator) {
            case FILM -> {
                for (int x = 0; x < green; x++) {
                    float red = PixelMath.filmCode(row[x], p);
                    float blueCode = PixelMath.filmCode(row[blue + x], p);
                    PixelMath.put(out, x, words, red, PixelMath.filmCode(row[green + x], p), blueCode);
                }
            }
            case KHRONOS_NEUTRAL -> {
                for (int x = 0; x < green; x++) {
                    PixelMath.neutral(out, x, words, row[x], row[green + x], row[blue + x], p[0]);
                }
            }
            case REINHARD, REINHARD_EXTENDED, DRAGO, HABLE, ACES -> {
                for (int x = 0; x < green; x++) {
                    float y = PixelMath.luminance(row[x], row[green + x], row[blue + x]);
                    scaled(out, x, words, row, PixelMath.scale(operator, y, p));
                }
            }
            case PQ, HLG -> {
                for (int x = 0; x < green; x++) {
                    PixelMath.hdr(out, x, row[x], row[green + x], row[blue + x], operator == Operator.HLG, p);
                }
            }
            case REINHARD_LOCAL, GUIDED -> throw new AssertionError(operator + " is in LocalJvm");
        }
    }

    /** Puts a pixel of a sanitised row, its components multiplied. */
    static void scaled(int[] out, int x, int words, float[] row, float scale) {
        int stride = row.length / 3;
        float green = PixelMath.srgbCode(row[stride + x] * scale);
        float blue = PixelMath.srgbCode(row[2 * stride + x] * scale);
        PixelMath.put(out, x, words, PixelMath.srgbCode(row[x] * scale), green, blue);
    }

    static float luminance(float[] row, int x, int stride) {
        return PixelMath.luminance(
                PixelMath.sanitise(row[x]),
                PixelMath.sanitise(row[stride + x]),
                PixelMath.sanitise(row[2 * stride + x]));
    }
}
