package dev.evener.kernels.tonemap;

import java.io.Serializable;

/**
 * What automatic exposure makes of a frame's average luminance.
 *
 * @param key exposed luminance of the average, 0.01 to 1: middle grey, Reinhard's key value
 * @param bias stops on top of that, -20 to 20
 */
public record Metering(double key, double bias) implements Serializable {
    public Metering {
        ToneMapSettings.require("key", key, 0.01, 1);
        ToneMapSettings.require("exposure", bias, -20, 20);
    }

    /** To 18 %. */
    public static Metering defaults() {
        return new Metering(ToneMapParameters.MIDDLE_GREY, 0);
    }

    /** What the average is exposed to. */
    double target() {
        return key * StrictMath.pow(2, bias);
    }
}
