package dev.evener.kernels.tonemap;

import dev.evener.JvmKernel;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;

/**
 * The Java form of {@code luminance_statistics} and {@code tonemap}: scalar float code that gives the bits of the OpenCL
 * form. Stateless; units are rows.
 */
final class ToneMapJvm {
    private ToneMapJvm() {}

    /** Argument 0 the frame, 1 the histograms' counts and sums of steps; of a phase with so many arguments before these. */
    static JvmKernel statistics(PixelCoding coding, FrameLayout layout, int before) {
        int stride = layout.stride();
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
                int next = (int) chunk.firstUnit() + unit + 1;
                if (next % layout.height() != 0 && unit + 1 < chunk.units()) {
                    continue;
                }
                int own = (next - 1) / layout.height() * 2 * FrameStatistics.BINS; // of this frame, whose rows end here
                for (int place = 0; place < counts.length; place++) {
                    int bin = own + place / FrameStatistics.STEPS;
                    int sum = FrameStatistics.BINS + bin;
                    histogram.put(bin, histogram.get(bin) + counts[place]);
                    histogram.put(sum, histogram.get(sum) + counts[place] * (place % FrameStatistics.STEPS));
                }
                Arrays.fill(counts, 0);
            }
        };
    }

    /** Argument 0 the frame, 1 the pixels, 2 each frame's parameters; of a global operator. */
    static JvmKernel map(ToneMapSettings settings, PixelCoding coding, FrameLayout layout, int words) {
        int stride = layout.stride();
        return chunk -> {
            PixelCoding.Rows frame = coding.new Rows(chunk.buffer(0), stride);
            IntBuffer pixels = chunk.buffer(1).asIntBuffer();
            FloatBuffer parameters = chunk.buffer(2).asFloatBuffer();
            int first = (int) chunk.firstUnit();
            float[] row = new float[3 * stride];
            float[] its = new float[ToneMapParameters.COUNT]; // of the frame at hand
            int[] out = new int[stride * words];
            for (int unit = 0, until; unit < chunk.units(); unit = until) {
                int number = (first + unit) / layout.height();
                until = Math.min(chunk.units(), (number + 1) * layout.height() - first);
                parameters.get(number * its.length, its);
                PixelMapping pixel = new PixelMapping(settings, its, words);
                for (; unit < until; unit++) {
                    PixelMath.sanitised(frame, unit, row);
                    for (int x = 0; x < stride; x++) {
                        PixelMath.put(out, x, words, pixel.map(row[x], row[stride + x], row[2 * stride + x]));
                    }
                    pixels.put(unit * out.length, out);
                }
            }
        };
    }
}
