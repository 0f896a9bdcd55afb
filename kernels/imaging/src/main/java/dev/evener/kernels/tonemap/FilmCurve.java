package dev.evener.kernels.tonemap;

import java.io.Serializable;

/**
 * Settings of {@link Operator#FILM}: defog, exposure, a knee that compresses highlights logarithmically, gamma. The curve
 * is that of OpenEXR's viewer, which the OpenCL sample that first split frames between devices took over.
 *
 * @param exposure stops; components are multiplied by {@code 2^(exposure + 2.47393)}; -20 to 20
 * @param kneeLow components above {@code 2^kneeLow} after exposure are compressed; -20 to 3.4
 * @param kneeHigh the component {@code 2^kneeHigh} after exposure becomes {@code 2^3.5}, full white; 3.6 to 20
 * @param gamma exponent applied after the knee, 0.1 to 10
 * @param defog subtracted from every component first, as the nearest float; 0 to 1,000,000
 */
public record FilmCurve(double exposure, double kneeLow, double kneeHigh, double gamma, double defog)
        implements Serializable {

    private static final FilmCurve DEFAULT = new FilmCurve(3, -3, 7.5, 1, 0);

    public FilmCurve {
        ToneMapSettings.require("film exposure", exposure, -20, 20);
        ToneMapSettings.require("film knee low", kneeLow, -20, 3.4);
        ToneMapSettings.require("film knee high", kneeHigh, 3.6, 20);
        ToneMapSettings.require("film gamma", gamma, 0.1, 10);
        ToneMapSettings.require("film defog", defog, 0, 1_000_000);
    }

    /** Exposure 3, knee from 2^-3 to 2^7.5, gamma 1, no defog. */
    public static FilmCurve defaults() {
        return DEFAULT;
    }

    /**
     * The knee's steepness {@code f}: the positive solution of {@code ln(f x + 1) / f = y}, where {@code x} is the knee's
     * length before and {@code y} after compression. The left side falls from {@code x} towards 0 as {@code f} grows, and
     * {@code x > y} by the ranges of the settings, so there is exactly one.
     */
    public double kneeFactor() {
        double x = StrictMath.pow(2, kneeHigh) - StrictMath.pow(2, kneeLow);
        double y = StrictMath.pow(2, 3.5) - StrictMath.pow(2, kneeLow);
        double low = 0;
        double high = 1;
        while (StrictMath.log1p(high * x) / high > y) {
            low = high;
            high *= 2;
        }
        // 100 halvings outlast a double's precision.
        for (int i = 0; i < 100; i++) {
            double middle = (low + high) / 2;
            if (StrictMath.log1p(middle * x) / middle > y) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
}
