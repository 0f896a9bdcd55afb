package dev.evener.workloads.cli;

import dev.evener.kernels.tonemap.FilmCurve;
import dev.evener.kernels.tonemap.Operator;
import dev.evener.kernels.tonemap.ToneMapSettings;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say how frames are tone-mapped; docs/tone-mapping.md has the formulas. */
final class ToneMapOptions {
    @Option(names = "--operator", paramLabel = "NAME")
    private String operator = "reinhard-extended";

    @Option(names = "--exposure", paramLabel = "STOPS")
    private String exposure = "auto";

    @Option(names = "--white", paramLabel = "LUMINANCE")
    private @Nullable Double white;

    @Option(names = "--drago-bias", paramLabel = "BIAS")
    private double dragoBias = ToneMapSettings.DEFAULT_DRAGO_BIAS;

    @Option(names = "--film", split = ",", paramLabel = "NAME=VALUE")
    private Map<String, Double> film = new TreeMap<>();

    ToneMapSettings settings() {
        ToneMapSettings plain = named("--operator", () -> ToneMapSettings.of(Operator.parse(operator)));
        ToneMapSettings biased = named("--drago-bias", () -> plain.withDragoBias(dragoBias));
        ToneMapSettings filmed = named("--film", () -> biased.withFilm(film()));
        Double value = white;
        ToneMapSettings whitened = value == null ? filmed : named("--white", () -> filmed.withWhite(value));
        return exposure.toLowerCase(Locale.ROOT).equals("auto")
                ? whitened
                : named("--exposure", () -> whitened.withExposure(stops()));
    }

    /** Settings say what is wrong with a value; this adds where it came from. */
    private static ToneMapSettings named(String option, Supplier<ToneMapSettings> settings) {
        try {
            return settings.get();
        } catch (IllegalArgumentException e) {
            throw UserError.usage(option + ": " + e.getMessage());
        }
    }

    private double stops() {
        try {
            return Double.parseDouble(exposure);
        } catch (NumberFormatException e) {
            throw UserError.usage("--exposure: '" + exposure + "' is neither auto nor a number of stops");
        }
    }

    private FilmCurve film() {
        FilmCurve d = FilmCurve.defaults();
        Map<String, Double> left = new TreeMap<>(film);
        FilmCurve curve = new FilmCurve(
                take(left, "exposure", d.exposure()),
                take(left, "kLow", d.kneeLow()),
                take(left, "kHigh", d.kneeHigh()),
                take(left, "gamma", d.gamma()),
                take(left, "defog", d.defog()));
        if (!left.isEmpty()) {
            throw UserError.usage("--film: there is no setting "
                    + left.keySet().iterator().next() + "; there are kLow, kHigh, exposure, gamma, defog");
        }
        return curve;
    }

    private static double take(Map<String, Double> left, String name, double otherwise) {
        Double value = left.remove(name);
        return value == null ? otherwise : value;
    }
}
