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
     * Statistics: argument 0 the frame's slice, 1 the histogram (512 {@code uint}), 2 the maximum (1 {@code uint}, bits of
     * a float).
     *
     * @param coding of the frame
     * @param stride pixels in a row, a multiple of 16
     */
    public static JvmKernel statistics(PixelCoding coding, int stride) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            IntBuffer histogram = chunk.buffer(1).asIntBuffer();
            IntBuffer maximum = chunk.buffer(2).asIntBuffer();
            float[] row = new float[3 * stride];
            int[] counts = new int[FrameStatistics.BINS];
            float largest = 0;
            for (int unit = 0; unit < chunk.units(); unit++) {
                frame.get(unit, row);
                for (int x = 0; x < stride; x++) {
                    float y = luminance(row, x, stride);
                    largest = largest < y ? y : largest;
                    counts[PixelMath.bin(y)]++;
                }
            }
            for (int bin = 0; bin < counts.length; bin++) {
                histogram.put(bin, histogram.get(bin) + counts[bin]);
            }
            // Bits of non-negative floats order as the floats do.
            maximum.put(0, Math.max(maximum.get(0), Float.floatToRawIntBits(largest)));
        };
    }

    /**
     * Mapping: argument 0 the frame's slice, 1 the output's slice, 2 the parameters.
     *
     * @param operator the tone curve
     * @param coding of the frame
     * @param stride pixels in a row, a multiple of 16
     */
    public static JvmKernel map(Operator operator, PixelCoding coding, int stride) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            IntBuffer pixels = chunk.buffer(1).asIntBuffer();
            float[] parameters = new float[ToneMapParameters.COUNT];
            chunk.buffer(2).asFloatBuffer().get(0, parameters);
            float[] row = new float[3 * stride];
            int[] out = new int[stride * operator.words()];
            for (int unit = 0; unit < chunk.units(); unit++) {
                frame.get(unit, row);
                mapRow(operator, row, out, parameters);
                pixels.put(unit * out.length, out);
            }
        };
    }

    private static void mapRow(Operator operator, float[] row, int[] out, float[] parameters) {
        // One loop per kind of curve, so that the choice is made once a row.
        switch (operator) {
            case FILM -> mapFilm(row, out, parameters);
            case KHRONOS_NEUTRAL -> mapNeutral(row, out, parameters);
            case REINHARD, REINHARD_EXTENDED, DRAGO, HABLE, ACES -> mapLuminance(operator, row, out, parameters);
            case PQ, HLG -> mapHdr(operator == Operator.HLG, row, out, parameters);
            case REINHARD_LOCAL, GUIDED -> throw new AssertionError(operator + " is in LocalJvm");
        }
    }

    private static void mapFilm(float[] row, int[] out, float[] parameters) {
        int stride = out.length;
        for (int x = 0; x < stride; x++) {
            out[x] = PixelMath.pack(
                    PixelMath.filmCode(PixelMath.sanitise(row[x]), parameters),
                    PixelMath.filmCode(PixelMath.sanitise(row[stride + x]), parameters),
                    PixelMath.filmCode(PixelMath.sanitise(row[2 * stride + x]), parameters));
        }
    }

    private static void mapNeutral(float[] row, int[] out, float[] parameters) {
        int stride = out.length;
        for (int x = 0; x < stride; x++) {
            out[x] = PixelMath.neutral(
                    PixelMath.sanitise(row[x]),
                    PixelMath.sanitise(row[stride + x]),
                    PixelMath.sanitise(row[2 * stride + x]),
                    parameters[0]);
        }
    }

    private static void mapHdr(boolean hlg, float[] row, int[] out, float[] parameters) {
        int stride = row.length / 3;
        for (int x = 0; x < stride; x++) {
            long words = PixelMath.hdr(
                    PixelMath.sanitise(row[x]),
                    PixelMath.sanitise(row[stride + x]),
                    PixelMath.sanitise(row[2 * stride + x]),
                    hlg,
                    parameters);
            out[2 * x] = (int) words;
            out[2 * x + 1] = (int) (words >>> 32);
        }
    }

    private static void mapLuminance(Operator operator, float[] row, int[] out, float[] parameters) {
        int stride = out.length;
        for (int x = 0; x < stride; x++) {
            float scale = PixelMath.scale(operator, luminance(row, x, stride), parameters);
            out[x] = PixelMath.pack(
                    PixelMath.srgbCode(PixelMath.sanitise(row[x]) * scale),
                    PixelMath.srgbCode(PixelMath.sanitise(row[stride + x]) * scale),
                    PixelMath.srgbCode(PixelMath.sanitise(row[2 * stride + x]) * scale));
        }
    }

    static float luminance(float[] row, int x, int stride) {
        return PixelMath.luminance(
                PixelMath.sanitise(row[x]),
                PixelMath.sanitise(row[stride + x]),
                PixelMath.sanitise(row[2 * stride + x]));
    }
}
