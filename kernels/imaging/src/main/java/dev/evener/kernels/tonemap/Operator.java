package dev.evener.kernels.tonemap;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.stream.Collectors;

/**
 * A tone curve. Those on luminance compute a display luminance from the Rec. 709 luminance and multiply all three
 * components by their ratio; those on channels treat red, green and blue. {@link Colours} has what becomes of colours out of range.
 */
public enum Operator {
    /** Global curve {@code L / (1 + L)}, on luminance. Reinhard, Stark, Shirley and Ferwerda, SIGGRAPH 2002. */
    REINHARD(0, "reinhard"),
    /** {@code L (1 + L / Lw^2) / (1 + L)}, on luminance: the white {@code Lw} maps to 1. Same paper. */
    REINHARD_EXTENDED(1, "reinhard-extended"),
    /**
     * Adaptive logarithmic mapping, on luminance in units of the frame's logarithmic average. Drago, Myszkowski, Annen and Chiba,
     * Eurographics 2003.
     */
    DRAGO(2, "drago"),
    /** The filmic curve of Uncharted 2, on channels. Hable, Game Developers Conference 2010. */
    HABLE(3, "hable"),
    /**
     * Narkowicz' rational fit of the ACES reference curve (2015), on channels, without matrices and without the factor 0.6 that would make
     * it as dark as ACES: an exposure of -0.74 stops does.
     */
    ACES(4, "aces"),
    /** Khronos PBR Neutral (2024), on channels: keeps base colours, desaturates highlights. */
    KHRONOS_NEUTRAL(5, "neutral"),
    /**
     * The curve of OpenEXR's viewer, with settings of its own, on channels, with a gamma in place of sRGB's curve. Its ends are cut off,
     * as there.
     */
    FILM(6, "film"),
    /**
     * Dodging and burning: Reinhard's curve by the luminance around a pixel, up to the next edge. On luminance, local; Reinhard,
     * Stark, Shirley and Ferwerda, SIGGRAPH 2002.
     */
    REINHARD_LOCAL(7, "reinhard-local"),
    /**
     * Compresses the contrast of a base and keeps the detail (Durand and Dorsey, SIGGRAPH 2002), the base by a guided filter (He,
     * Sun and Tang, 2013). On luminance, local.
     */
    GUIDED(8, "guided"),
    /**
     * For HDR displays: absolute luminance in the curve of SMPTE ST 2084, which ends at 10,000 cd/m², with the primaries of BT.2020, at
     * {@linkplain #words 16 bits}. Diffuse white, an exposed luminance of 1, is 203 cd/m² (BT.2408).
     */
    PQ(9, "pq"),
    /** The same light on a display of 1,000 cd/m², in the curve of hybrid log-gamma (ARIB STD-B67, BT.2100). */
    HLG(10, "hlg"),
    /** Hill's fit of the ACES reference and output transforms (RRT and ODT), on channels between two matrices (2015). */
    ACES_HILL(11, "aces-hill"),
    /**
     * Sobotka's AgX without a look, on channels between two matrices, over 16.5 stops: Wrensch's polynomial (2023). Display codes, of a gamma
     * of 2.2, in place of sRGB's curve.
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
