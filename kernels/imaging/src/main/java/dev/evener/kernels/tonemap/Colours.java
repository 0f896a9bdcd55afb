package dev.evener.kernels.tonemap;

import java.io.Serializable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How colours go through a tone curve.
 *
 * @param curveOn what the curve is applied to; null for what is published for the {@linkplain Operator operator}
 * @param outOfRange what becomes of components that the display does not have
 * @param saturation what a pixel's distance from the grey of its luminance is multiplied by, in linear light and before the curve;
 *     0 to 2
 */
public record Colours(@Nullable CurveOn curveOn, OutOfRange outOfRange, double saturation) implements Serializable {

    /** Curves as published, colours kept, saturation 1. */
    public static final Colours DEFAULTS = new Colours(null, OutOfRange.PRESERVE, 1);

    /** What a curve is applied to. */
    public enum CurveOn {
        /** Rec. 709 luminance; components are multiplied by what it changes by. Hue and saturation stay. */
        LUMINANCE,
        /** Red, green and blue, each by itself. Bright colours lose saturation, and hues move towards a primary or its opposite. */
        CHANNELS
    }

    /** What becomes of components below 0 and above the display's most. */
    public enum OutOfRange {
        /**
         * The colour goes towards the grey of its luminance {@code y}, at most the display's most {@code m}, until all
         * components are in range: {@code c' = y + t (c - y)} with the largest such {@code t <= 1}. So the luminance
         * shown is the curve's, and a pixel whose luminance is beyond the display's is white.
         *
         * <p>Saturated blues and oranges would look violet and pink on that straight way. So for curves on luminance,
         * PQ and HLG, what went towards {@code m} is bent: green takes over from the lesser, {@code o} before, of red
         * and blue, whose greater is {@code h}. The lesser loses {@code wG f}, green gains {@code wo f}, by the weights
         * {@code w} of luminance:
         *
         * <pre>{@code
         * f = 0.28 t (1 - t) min(h - 2 o + 3 min(G - o, 0), 3 (h - G)),  within 0 and o' / wG
         * }</pre>
         *
         * The factors are a fit to Oklab (Ottosson, 2020): hues move by 10° at most, on average by 1°. Curves on
         * channels move hues as published.
         */
        PRESERVE,
        /** Each component is cut off by itself: luminance falls, and hues move. */
        CLIP
    }

    public Colours {
        Objects.requireNonNull(outOfRange, "outOfRange");
        ToneMapSettings.require("saturation", saturation, 0, 2);
    }
}
