package dev.evener.kernels.tonemap;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What automatic exposure makes of a frame's average luminance {@code M}: the factor {@code e = key * 2^bias / M}, at
 * most {@code 2^20}; of {@link Operator#DRAGO} with {@code key / 0.18}. Without it {@code e} is {@code 2^stops}.
 *
 * @param key exposed luminance of the average, 0.01 to 1: middle grey, Reinhard's key value; null for {@linkplain FrameStatistics#key what
 *     suits the frame}
 * @param bias stops on top of that, -20 to 20
 */
public record Metering(@Nullable Double key, double bias) implements Serializable {
    public Metering {
        if (key != null) {
            ToneMapSettings.require("key", key, 0.01, 1);
        }
        ToneMapSettings.require("exposure", bias, -20, 20);
    }

    /** To 18 %. */
    public static Metering defaults() {
        return new Metering(ToneMapParameters.MIDDLE_GREY, 0);
    }

    /** The key for a frame, whose statistics may be null if that is given. */
    double key(@Nullable FrameStatistics statistics) {
        Double given = key;
        return given == null ? ToneMapParameters.required(statistics).key() : given;
    }
}
