package dev.evener.kernels.tonemap;

import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a frame is tone-mapped with.
 *
 * @param operator the tone curve
 * @param exposureStops stops, -20 to 20: components are multiplied by {@code 2^exposureStops}; null for automatic exposure
 * @param metering of automatic exposure, whose key is also what {@linkplain Operator#isLocal local} operators take for middle grey, whatever
 *     the exposure; {@link Operator#DRAGO} maps the average to 1 where others map it to 0.18. {@link
 *     Operator#FILM} has an exposure of its own: for it automatic means a factor of {@code 2^bias}
 * @param white exposed luminance that maps to white, 0.001 to 1e12; null for the operator's default: the frame's {@linkplain
 *     FrameStatistics#highLuminance high luminance}, exposed, for {@link Operator#REINHARD_EXTENDED}, {@link Operator#DRAGO} and {@link
 *     Operator#GUIDED}, 11.2 for {@link Operator#HABLE}. Other operators ignore it
 * @param dragoBias {@link Operator#DRAGO}'s bias, 0.01 to 1: less is a steeper start and stronger compression
 * @param film {@link Operator#FILM}'s settings
 * @param peak what luminances of {@link Operator#PQ} and {@link Operator#HLG} near from half of it on, in cd/m², 100 to 10,000 or 1,000;
 *     null for 1,000 of HLG, and for no roll-off of PQ, which ends at 10,000
 * @param colours how colours go through the curve
 * @param wrap whether what is beyond the left and right edge, for {@linkplain Operator#isLocal local} operators, are the pixels at the other
 *     edge, as of panoramas, and not those at the same
 * @param look what becomes of the picture's colours behind the curve, if it is for plain displays; null for nothing
 */
public record ToneMapSettings(
        Operator operator,
        @Nullable Double exposureStops,
        Metering metering,
        @Nullable Double white,
        double dragoBias,
        FilmCurve film,
        @Nullable Double peak,
        Colours colours,
        boolean wrap,
        @Nullable Look look)
        implements Serializable {

    /** The bias that Drago and others recommend. */
    public static final double DEFAULT_DRAGO_BIAS = 0.85;

    public ToneMapSettings {
        Objects.requireNonNull(operator, "operator");
        Objects.requireNonNull(metering, "metering");
        Objects.requireNonNull(film, "film");
        if (colours.curveOn() != null && !operator.takesCurveOn()) {
            throw new IllegalArgumentException(
                    "the curve of " + operator.commandLineName() + " makes no sense on both luminance and channels");
        }
        if (wrap && !operator.isLocal()) {
            throw new IllegalArgumentException(operator.commandLineName() + " looks at no pixels around one; there is"
                    + " nothing to wrap around");
        }
        if (look != null && operator.words() > 1) {
            throw new IllegalArgumentException(
                    "a look is for pictures of plain displays, not for " + operator.commandLineName());
        }
        if (exposureStops != null) {
            require("exposure", exposureStops, -20, 20);
        }
        if (white != null) {
            require("white", white, 0.001, 1e12);
        }
        require("drago bias", dragoBias, 0.01, 1);
        if (peak != null) {
            require("peak", peak, 100, operator == Operator.HLG ? 1_000 : 10_000);
        }
    }

    /** An operator with automatic exposure and defaults for the rest. */
    public static ToneMapSettings of(Operator operator) {
        return new ToneMapSettings(
                operator,
                null,
                Metering.defaults(),
                null,
                DEFAULT_DRAGO_BIAS,
                FilmCurve.defaults(),
                null,
                Colours.DEFAULTS,
                false,
                null);
    }

    /** The same with this exposure in stops. */
    public ToneMapSettings withExposure(double stops) {
        return new ToneMapSettings(operator, stops, metering, white, dragoBias, film, peak, colours, wrap, look);
    }

    /** The same with automatic exposure, metered so. */
    public ToneMapSettings withAutoExposure(Metering chosen) {
        return new ToneMapSettings(operator, null, chosen, white, dragoBias, film, peak, colours, wrap, look);
    }

    /** The same with this white. */
    public ToneMapSettings withWhite(double exposedLuminance) {
        return new ToneMapSettings(
                operator, exposureStops, metering, exposedLuminance, dragoBias, film, peak, colours, wrap, look);
    }

    /** The same with this Drago bias. */
    public ToneMapSettings withDragoBias(double bias) {
        return new ToneMapSettings(operator, exposureStops, metering, white, bias, film, peak, colours, wrap, look);
    }

    /** The same with this film curve. */
    public ToneMapSettings withFilm(FilmCurve curve) {
        return new ToneMapSettings(
                operator, exposureStops, metering, white, dragoBias, curve, peak, colours, wrap, look);
    }

    /** The same with this peak in cd/m². */
    public ToneMapSettings withPeak(double luminance) {
        return new ToneMapSettings(
                operator, exposureStops, metering, white, dragoBias, film, luminance, colours, wrap, look);
    }

    /** The same with these colours. */
    public ToneMapSettings withColours(Colours other) {
        return new ToneMapSettings(operator, exposureStops, metering, white, dragoBias, film, peak, other, wrap, look);
    }

    /** The same with or without wrapping around. */
    public ToneMapSettings withWrap(boolean around) {
        return new ToneMapSettings(
                operator, exposureStops, metering, white, dragoBias, film, peak, colours, around, look);
    }

    /** The same with this look, or with none. */
    public ToneMapSettings withLook(@Nullable Look after) {
        return new ToneMapSettings(
                operator, exposureStops, metering, white, dragoBias, film, peak, colours, wrap, after);
    }

    /** Whether the curve is applied to red, green and blue. */
    boolean onChannels() {
        Colours.CurveOn chosen = colours.curveOn();
        return chosen == null ? operator.isPublishedOnChannels() : chosen == Colours.CurveOn.CHANNELS;
    }

    /** What automatic exposure maps a frame's average luminance to. */
    double target(FrameStatistics statistics) {
        return metering.key(statistics) * StrictMath.pow(2, metering.bias()) * operator.gain();
    }

    /** Options that kernels are built with, for so many words a pixel. */
    String options(int words) {
        return "-D OPERATOR=" + operator.number() + " -D WORDS=" + words + (onChannels() ? " -D CHANNELS" : "")
                + (colours.outOfRange() == Colours.OutOfRange.CLIP ? " -D CLIP" : "")
                + (colours.saturation() == 1 ? "" : " -D SATURATED")
                + (wrap ? " -D WRAP" : "");
    }

    /**
     * The same with the exposure, key and white that automatic exposure gives a frame with these statistics, so that it can be mapped
     * without its own; within a rounding, and within the ranges above. What is set already stays.
     */
    public ToneMapSettings exposedFor(FrameStatistics statistics) {
        if (!needsStatistics()) {
            return this;
        }
        Double stops = exposureStops;
        if (stops == null) {
            double automatic = StrictMath.log(target(statistics)) / StrictMath.log(2);
            stops = Math.max(-20, Math.min(20, automatic - statistics.meanLog2Luminance()));
        }
        Double chosen = white;
        if (chosen == null && ownWhite()) {
            chosen = Math.max(0.001, Math.min(1e12, StrictMath.pow(2, stops) * statistics.highLuminance()));
        }
        Metering keyed = new Metering(metering.key(statistics), metering.bias());
        return new ToneMapSettings(operator, stops, keyed, chosen, dragoBias, film, peak, colours, wrap, look);
    }

    /** Whether white is what the frame says, where it is not set. */
    private boolean ownWhite() {
        return operator == Operator.REINHARD_EXTENDED || operator == Operator.DRAGO || operator == Operator.GUIDED;
    }

    /** Whether the frame's statistics are needed: for automatic exposure, for white, or for the key that a local operator takes. */
    public boolean needsStatistics() {
        boolean keyed = metering.key() == null && operator.isLocal();
        return operator != Operator.FILM && (exposureStops == null || keyed || (white == null && ownWhite()));
    }

    /** Requires a number in {@code [low, high]}. */
    static void require(String what, double value, double low, double high) {
        if (!(value >= low && value <= high)) {
            throw new IllegalArgumentException(
                    what + " must be between " + plain(low) + " and " + plain(high) + ", not " + plain(value));
        }
    }

    private static String plain(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e6
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
