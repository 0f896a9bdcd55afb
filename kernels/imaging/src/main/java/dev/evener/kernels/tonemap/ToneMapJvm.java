package dev.evener.kernels.tonemap;

import dev.evener.JvmKernel;
import java.nio.IntBuffer;

/**
 * The Java form of {@code luminance_statistics} and {@code tonemap}: scalar float code that gives the bits of the OpenCL
 * form. Stateless; units are rows.
 */
final class ToneMapJvm {
    private ToneMapJvm() {}

    /** Argument 0 the frame, 1 the histogram's counts and sums of steps; of a phase with so many arguments before these. */
    static JvmKernel statistics(PixelCoding coding, int stride, int before) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(before), stride);
            IntBuffer histogram = chunk.buffer(before + 1).asIntBuffer();
            float[] row = new float[3 * stride];
            int[] counts = new int[FrameStatistics.BINS * FrameStatistics.STEPS];
            for (int unit = 0; unit < chunk.units(); unit++) {
                PixelMath.sanitised(frame, unit, row);
                for (int x = 0; x < stride; x++) {
                    counts[PixelMath.place(PixelMath.luminance(row[x], row[stride + x], row[2 * stride + x]))]++;
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

    /** Argument 0 the frame, 1 the pixels, 2 the parameters; of a global operator. */
    static JvmKernel map(ToneMapSettings settings, PixelCoding coding, int stride, int words) {
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            IntBuffer pixels = chunk.buffer(1).asIntBuffer();
            float[] parameters = new float[ToneMapParameters.COUNT];
            chunk.buffer(2).asFloatBuffer().get(0, parameters);
            PixelMapping pixel = new PixelMapping(settings, parameters, words);
            float[] row = new float[3 * stride];
            int[] out = new int[stride * words];
            for (int unit = 0; unit < chunk.units(); unit++) {
                PixelMath.sanitised(frame, unit, row);
                for (int x = 0; x < stride; x++) {
                    PixelMath.put(out, x, words, pixel.map(row[x], row[stride + x], row[2 * stride + x]));
                }
                pixels.put(unit * out.length, out);
            }
        };
    }
}
