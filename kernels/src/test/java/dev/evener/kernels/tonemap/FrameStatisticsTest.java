package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FrameStatisticsTest {

    @Test
    void aBlackFrameHasTheAverageOfTheOffset() {
        FrameStatistics statistics = of(new FrameLayout(5, 3), 0f);
        assertEquals(0f, statistics.maximumLuminance());
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
        assertEquals(0x1p40f, of(pixel, Float.POSITIVE_INFINITY).maximumLuminance(), 0x1p17f);
        float factor =
                ToneMapParameters.exposure(ToneMapSettings.of(Operator.DRAGO), of(pixel, Float.POSITIVE_INFINITY));
        assertTrue(factor > 0 && factor < 1e-11f);
    }

    @Test
    void theAverageIsWithinHalfABinOfTheTruth() {
        for (double exponent = -16; exponent < 39; exponent += 0.37) {
            float grey = (float) Math.pow(2, exponent);
            double average = of(new FrameLayout(7, 7), grey).averageLuminance();
            assertEquals(1, average / (1e-5 + grey), 0.07, "grey " + grey);
        }
    }

    @Test
    void binsCoverTheFloatsInOrderWithoutGaps() {
        assertEquals(0, PixelMath.bin(0f));
        assertEquals(0, PixelMath.bin(Math.nextDown(0x1p-24f)));
        assertEquals(1, PixelMath.bin(0x1p-24f));
        assertEquals(511, PixelMath.bin(0x1.cp39f));
        assertEquals(511, PixelMath.bin(0x1p40f));
        assertEquals(511, PixelMath.bin(0x1p41f));
        int last = 0;
        for (int bits = 0; bits < Float.floatToRawIntBits(0x1p41f); bits += 1 << 16) {
            int bin = PixelMath.bin(Float.intBitsToFloat(bits));
            assertTrue(bin == last || bin == last + 1);
            last = bin;
        }
        for (int bin = 1; bin < FrameStatistics.BINS; bin++) {
            assertEquals(bin, PixelMath.bin((float) FrameStatistics.representative(bin)));
        }
    }

    @Test
    void theHighLuminanceLeavesAHundredthBrighter() {
        FrameLayout layout = new FrameLayout(100, 4);
        IntBuffer histogram = IntBuffer.allocate(FrameStatistics.BINS);
        histogram.put(0, layout.words() - 105).put(200, 100).put(300, 1).put(301, 4);
        assertEquals(
                FrameStatistics.representative(300),
                FrameStatistics.of(histogram, 0, layout).highLuminance());
        histogram.put(200, 101).put(300, 0);
        assertEquals(
                FrameStatistics.representative(200),
                FrameStatistics.of(histogram, 0, layout).highLuminance());
    }

    @Test
    void countsThatCannotBelongToTheFrameAreRefused() {
        FrameLayout layout = new FrameLayout(3, 2);
        IntBuffer histogram = IntBuffer.allocate(FrameStatistics.BINS);
        histogram.put(0, 26).put(100, 5);
        assertThrows(IllegalArgumentException.class, () -> FrameStatistics.of(histogram, 0, layout));
        histogram.put(100, 6);
        assertEquals(log2(100), FrameStatistics.of(histogram, 0, layout).meanLog2Luminance(), 1e-12);
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

    private static double log2(int bin) {
        return Math.log(1e-5 + FrameStatistics.representative(bin)) / Math.log(2);
    }

    private static FrameStatistics of(FrameLayout layout, float grey) {
        HostBuffer frame = TestBuffers.allocate(ElementType.FLOAT, layout.floats());
        FloatBuffer floats = frame.floats();
        for (int row = 0; row < 3 * layout.height(); row++) {
            for (int x = 0; x < layout.width(); x++) {
                floats.put(row * layout.stride() + x, grey);
            }
        }
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.job(
                    layout,
                    frame,
                    Frames.output(layout, Operator.REINHARD_EXTENDED),
                    ToneMapSettings.of(Operator.REINHARD_EXTENDED)));
            return Objects.requireNonNull(mapper.statistics());
        }
    }
}
