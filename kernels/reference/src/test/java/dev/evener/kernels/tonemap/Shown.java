package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** What tests look at pictures with, without a formula of the product's. */
final class Shown {
    private static final double[] REC709 = {0.2126, 0.7152, 0.0722};

    private Shown() {}

    /**
     * The logarithmic average without the darkest and brightest tenth, and without black and what is as good as that.
     */
    static double average(Samples frame) {
        return Math.exp(logarithm(frame, 0.1, 0.9));
    }

    /** That of the brightest hundredth without its brightest tenth; 2.5 stops above the average at least. */
    static double high(Samples frame) {
        return Math.max(Math.exp(logarithm(frame, 0.99, 0.999)), average(frame) / 0.18) - 1e-5;
    }

    /**
     * The average logarithm of a part of the pixels in the order of brightness: what is 7 stops below what is bright
     * counts less.
     */
    private static double logarithm(Samples frame, double from, double to) {
        double[] sorted = IntStream.range(0, frame.rgb().length / 3)
                .mapToDouble(i -> luminance(pixel(frame, 3 * i)))
                .filter(y -> y >= 0x1p-22)
                .sorted()
                .toArray();
        for (int first = 0, end = 0;
                first < sorted.length;
                first = end) { // all of an eighth of an octave stand at their mean
            double octave = Math.pow(2, Math.getExponent(sorted[first]));
            double next = octave * (1 + (Math.floor((sorted[first] / octave - 1) * 8) + 1) / 8);
            double sum = 0;
            for (end = first; end < sorted.length && sorted[end] < next; end++) {
                sum += sorted[end];
            }
            Arrays.fill(sorted, first, end, sum / (end - first));
        }
        double bright = logarithm(sorted, i -> 1, 0, 0.96, 0.99);
        return logarithm(
                sorted,
                i -> {
                    double below = (bright - Math.log(sorted[i])) / Math.log(2);
                    return Math.pow(Math.max(0, Math.min(1, (10 - below) / 3)), 2);
                },
                1e-5,
                from,
                to);
    }

    private static double logarithm(
            double[] sorted, IntToDoubleFunction weight, double offset, double from, double to) {
        double all = IntStream.range(0, sorted.length).mapToDouble(weight).sum();
        double sum = 0;
        double rank = 0;
        for (int i = 0; i < sorted.length; i++) {
            double next = rank + weight.applyAsDouble(i) / all;
            sum += Math.max(0, Math.min(to, next) - Math.max(from, rank)) * Math.log(offset + sorted[i]);
            rank = next;
        }
        return sum / (to - from);
    }

    static double luminance(double... rgb) {
        return REC709[0] * rgb[0] + REC709[1] * rgb[1] + REC709[2] * rgb[2];
    }

    static double[] pixel(Samples frame, int at) {
        return new double[] {frame.rgb()[at], frame.rgb()[at + 1], frame.rgb()[at + 2]};
    }

    static double srgb(double x) {
        return x <= 0.0031308 ? 12.92 * x : 1.055 * Math.pow(x, 1 / 2.4) - 0.055;
    }

    static double linear(double v) {
        return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
    }

    static HostBuffer row(int width, IntFunction<double[]> pixels) {
        float[] rgb = new float[3 * width];
        for (int i = 0; i < width; i++) {
            for (int c = 0; c < 3; c++) {
                rgb[3 * i + c] = (float) pixels.apply(i)[c];
            }
        }
        return Frames.interleaved(new FrameLayout(width, 1), rgb);
    }

    static int[] codes(FrameLayout layout, HostBuffer frame, ToneMapSettings settings) {
        HostBuffer pixels = TestBuffers.allocate(ElementType.UINT, layout.words());
        run(layout, frame, pixels, settings);
        int[] codes = new int[3 * layout.width() * layout.height()];
        for (int i = 0; i < codes.length; i++) {
            int pixel = i / 3;
            codes[i] = (pixels.ints().get(pixel / layout.width() * layout.stride() + pixel % layout.width())
                            >> (8 * (i % 3)))
                    & 0xff;
        }
        return codes;
    }

    static void run(FrameLayout layout, HostBuffer frame, HostBuffer pixels, ToneMapSettings settings) {
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.job(layout, frame, pixels, settings));
        }
    }
}
