package dev.evener.kernels.tonemap;

import org.jspecify.annotations.Nullable;

/** The factor that brings a frame's luminance into an operator's range. Pure functions; any thread. */
public final class Exposure {
    /** What the logarithmic average luminance maps to under automatic exposure: middle grey. Reinhard's key value. */
    public static final double MIDDLE_GREY = 0.18;

    private Exposure() {}

    /**
     * The exposure factor: {@code 2^stops} as set, or {@code 0.18} over the frame's logarithmic average luminance. Always
     * finite and positive: a black frame, whose average is 1e-5, gets 18,000.
     *
     * @param statistics the frame's; may be null if the settings say the exposure
     * @throws IllegalArgumentException if statistics are needed and absent
     */
    public static float factor(ToneMapSettings settings, @Nullable FrameStatistics statistics) {
        Double stops = settings.exposureStops();
        if (stops != null) {
            return (float) StrictMath.pow(2, stops);
        }
        if (settings.operator() == Operator.FILM) {
            return 1;
        }
        return (float) (MIDDLE_GREY / required(statistics).averageLuminance());
    }

    /** The frame's largest luminance, as a double. */
    static double maximum(@Nullable FrameStatistics statistics) {
        return required(statistics).maximumLuminance();
    }

    private static FrameStatistics required(@Nullable FrameStatistics statistics) {
        if (statistics == null) {
            throw new IllegalArgumentException("these settings need the frame's statistics");
        }
        return statistics;
    }
}
