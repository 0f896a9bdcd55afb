package dev.evener.kernels.tonemap;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.stream.Collectors;

/**
 * A tone curve. Those on luminance compute a display luminance from the Rec. 709 luminance and multiply all three
 * components by their ratio; those on channels treat red, green and blue. {@link Colours} has what becomes of colours out of range.
 * {@code L} is the exposed luminance or component, {@code Ld} what becomes of it, {@code Lw} the white.
 */
public enum Operator {
    /** Global curve {@code L / (1 + L)}, on luminance. Reinhard, Stark, Shirley and Ferwerda, SIGGRAPH 2002. */
    REINHARD(0, "reinhard"),
    /** {@code L (1 + L / Lw^2) / (1 + L)}, on luminance: the white {@code Lw} maps to 1. Same paper. */
    REINHARD_EXTENDED(1, "reinhard-extended"),
    /**
     * Adaptive logarithmic mapping, on luminance in units of the frame's logarithmic average: {@code ln(1 + L) /
     * (log10(1 + Lw) ln(2 + 8 (L / Lw)^(ln b / ln 0.5)))} with {@code L / Lw <= 1} and the bias {@code b}, 0.85. Drago,
     * Myszkowski, Annen and Chiba, Eurographics 2003.
     */
    DRAGO(2, "drago"),
    /**
     * The filmic curve of Uncharted 2, on channels: {@code F(2 L) / F(Lw)}, {@code F(x) = (x (A x + C B) + D E) / (x (A
     * x + B) + D F) - E / F} with {@code A} 0.15, {@code B} 0.50, {@code C} 0.10, {@code D} 0.20, {@code E} 0.02,
     * {@code F} 0.30. Hable, Game Developers Conference 2010.
     */
    HABLE(3, "hable"),
    /**
     * Narkowicz' rational fit of the ACES reference curve (2015), on channels, without matrices and without the factor
     * 0.6 that would make it as dark as ACES: an exposure of -0.74 stops does. {@code L (2.51 L + 0.03) / (L (2.43 L +
     * 0.59) + 0.14)}; middle grey is 0.267.
     */
    ACES(4, "aces"),
    /**
     * Khronos PBR Neutral (2024), on channels: keeps base colours, desaturates highlights. Of {@code e (R, G, B)} with
     * the least {@code x}: less {@code x - 6.25 x^2} where {@code x < 0.08}, else less 0.04. If the peak {@code p} is
     * 0.76 or more, scaled by {@code c / p} with {@code c = 1 - 0.24^2 / (p - 0.52)}, then mixed with {@code c} by
     * {@code 1 - 1 / (0.15 (p - c) + 1)}.
     */
    KHRONOS_NEUTRAL(5, "neutral"),
    /**
     * The curve of OpenEXR's viewer, with {@linkplain FilmCurve settings of its own}, on channels, with a gamma in
     * place of sRGB's curve. Its ends are cut off, as there. {@code x = max(0, c - defog) 2^(exposure + 2.47393)};
     * above {@code 2^kneeLow} that becomes {@code 2^kneeLow + ln((x - 2^kneeLow) f + 1) / f}, where {@code f} makes
     * {@code 2^3.5} of {@code 2^kneeHigh}. The code is {@code 255 x^gamma 2^(-3.5 gamma)} within 0 and 255.
     */
    FILM(6, "film"),
    /**
     * Dodging and burning: Reinhard's curve by the luminance around a pixel, up to the next edge. On luminance, local;
     * Reinhard, Stark, Shirley and Ferwerda, SIGGRAPH 2002, section 3. Components times {@code e / (1 + V)}, with the
     * key {@code k} and the pixel's own {@code V[-1] = L}; here {@code q} fades over, so that no contours appear:
     *
     * <pre>{@code
     * V[i] = Gaussian of L, sigma 1.6^i / 4 pixels, cut off at ceil(3 sigma), i = 0 ... 8;  s[i] = 1.6^i
     * a[i] = |V[i] - V[i + 1]| / (2^8 k / s[i]^2 + V[i]),  q[i] = clamp(1.5 - 20 a[i], 0, 1)
     * V    = V[-1] + q[-1] (V[0] - V[-1]) + sum of q[-1] ... q[i] (V[i] - V[i - 1]),  i = 1 ... 7
     * }</pre>
     */
    REINHARD_LOCAL(7, "reinhard-local"),
    /**
     * Compresses the contrast of a base and keeps the detail (Durand and Dorsey, SIGGRAPH 2002), the base by a guided
     * filter (He, Sun and Tang, 2013). On luminance, local. Of {@code l = log2 max(L, 2^-20)} and the key {@code k},
     * with means over {@code 2 r + 1} pixels squared, {@code r} a 64th of the longer side, 2 to 32:
     *
     * <pre>{@code
     * log2 Ld = B0 + c (B - B0) + (l - B),  B0 = log2 k,  c = log2(1 / k) / log2(Lw / k), 1 for Lw <= 1
     * B       = mean(a) l + mean(b),  a = v / (v + 1),  b = m - a m,  m = mean(l),  v = max(0, mean(l l) - m m)
     * }</pre>
     */
    GUIDED(8, "guided"),
    /**
     * For HDR displays: absolute luminance in the curve of SMPTE ST 2084, which ends at 10,000 cd/m², with the
     * primaries of BT.2020, at {@linkplain #words 16 bits}. Diffuse white, an exposed luminance of 1, is 203 cd/m²
     * (BT.2408). In units of the curve's largest luminance {@code m}, {@code x = (203 / m) e M (R, G, B)} with {@code
     * M} from BT.709 to BT.2020 (BT.2087). Above half a peak {@code p} it becomes {@code p - p^2 / (4 x)}. Then colours
     * out of range, and {@code code = 65535 V + 0.5}, truncated. {@code cICP} is 9, 16, 0, 1:
     *
     * <pre>{@code
     * V = ((c1 + c2 y) / (1 + c3 y))^m2,  y = x^m1,  m1 = 2610 / 16384,  m2 = 2523 / 32,
     * c1 = 3424 / 4096,  c2 = 2413 / 128,  c3 = 2392 / 128
     * }</pre>
     */
    PQ(9, "pq"),
    /**
     * The same light on a display of 1,000 cd/m², in the curve of hybrid log-gamma (ARIB STD-B67, BT.2100): {@code x =
     * x Y^(-1/6)} with {@code Y = (0.2627 R + 0.678 G) + 0.0593 B}, then {@code V = sqrt(3 x)} up to 1/12, else {@code
     * 0.17883277 ln(12 x - 0.28466892) + 0.55991073}.
     */
    HLG(10, "hlg"),
    /**
     * Hill's fit of the ACES reference and output transforms (RRT and ODT), on channels between two matrices (2015):
     * {@code (v (v + 0.0245786) - 0.000090537) / (v (0.983729 v + 0.432951) + 0.238081)}; middle grey is 0.106. {@code
     * ToneMapParameters} has the matrices, {@code TO_HILL} and {@code FROM_HILL}.
     */
    ACES_HILL(11, "aces-hill"),
    /**
     * Sobotka's AgX without a look, on channels between two matrices, over 16.5 stops: Wrensch's polynomial (2023).
     * Display codes, of a gamma of 2.2, in place of sRGB's curve. Between {@code INSET} and {@code OUTSET}, of {@code x
     * = (log2 v + 12.47393) / 16.5} within 0 and 1: {@code 15.5 x^6 - 40.14 x^5 + 31.96 x^4 - 6.868 x^3 + 0.4298 x^2 +
     * 0.1191 x - 0.00232}.
     */
    AGX(12, "agx");

    private final int number;
    private final String commandLineName;

    Operator(int number, String commandLineName) {
        this.number = number;
        this.commandLineName = commandLineName;
    }

    /** Its name on the command line and in reports: lower case, words joined by hyphens. */
    public String commandLineName() {
        return commandLineName;
    }

    /**
     * The operator of a command-line name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names of those with 8 bits
     */
    public static Operator parse(String name) {
        for (Operator operator : values()) {
            if (operator.commandLineName.equals(name)) {
                return operator;
            }
        }
        String names = Arrays.stream(values())
                .filter(o -> o.words() == 1)
                .map(Operator::commandLineName)
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException("unknown tone-mapping operator '" + name + "'; choose one of " + names);
    }

    /**
     * Words that a pixel becomes at least: one with the bytes red, green, blue and 255; or, with 16 bits a component, two of three bytes and 255
     * each: red and green, green and blue, the upper byte of each first.
     */
    public int words() {
        return this == PQ || this == HLG ? 2 : 1;
    }

    /** Whether a white can be set. */
    public boolean takesWhite() {
        return EnumSet.of(REINHARD_EXTENDED, DRAGO, HABLE, GUIDED).contains(this);
    }

    /** Whether the curve makes sense both on luminance and on channels. */
    public boolean takesCurveOn() {
        return EnumSet.of(REINHARD, REINHARD_EXTENDED, DRAGO, HABLE, ACES).contains(this);
    }

    /** Whether the curve as published is that of red, green and blue, which are not negative. */
    boolean isPublishedOnChannels() {
        return EnumSet.of(HABLE, ACES, KHRONOS_NEUTRAL, FILM, ACES_HILL, AGX).contains(this);
    }

    /** What automatic exposure is multiplied by: {@link #DRAGO} takes luminances in units of the average. */
    double gain() {
        return this == DRAGO ? 1 / ToneMapParameters.MIDDLE_GREY : 1;
    }

    /** Whether a pixel depends on those around it. */
    public boolean isLocal() {
        return this == REINHARD_LOCAL || this == GUIDED;
    }

    /** What {@code tonemap.cl} and {@code local.cl} know it by. */
    int number() {
        return number;
    }
}
