package dev.evener.kernels.tonemap;

import java.nio.IntBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What exposure needs to know of a frame, worked out from an integer histogram, so that it has the same bits however the
 * frame was split. Pixels of a luminance below 2^-22 are left out: black, NaN, what an OpenEXR file has no data for or nothing at all
 * was rendered in. Logarithms are of {@code 1e-5 + Y}.
 *
 * <p>What is far darker than the picture is as good as black, as what stands behind an object: pixels count fully down to 8 stops below
 * what is bright, less and less below that, and from 10 stops, a thousandth, on not at all. So shadows of real scenes count (of the four
 * that come with Evener the average moves by 0.04 stops in the median), and objects before a dark ground are exposed as if they filled the frame.
 *
 * <p>Averages go over a range of the pixels that count in the order of their brightness, so that a few of any brightness change little, and
 * nothing jumps when one is moved a little.
 *
 * <p>There are 512 bins, eight to an octave and linear within it; with each bin's sum of steps its {@code n} pixels
 * stand at their average {@code v}, which is within 0.8 % for one luminance. Let {@code d} be the stops of {@code v}
 * below what is bright: the mean of {@code log2 v} over the part 0.96 to 0.99 of all. {@code A(a, b)} is the mean of
 * {@code log2(1e-5 + v)} over the part {@code a} to {@code b} of the weighted pixels in the order of brightness:
 *
 * <pre>{@code
 * weight   w = t^2 (3 - 2 t),  t = (10 - d) / 2 within 0 and 1
 * average  M = 2^A(0.1, 0.9)
 * white    2^max(A(0.99, 0.999), log2(M / 0.18)) - 1e-5
 * key      0.18 * 4^s,  s = (2 log2 M - l - m) / max(1, m - l) within -1 and 1,  l = A(0.01, 0.02),  m = A(0.98, 0.99)
 * }</pre>
 *
 * The key is by Reinhard, Parameter Estimation for Photographic Tone Reproduction, Journal of Graphics Tools 7, 2003.
 *
 * @param meanLog2Luminance mean logarithm to base 2 of the pixels but the darkest and the brightest tenth; of {@code 1e-5} for a
 *     black frame
 * @param highLuminance what is to be white: the logarithmic average of the brightest hundredth but its brightest tenth, or that from
 *     which the average is 18 %, if that is more; 0 for a black frame
 * @param key middle grey that leaves a night dark and snow bright: 0.18 where the average is midway between the darkest and the brightest
 *     hundredth but one, up to four times or down to a quarter of it where it is nearer to either
 * @param bright logarithm to base 2 of what is bright: the average of the brightest twenty-fifth but its brightest quarter, however dark
 *     the rest is; of {@code 1e-5} for a black frame
 */
public record FrameStatistics(double meanLog2Luminance, double highLuminance, double key, double bright) {

    /** Bins of the histogram. Bin 0 is below 2^-22, the rest are eight to the octave. */
    public static final int BINS = 512;

    /** Steps of a bin, of which pixels' sums follow the histogram's counts. */
    static final int STEPS = 8;

    /** Stops below what is bright, down to which pixels count, and from which on they do not. */
    private static final double FULL = 8;

    private static final double NONE = 10;

    /** Of a luminance that may be 0. */
    private static final double OFFSET = 1e-5;

    /**
     * From what the statistics kernel left.
     *
     * @param histogram {@link #BINS} counts that include the padding pixels, and as many sums of the steps within the bins
     * @param layout the frame's
     * @param counts takes what the histogram holds
     * @param mass room for as many weights as bins
     * @throws IllegalArgumentException if the counts do not belong to such a frame
     */
    static FrameStatistics of(IntBuffer histogram, FrameLayout layout, int[] counts, double[] mass) {
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
        return of(counts, null, mass);
    }

    /**
     * From a histogram that {@link ToneMapper#histogram} gave.
     *
     * @param bright what level is, as in other frames of a shot; at most the frame's own, which null stands for
     * @throws IllegalArgumentException if it is of another length
     */
    public static FrameStatistics of(int[] histogram, @Nullable Double bright) {
        if (histogram.length != 2 * BINS) {
            throw new IllegalArgumentException("a histogram has " + 2 * BINS + " numbers, not " + histogram.length);
        }
        return of(histogram, bright, new double[BINS]);
    }

    private static FrameStatistics of(int[] histogram, @Nullable Double bright, double[] mass) {
        double lit = 0;
        for (int bin = 1; bin < BINS; bin++) {
            mass[bin] = Integer.toUnsignedLong(histogram[bin]);
            lit += mass[bin];
        }
        if (lit == 0) {
            return new FrameStatistics(log2(OFFSET), 0, ToneMapParameters.MIDDLE_GREY, log2(OFFSET));
        }
        double level = average(histogram, mass, 0, 0.96, 0.99);
        level = bright == null ? level : Math.min(level, bright);
        for (int bin = 1; bin < BINS; bin++) {
            if (mass[bin] > 0) {
                double way = (NONE - level + log2(value(histogram, bin))) / (NONE - FULL);
                way = Math.max(0, Math.min(1, way));
                mass[bin] *= way * way * (3 - 2 * way);
            }
        }
        double mean = average(histogram, mass, OFFSET, 0.1, 0.9);
        double high = average(histogram, mass, OFFSET, 0.99, 0.999);
        double white = mean - log2(ToneMapParameters.MIDDLE_GREY);
        // Reinhard, "Parameter Estimation for Photographic Tone Reproduction", 2003.
        double least = average(histogram, mass, OFFSET, 0.01, 0.02);
        double most = average(histogram, mass, OFFSET, 0.98, 0.99);
        double side = (2 * mean - least - most) / Math.max(1, most - least); // within a stop there is neither
        double key = ToneMapParameters.MIDDLE_GREY * StrictMath.pow(4, Math.max(-1, Math.min(1, side)));
        return new FrameStatistics(mean, luminance(Math.max(high, white)), key, level);
    }

    /** The mean logarithm from a part of the mass to another; all of a bin, or a part of it, stand at the average of its pixels. */
    private static double average(int[] counts, double[] mass, double offset, double from, double to) {
        double all = 0;
        for (double each : mass) {
            all += each;
        }
        double sum = 0;
        double rank = 0;
        for (int bin = 1; bin < BINS; bin++) {
            double taken = Math.min(to * all, rank + mass[bin]) - Math.max(from * all, rank);
            sum += taken > 0 ? taken * log2(offset + value(counts, bin)) : 0;
            rank += mass[bin];
        }
        return sum / ((to - from) * all);
    }

    private static double value(int[] counts, int bin) {
        return value(bin, Integer.toUnsignedLong(counts[BINS + bin]) / (double) Integer.toUnsignedLong(counts[bin]));
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
