package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameStatisticsTest {

    @Test
    void aBlackFrameHasTheAverageOfTheOffset() {
        FrameStatistics statistics = of(new FrameLayout(5, 3), 0f);
        assertEquals(0, statistics.highLuminance());
        assertEquals(1e-5, statistics.averageLuminance(), 1e-15);
        assertEquals(18_000f, ToneMapParameters.exposure(ToneMapSettings.of(Operator.REINHARD), statistics), 0.01f);
    }

    @Test
    void notANumberAndNegativesCountAsBlackAndInfinityAsTheLimit() {
        FrameLayout pixel = new FrameLayout(1, 1);
        assertEquals(of(pixel, 0f), of(pixel, Float.NaN));
        assertEquals(of(pixel, 0f), of(pixel, -3f));
        assertEquals(of(pixel, 0f), of(pixel, Float.MIN_NORMAL));
        assertEquals(of(pixel, 0x1p40f), of(pixel, Float.POSITIVE_INFINITY));
        assertEquals(1, of(pixel, Float.POSITIVE_INFINITY).averageLuminance() / 0x1p40, 0.01);
        float factor =
                ToneMapParameters.exposure(ToneMapSettings.of(Operator.DRAGO), of(pixel, Float.POSITIVE_INFINITY));
        assertTrue(factor > 0 && factor < 1e-11f);
    }

    @Test
    void theAverageIsWithinHalfAStepOfTheTruth() {
        for (double exponent = -16; exponent < 39; exponent += 0.0137) {
            float grey = (float) Math.pow(2, exponent);
            double average = of(new FrameLayout(1, 1), grey).averageLuminance();
            assertEquals(1, average / (1e-5 + grey), 0.0081, "grey " + grey);
        }
    }

    @Test
    void stepsCoverTheFloatsInOrderWithoutGaps() {
        assertEquals(0, PixelMath.place(0f));
        assertEquals(7, PixelMath.place(Math.nextDown(0x1p-22f)));
        assertEquals(8, PixelMath.place(0x1p-22f));
        assertTrue(PixelMath.place(0x1.01p40f) < FrameStatistics.BINS * FrameStatistics.STEPS);
        int last = 0;
        for (int bits = 0; bits < Float.floatToRawIntBits(0x1.01p40f); bits += 1 << 13) {
            float y = Float.intBitsToFloat(bits);
            int place = PixelMath.place(y);
            assertTrue(place == last || place == last + 1);
            last = place;
            if (place >= 8) {
                assertEquals(1, FrameStatistics.value(place / 8, place % 8) / y, 0.0079);
            }
        }
    }

    /** Of pixels in the middles of steps, the averages are those of their own logarithms, as far as each bin has one step. */
    @Test
    void averagesAreOfRangesOfTheLitPixels() {
        Random random = new Random(3);
        for (int pixels = 1; pixels < 3000; pixels += 1 + pixels / 3) {
            FrameLayout layout = new FrameLayout(pixels, 1);
            double[] lit = new double[pixels];
            int used = 0;
            HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
            int octaves = 1 + random.nextInt(30);
            for (int x = 0; x < pixels; x++) {
                int bin = 40 + random.nextInt(8 * octaves);
                double luminance = Math.pow(2, bin / 8 - 22) * (1 + (bin % 8 + (bin % 5 + 0.5) / 8) / 8);
                if (x > 0 && random.nextInt(3) == 0) {
                    luminance = random.nextInt(3) == 0 ? Double.NaN : random.nextBoolean() ? 0 : -luminance;
                } else {
                    lit[used++] = luminance;
                }
                for (int component = 0; component < 3; component++) {
                    frame.floats().put(component * layout.stride() + x, (float) luminance);
                }
            }
            double[] sorted = Arrays.copyOf(lit, used);
            Arrays.sort(sorted);
            double[] weights = new double[used];
            Arrays.fill(weights, 1);
            double bright = mean(sorted, weights, 0, 0.96, 0.99);
            Arrays.setAll(weights, i -> {
                double way = Math.max(0, Math.min(1, (10 - bright + log2(sorted[i])) / 2));
                return way * way * (3 - 2 * way);
            });
            FrameStatistics statistics = of(layout, frame);
            double mean = mean(sorted, weights, 1e-5, 0.1, 0.9);
            assertEquals(mean, statistics.meanLog2Luminance(), 1e-11);
            assertEquals(bright, statistics.bright(), 1e-11);
            double high = Math.pow(2, Math.max(mean(sorted, weights, 1e-5, 0.99, 0.999), mean - log2(0.18)));
            assertEquals(1, statistics.highLuminance() / (high - 1e-5), 1e-9);
            double least = mean(sorted, weights, 1e-5, 0.01, 0.02);
            double most = mean(sorted, weights, 1e-5, 0.98, 0.99);
            double side = (2 * mean - least - most) / Math.max(1, most - least);
            assertEquals(0.18 * Math.pow(4, Math.max(-1, Math.min(1, side))), statistics.key(), 1e-9);
        }
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }

    private static double mean(double[] sorted, double[] weights, double offset, double from, double to) {
        double all = Arrays.stream(weights).sum();
        double sum = 0;
        double rank = 0;
        for (int i = 0; i < sorted.length; i++) {
            double taken = Math.min(rank + weights[i], to * all) - Math.max(rank, from * all);
            sum += Math.max(0, taken) * log2(offset + sorted[i]);
            rank += weights[i];
        }
        return sum / (all * (to - from));
    }

    @Test
    void aBinStandsAtTheAverageOfItsSteps() {
        FrameLayout layout = new FrameLayout(16, 1);
        IntBuffer histogram = IntBuffer.allocate(2 * FrameStatistics.BINS);
        histogram.put(177, 16).put(FrameStatistics.BINS + 177, 3 * 16 + 4);
        double expected = Math.log(1e-5 + 1 + (3.25 + 0.5) / 64) / Math.log(2);
        assertEquals(expected, of(histogram, layout).meanLog2Luminance(), 1e-12);
    }

    @Test
    void countsThatCannotBelongToTheFrameAreRefused() {
        FrameLayout layout = new FrameLayout(3, 2);
        IntBuffer histogram = IntBuffer.allocate(2 * FrameStatistics.BINS);
        histogram.put(0, 26).put(100, 5);
        assertThrows(IllegalArgumentException.class, () -> of(histogram, layout));
        histogram.put(0, 25).put(100, 7);
        assertThrows(IllegalArgumentException.class, () -> of(histogram, layout));
        histogram.put(0, 26).put(100, 6);
        assertEquals(
                Math.log(1e-5 + FrameStatistics.value(100, 0)) / Math.log(2),
                of(histogram, layout).meanLog2Luminance(),
                1e-12);
    }

    @Test
    void settingsThatNeedStatisticsSaySo() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ToneMapParameters.exposure(ToneMapSettings.of(Operator.ACES), null));
        assertEquals(
                4f, ToneMapParameters.exposure(ToneMapSettings.of(Operator.ACES).withExposure(2), null));
        assertEquals(1f, ToneMapParameters.exposure(ToneMapSettings.of(Operator.FILM), null));
    }

    private static FrameStatistics of(FrameLayout layout, float grey) {
        return of(layout, Frames.of(layout, () -> grey));
    }

    private static FrameStatistics of(FrameLayout layout, HostBuffer frame) {
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.statisticsJob(
                    layout, layout, PixelCoding.FLOATS, null, frame, ToneMapSettings.of(Operator.REINHARD)));
            return Objects.requireNonNull(mapper.statistics());
        }
    }

    private static FrameStatistics of(IntBuffer histogram, FrameLayout layout) {
        return FrameStatistics.of(
                histogram, layout, new int[2 * FrameStatistics.BINS], new double[FrameStatistics.BINS]);
    }
}
