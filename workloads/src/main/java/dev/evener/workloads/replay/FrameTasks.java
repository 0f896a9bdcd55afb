package dev.evener.workloads.replay;

import dev.evener.kernels.tonemap.FilmCurve;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How records describe the tone mapping of frames. Stateless. */
public final class FrameTasks {
    private static final String AUTO = "auto";

    private FrameTasks() {}

    /** Settings as parameters. */
    public static Map<String, String> parameters(ToneMapSettings settings) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("operator", settings.operator().commandLineName());
        map.put("exposure", text(settings.exposureStops()));
        map.put("white", text(settings.white()));
        map.put("dragoBias", String.valueOf(settings.dragoBias()));
        FilmCurve film = settings.film();
        map.put("film.exposure", String.valueOf(film.exposure()));
        map.put("film.kLow", String.valueOf(film.kneeLow()));
        map.put("film.kHigh", String.valueOf(film.kneeHigh()));
        map.put("film.gamma", String.valueOf(film.gamma()));
        map.put("film.defog", String.valueOf(film.defog()));
        return map;
    }

    private static String text(@Nullable Double value) {
        return value == null ? AUTO : value.toString();
    }

    /**
     * Parameters as settings.
     *
     * @throws IllegalArgumentException if one is missing or cannot be
     */
    public static ToneMapSettings settings(Map<String, String> parameters) {
        return new ToneMapSettings(
                Operator.parse(parameters.getOrDefault("operator", "")),
                optional(parameters, "exposure"),
                optional(parameters, "white"),
                number(parameters, "dragoBias"),
                new FilmCurve(
                        number(parameters, "film.exposure"),
                        number(parameters, "film.kLow"),
                        number(parameters, "film.kHigh"),
                        number(parameters, "film.gamma"),
                        number(parameters, "film.defog")));
    }

    private static @Nullable Double optional(Map<String, String> parameters, String name) {
        return AUTO.equals(parameters.get(name)) ? null : (Double) number(parameters, name);
    }

    private static double number(Map<String, String> parameters, String name) {
        String text = parameters.get(name);
        try {
            return Double.parseDouble(text == null ? "" : text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the setting " + name + " is no number", e);
        }
    }
}
