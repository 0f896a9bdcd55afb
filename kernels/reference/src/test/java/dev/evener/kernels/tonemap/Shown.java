package dev.evener.kernels.tonemap;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What tests look at pictures with, without a formula of the product's. */
final class Shown {
    private static final double[] REC709 = {0.2126, 0.7152, 0.0722};

    private Shown() {}

    /** The logarithmic average without the darkest and brightest tenth of what counts. */
    static double average(Samples frame) {
        return Math.exp(logarithm(weighed(frame), 0.1, 0.9));
    }

    /** The same where all counts that is not black. */
    static double plainAverage(Samples frame) {
        return Math.exp(logarithm(lit(frame), 0.1, 0.9));
    }

    /** That of the brightest hundredth without its brightest tenth; 2.5 stops above the average at least. */
    static double high(Samples frame) {
        return Math.max(Math.exp(logarithm(weighed(frame), 0.99, 0.999)), average(frame) / 0.18) - 1e-5;
    }

    /** Logarithms of luminances and what they count, those of an eighth of an octave together. */
    private static NavigableMap<Double, Double> lit(Samples frame) {
        NavigableMap<Double, Double> lit = new TreeMap<>();
        IntStream.range(0, frame.rgb().length / 3)
                .mapToDouble(i -> luminance(pixel(frame, 3 * i)))
                .filter(y -> y >= 0x1p-22)
                .boxed()
                .collect(Collectors.groupingBy(
                        y -> Math.floor(y / Math.scalb(0.125, Math.getExponent(y))) + 8 * Math.getExponent(y),
                        Collectors.summarizingDouble(y -> y)))
                .values()
                .forEach(bin -> lit.put(Math.log(1e-5 + bin.getAverage()), (double) bin.getCount()));
        return lit;
    }

    private static NavigableMap<Double, Double> weighed(Samples frame) {
        NavigableMap<Double, Double> lit = lit(frame);
        double bright = logarithm(lit, 0.96, 0.99);
        lit.replaceAll((logarithm, count) -> {
            double way = Math.max(0, Math.min(1, (10 - (bright - logarithm) / Math.log(2)) / 2));
            return count * (way * way * (3 - 2 * way));
        });
        return lit;
    }

    /** The average logarithm of a part of what counts, in the order of brightness. */
    private static double logarithm(NavigableMap<Double, Double> lit, double from, double to) {
        double all = lit.values().stream().mapToDouble(count -> count).sum();
        double sum = 0;
        double rank = 0;
        for (Map.Entry<Double, Double> each : lit.entrySet()) {
            double next = rank + each.getValue();
            sum += Math.max(0, Math.min(to * all, next) - Math.max(from * all, rank)) * each.getKey();
            rank = next;
        }
        return sum / (all * (to - from));
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
