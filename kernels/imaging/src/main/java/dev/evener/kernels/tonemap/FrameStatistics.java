package dev.evener.kernels.tonemap;

import java.nio.IntBuffer;

/**
 * What exposure needs to know of a frame, worked out from an integer histogram, so that it has the same bits however the
 * frame was split. Pixels of a luminance below 2^-22 are left out: black, NaN, what an OpenEXR file has no data for or nothing at all
 * was rendered in. Logarithms are of {@code 1e-5 + Y}.
 *
 * <p>Averages go over a range of the other pixels in the order of their brightness, so that a few of any brightness change little, and
 * nothing jumps when one is moved a little.
 *
 * @param meanLog2Luminance mean logarithm to base 2 of the pixels but the darkest and the brightest tenth; of {@code 1e-5} for a
 *     black frame
 * @param highLuminance what is to be white: the logarithmic average of the brightest hundredth but its brightest tenth, or that from
 *     which the average is 18 %, if that is more; 0 for a black frame
 */
public record FrameStatistics(double meanLog2Luminance, double highLuminance) {

    /** Bins of the histogram. Bin 0 is below 2^-22, the rest are eight to the octave. */
    public static final int BINS = 512;

    /** Steps of a bin, of which pixels' sums follow the histogram's counts. */
    static final int STEPS = 8;

    /** Of a luminance that may be 0. */
    private static final double OFFSET = 1e-5;

    /**
     * From what the statistics kernel left.
     *
     * @param histogram {@link #BINS} counts that include the padding pixels, and as many sums of the steps within the bins
     * @param layout the frame's
     * @throws IllegalArgumentException if the counts do not belong to such a frame
     */
    public static FrameStatistics of(IntBuffer histogram, FrameLayout layout) {
        return of(histogram, layout, new int[2 * BINS]);
    }

    /** The same with room for what the histogram holds. */
    static FrameStatistics of(IntBuffer histogram, FrameLayout layout, int[] counts) {
        histogram.get(0, counts); // in one piece: this runs between two phases, where element-wise access would show
        long counted = 0;
        for (int bin = 0; bin < BINS; bin++) {
            counted += Integer.toUnsignedLong(counts[bin]);
        }
        long black = Integer.toUnsignedLong(counts[0]);
        if (black < layout.words() - layout.pixels()) {
            throw new IllegalArgumentException("the frame's padding pixels must be 0");
        }
        if (counted != layout.words()) {
            throw new IllegalArgumentException("the histogram counts " + counted + " pixels, a frame of "
                    + layout.width() + " x " + layout.height() + " with padding has " + layout.words());
        }
        long lit = counted - black;
        if (lit == 0) {
            return new FrameStatistics(log2(OFFSET), 0);
        }
        double mean = average(counts, 0.1 * lit, 0.9 * lit);
        double high = average(counts, 0.99 * lit, 0.999 * lit);
        double white = mean - log2(ToneMapParameters.MIDDLE_GREY);
        return new FrameStatistics(mean, luminance(Math.max(high, white)));
    }

    /** The mean logarithm of the pixels between two of a rank, black ones not counted; a part of a bin stands at its average, too. */
    private static double average(int[] counts, double from, double to) {
        double sum = 0;
        double rank = 0;
        for (int bin = 1; bin < BINS && rank < to; bin++) {
            long count = Integer.toUnsignedLong(counts[bin]);
            double taken = Math.min(to, rank + count) - Math.max(from, rank);
            if (taken > 0) {
                double step = Integer.toUnsignedLong(counts[BINS + bin]) / (double) count;
                sum += taken * log2(OFFSET + value(bin, step));
            }
            rank += count;
        }
        return sum / (to - from);
    }

    /** The luminance in the middle of a bin's step, which may be a fraction. */
    static double value(int bin, double step) {
        int eighths = bin - 1;
        return StrictMath.scalb(1 + (eighths % 8 + (step + 0.5) / STEPS) / 8, eighths / 8 - 22);
    }

    // StrictMath, because Math.log may differ in the last bit between machines.
    private static double log2(double value) {
        return StrictMath.log(value) / StrictMath.log(2);
    }

    private static double luminance(double log2) {
        return Math.max(0, StrictMath.pow(2, log2) - OFFSET);
    }

    /** The logarithmic average luminance, {@code 2^meanLog2Luminance}; at least about 1e-5. */
    public double averageLuminance() {
        return StrictMath.pow(2, meanLog2Luminance);
    }
}
