package dev.evener.kernels.tonemap;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * What is constant over a frame: computed once on the host in double, rounded to float once, and read by every device.
 * The order is that of {@code tonemap.cl}.
 */
final class ToneMapParameters {
    /** Floats in the parameters buffer, whatever the operator. */
    static final int COUNT = 128;

    /** Where the saturation is, if it is not 1. */
    static final int SATURATION = 127;

    /** Hable's constants, as in Uncharted 2: shoulder, linear strength and angle, toe strength, numerator, denominator. */
    static final double A = 0.15;

    static final double B = 0.50;
    static final double C = 0.10;
    static final double E = 0.02;
    static final double F = 0.30;
    static final double HABLE_WHITE = 11.2;

    /** In units of diffuse white; Reinhard's key value. */
    static final double MIDDLE_GREY = 0.18;

    /** How far that is below 1: {@code -log2 0.18}. */
    private static final double STOPS_BELOW_WHITE = 2.4739313;

    /** What an exposed luminance of 1 becomes on HDR displays, in cd/m²: BT.2408. */
    static final double DIFFUSE_WHITE = 203;

    /** From linear Rec. 709, row by row: BT.2087. */
    static final double[] TO_BT2020 = {0.6274, 0.3293, 0.0433, 0.0691, 0.9195, 0.0114, 0.0164, 0.0880, 0.8956};

    /** From linear Rec. 709 to the space of Hill's fit, with AP1's primaries and the RRT's desaturation, and back to Rec. 709. */
    static final double[] TO_HILL = {0.59719, 0.35458, 0.04823, 0.07600, 0.90834, 0.01566, 0.02840, 0.13383, 0.83777};

    static final double[] FROM_HILL = {
        1.60475, -0.53108, -0.07367, -0.10208, 1.10813, -0.00605, -0.00327, -0.07276, 1.07602
    };

    /** AgX's inset of Rec. 709, and its inverse: Wrensch, Minimal AgX Implementation, 2023. */
    static final double[] INSET = {
        0.842479062253094, 0.0784335999999992, 0.0792237451477643,
        0.0423282422610123, 0.878468636469772, 0.0791661274605434,
        0.0423756549057051, 0.0784336, 0.879142973793104
    };

    static final double[] OUTSET = {
        1.19687900512017,
        -0.0980208811401368,
        -0.0990297440797205,
        -0.0528968517574562,
        1.15190312990417,
        -0.0989611768448433,
        -0.0529716355144438,
        -0.0980434501171241,
        1.15107367264116
    };

    private ToneMapParameters() {}

    /**
     * The parameters for a frame.
     *
     * @param statistics the frame's; may be null if the settings need none
     */
    static float[] of(ToneMapSettings settings, @Nullable FrameStatistics statistics) {
        float[] parameters = curve(settings, statistics);
        if (settings.colours().saturation() != 1) {
            parameters[SATURATION] = (float) settings.colours().saturation();
        }
        return parameters;
    }

    private static float[] curve(ToneMapSettings settings, @Nullable FrameStatistics statistics) {
        if (settings.operator() == Operator.FILM) {
            return film(settings);
        }
        float exposure = exposure(settings, statistics);
        double e = exposure;
        return switch (settings.operator()) {
            case REINHARD, KHRONOS_NEUTRAL -> floats(e);
            case REINHARD_EXTENDED -> floats(e, inverseSquareOfWhite(e, settings, statistics));
            case DRAGO -> drago(e, settings, statistics);
            case HABLE -> hable(e, settings);
            case ACES -> floats(e, 0.03 * e, 2.51 * e);
            case FILM -> throw new AssertionError("done above");
            case REINHARD_LOCAL -> reinhardLocal(e, settings.metering().key(statistics));
            case PQ -> hdr(e, 10_000, settings);
            case HLG -> hdr(e, 1_000, settings);
            case ACES_HILL -> matrices(TO_HILL, e, FROM_HILL, 1);
            case AGX -> matrices(INSET, e, OUTSET, 255);
            case GUIDED -> guided(e, settings, statistics);
        };
    }

    /**
     * The exposure factor: {@code 2^stops} as set, or what metering exposes the average to over the frame's logarithmic average
     * luminance, at most 2^20, so that nothing overflows. Always positive: a black frame, whose average is 1e-5, gets 18,000, of
     * {@link Operator#DRAGO} 100,000.
     */
    static float exposure(ToneMapSettings settings, @Nullable FrameStatistics statistics) {
        Double stops = settings.exposureStops();
        if (stops != null) {
            return (float) StrictMath.pow(2, stops);
        }
        if (settings.operator() == Operator.FILM) {
            return (float) StrictMath.pow(2, settings.metering().bias());
        }
        return (float) Math.min(0x1p20, settings.target(required(statistics)) / statistics.averageLuminance());
    }

    static FrameStatistics required(@Nullable FrameStatistics statistics) {
        if (statistics == null) {
            throw new IllegalArgumentException("these settings need the frame's statistics");
        }
        return statistics;
    }

    /** {@code (e / Lw)^2}, so that {@code L^2 / Lw^2 = Y^2} times it. */
    private static double inverseSquareOfWhite(
            double e, ToneMapSettings settings, @Nullable FrameStatistics statistics) {
        Double white = settings.white();
        // With Lw = e * the frame's white the e cancels. A black frame stays black whatever this is.
        double root =
                white != null ? e / white : inverseOrZero(required(statistics).highLuminance());
        return root * root;
    }

    private static float[] drago(double e, ToneMapSettings settings, @Nullable FrameStatistics statistics) {
        Double white = settings.white();
        double maximum = white != null ? white / e : required(statistics).highLuminance();
        double log10 = StrictMath.log1p(e * maximum) / StrictMath.log(10);
        double bias = StrictMath.log(settings.dragoBias()) / StrictMath.log(0.5);
        // What the power takes to less than 2^-100 is nothing beside 2.
        double least = StrictMath.pow(2, -100 / Math.max(1, bias));
        return floats(e, e * inverseOrZero(log10), inverseOrZero(maximum), bias, least);
    }

    private static float[] hable(double e, ToneMapSettings settings) {
        Double white = settings.white();
        double w = white != null ? white : HABLE_WHITE;
        // The curve less E/F, with the subtraction done on paper, where it cancels D and leaves no rounding error:
        // x (A (1 - E/F) x + B (C - E/F)) / (x (A x + B) + D F).
        double linear = B * (C - E / F);
        double square = A * (1 - E / F);
        double atWhite = w * (square * w + linear) / (w * (A * w + B) + 0.06);
        double x = 2 * e;
        return floats(x, x * linear / atWhite, x * square / atWhite);
    }

    /** The weights of each scale's Gaussian from its middle outwards, and {@code 2^phi a / s^2} with phi 8 and the key a. */
    private static float[] reinhardLocal(double e, double key) {
        double[] parameters = new double[COUNT];
        parameters[0] = e;
        int at = 1;
        for (int scale = 0; scale < LocalMapping.SCALES; scale++) {
            int radius = LocalMapping.radius(scale);
            double sum = 1;
            for (int by = 0; by <= radius; by++) {
                double deviations = by / LocalMapping.deviation(scale);
                parameters[at + by] = StrictMath.exp(-deviations * deviations / 2);
                sum += by == 0 ? 0 : 2 * parameters[at + by];
            }
            for (int by = 0; by <= radius; by++) {
                parameters[at++] /= sum;
            }
        }
        for (int scale = 0; scale + 1 < LocalMapping.SCALES; scale++) {
            double s = 4 * LocalMapping.deviation(scale);
            parameters[at++] = 256 * key / (s * s);
        }
        return floats(parameters);
    }

    /**
     * What the base's distance from middle grey changes by, so that the exposed white maps to 1, and how far middle grey, the key, is
     * below 1, in stops.
     */
    private static float[] guided(double e, ToneMapSettings settings, @Nullable FrameStatistics statistics) {
        Double set = settings.white();
        double white = set != null ? set : e * required(statistics).highLuminance();
        double key = settings.metering().key(statistics);
        double contrast = white > 1 ? StrictMath.log(key) / StrictMath.log(key / white) : 1;
        return floats(e, contrast - 1, STOPS_BELOW_WHITE - StrictMath.log(key / MIDDLE_GREY) / StrictMath.log(2));
    }

    private static float[] film(ToneMapSettings settings) {
        FilmCurve film = settings.film();
        Double stops = settings.exposureStops();
        double exposure =
                film.exposure() + 2.47393 + (stops == null ? settings.metering().bias() : stops);
        return floats(
                film.defog(),
                StrictMath.pow(2, exposure),
                StrictMath.pow(2, film.kneeLow()),
                film.kneeFactor(),
                film.gamma(),
                255 * StrictMath.pow(2, -3.5 * film.gamma()));
    }

    /**
     * For a curve that ends at {@code most} cd/m². Above the knee {@code k}, half the peak, a luminance {@code x} becomes {@code 2 k -
     * k^2 / x}, the compression of {@link Operator#KHRONOS_NEUTRAL} with another knee; without a peak nothing
     * of {@link Operator#PQ} is compressed.
     */
    private static float[] hdr(double e, double most, ToneMapSettings settings) {
        Double set = settings.peak();
        double peak = (set == null ? most : set) / most;
        boolean without = settings.operator() == Operator.PQ && set == null;
        double[] roll = {without ? 0x1p100 : peak / 2, peak * peak / 4, peak};
        return matrices(TO_BT2020, e * DIFFUSE_WHITE / most, roll, 1);
    }

    /** A matrix times a factor, and what follows times another. */
    private static float[] matrices(double[] first, double factor, double[] second, double times) {
        return floats(DoubleStream.concat(
                        Arrays.stream(first).map(m -> m * factor),
                        Arrays.stream(second).map(m -> m * times))
                .toArray());
    }

    private static double inverseOrZero(double value) {
        return value == 0 ? 0 : 1 / value;
    }

    private static float[] floats(double... values) {
        float[] floats = new float[COUNT];
        for (int i = 0; i < values.length; i++) {
            // Nothing this small matters beside what it is added to, and some devices have no denormal numbers.
            floats[i] = Math.abs(values[i]) < 0x1p-100 ? 0 : (float) values[i];
        }
        return floats;
    }
}
