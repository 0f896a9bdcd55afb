package dev.evener.kernels.tonemap;

import java.nio.IntBuffer;

/**
 * What exposure needs to know of a frame, worked out from an integer histogram, so that it has the same bits however the
 * frame was split.
 *
 * @param meanLog2Luminance mean over all pixels of {@code log2(1e-5 + Y)}, each pixel's luminance {@code Y} standing at
 *     its bin's {@link #representative value}
 * @param maximumLuminance the largest luminance, exactly; 0 for a black frame
 * @param highLuminance the brightest pixel's luminance but for a hundredth of them, rounded down, at its bin's representative
 *     value
 */
public record FrameStatistics(double meanLog2Luminance, float maximumLuminance, double highLuminance) {

    /** Bins of the histogram. Bin 0 is below 2^-24, the rest are eight to the octave. */
    public static final int BINS = 512;

    private static final double[] LOG2 = new double[BINS];

    static {
        for (int bin = 0; bin < BINS; bin++) {
            // StrictMath, because Math.log may differ in the last bit between machines.
            LOG2[bin] = StrictMath.log(1e-5 + representative(bin)) / StrictMath.log(2);
        }
    }

    /**
     * From what the statistics kernel left.
     *
     * @param histogram {@link #BINS} counts that include the padding pixels
     * @param maximumBits bits of the largest luminance as a float
     * @param layout the frame's
     * @throws IllegalArgumentException if the counts do not belong to such a frame
     */
    public static FrameStatistics of(IntBuffer histogram, int maximumBits, FrameLayout layout) {
        int[] counts =
                new int[BINS]; // in one piece: this runs between two phases, where element-wise access would show
        histogram.get(0, counts);
        long padding = layout.words() - layout.pixels();
        long counted = 0;
        long brightest = layout.pixels() / 100;
        int high = 0;
        double sum = 0;
        for (int bin = 0; bin < BINS; bin++) {
            long count = Integer.toUnsignedLong(counts[bin]);
            high = layout.words() - counted > brightest ? bin : high;
            counted += count;
            if (bin == 0) {
                count -= padding;
                if (count < 0) {
                    throw new IllegalArgumentException("the frame's padding pixels must be 0");
                }
            }
            sum += count * LOG2[bin];
        }
        if (counted != layout.words()) {
            throw new IllegalArgumentException("the histogram counts " + counted + " pixels, a frame of "
                    + layout.width() + " x " + layout.height() + " with padding has " + layout.words());
        }
        return new FrameStatistics(sum / layout.pixels(), Float.intBitsToFloat(maximumBits), representative(high));
    }

    /**
     * These statistics, gone on to those of the next frame: the figures {@code f} of a sequence become {@code f + a (next - f)} in
     * logarithms, {@code a = 1 - e^(-1 / frames)}, an exponential moving average. So a change is taken up by 63 % after that many
     * frames, and a step from frame to frame is at most {@code a} times what the frames' own figures span. A black frame, which says
     * nothing, changes nothing.
     *
     * <p>The form of adaptation over time of Durand and Dorsey, <i>Interactive Tone Mapping</i>, Eurographics Workshop on Rendering
     * 2000, for the logarithms that exposure is made of.
     *
     * @param next of the frame that follows
     * @param frames the time constant in frames, above 0
     */
    public FrameStatistics towards(FrameStatistics next, double frames) {
        if (next.maximumLuminance == 0) {
            return this;
        }
        double part = -StrictMath.expm1(-1 / frames);
        return new FrameStatistics(
                meanLog2Luminance + part * (next.meanLog2Luminance - meanLog2Luminance),
                (float) between(maximumLuminance, next.maximumLuminance, part),
                between(highLuminance, next.highLuminance, part));
    }

    /** With the offset of the average, because these may be 0. */
    private static double between(double from, double to, double part) {
        double logarithm = StrictMath.log(1e-5 + from);
        return Math.max(0, StrictMath.exp(logarithm + part * (StrictMath.log(1e-5 + to) - logarithm)) - 1e-5);
    }

    /** The luminance that stands for a bin: 0 for bin 0, the middle of any other. */
    public static double representative(int bin) {
        if (bin == 0) {
            return 0;
        }
        int eighths = bin - 1;
        return StrictMath.scalb(1 + (2 * (eighths % 8) + 1) / 16.0, eighths / 8 - 24);
    }

    /** The logarithmic average luminance, {@code 2^meanLog2Luminance}; at least about 1e-5. */
    public double averageLuminance() {
        return StrictMath.pow(2, meanLog2Luminance);
    }
}
