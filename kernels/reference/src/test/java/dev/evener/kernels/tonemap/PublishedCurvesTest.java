package dev.evener.kernels.tonemap;

import static dev.evener.kernels.tonemap.Shown.average;
import static dev.evener.kernels.tonemap.Shown.codes;
import static dev.evener.kernels.tonemap.Shown.high;
import static dev.evener.kernels.tonemap.Shown.luminance;
import static dev.evener.kernels.tonemap.Shown.pixel;
import static dev.evener.kernels.tonemap.Shown.row;
import static dev.evener.kernels.tonemap.Shown.srgb;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.LongTests;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pictures of the frames that come with Evener against the papers' formulas, which share no code and no constant with the
 * product.
 */
@InTurn(2)
class PublishedCurvesTest {
    /** Of the pixels every so many is looked at: a curve is wrong for all of a range. */
    private static final int STEP = LongTests.orAll(7, 1);

    private static final int CODE = 1;

    /** What a display shows, 0 to 1 and linear but for AgX, whose curve gives codes. */
    private record Published(ToneMapSettings settings, UnaryOperator<double[]> display) {}

    private static UnaryOperator<double[]> onLuminance(DoubleUnaryOperator curve) {
        return rgb -> {
            double y = luminance(rgb);
            double ratio = y == 0 ? 0 : curve.applyAsDouble(y) / y;
            return new double[] {ratio * rgb[0], ratio * rgb[1], ratio * rgb[2]};
        };
    }

    private static UnaryOperator<double[]> onChannels(DoubleUnaryOperator curve) {
        return rgb -> Arrays.stream(rgb).map(curve).toArray();
    }

    /** Each curve on every frame, on one of them in a short run. */
    static Stream<Arguments> published() {
        List<Arguments> all = new ArrayList<>();
        for (int f = 0; f < Samples.ALL.size(); f++) {
            Samples frame = Samples.ALL.get(f);
            List<Published> curves = curves(frame);
            for (int c = 0; c < curves.size(); c++) {
                if (LongTests.ASKED_FOR || (f + c + LongTests.TURN) % 4 == 0) {
                    all.add(Arguments.of(frame, curves.get(c)));
                }
            }
        }
        return all.stream();
    }

    private static List<Published> curves(Samples frame) {
        // Reinhard and others 2002: equations 1 to 4, key 0.18; average and white as metered.
        double key = 0.18 / average(frame);
        double white = key * high(frame);
        // Drago and others 2003, equation 4: luminances over the average, bias 0.85, largest display luminance 100
        // cd/m^2 of 100.
        double adaptation = average(frame);
        double lwmax = high(frame) / adaptation;
        DoubleUnaryOperator drago = y -> {
            double lw = y / adaptation;
            double power = Math.log(0.85) / Math.log(0.5);
            return 100
                    * 0.01
                    / Math.log10(lwmax + 1)
                    * (Math.log(lw + 1) / Math.log(2 + 8 * Math.pow(Math.min(1, lw / lwmax), power)));
        };
        DoubleUnaryOperator plain = y -> key * y / (1 + key * y);
        DoubleUnaryOperator extended = y -> key * y * (1 + key * y / (white * white)) / (1 + key * y);
        // Hable, "Filmic Tonemapping Operators", 2010: exposure bias 2, linear white 11.2.
        DoubleUnaryOperator uncharted = x ->
                ((x * (0.15 * x + 0.10 * 0.50) + 0.20 * 0.02) / (x * (0.15 * x + 0.50) + 0.20 * 0.30)) - 0.02 / 0.30;
        DoubleUnaryOperator hable = c -> uncharted.applyAsDouble(2 * key * c) / uncharted.applyAsDouble(11.2);
        // Narkowicz, "ACES Filmic Tone Mapping Curve", 2015.
        DoubleUnaryOperator narkowicz = c -> {
            double x = key * c;
            return x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14);
        };
        return List.of(
                new Published(ToneMapSettings.of(Operator.REINHARD), onLuminance(plain)),
                new Published(ToneMapSettings.of(Operator.REINHARD_EXTENDED), onLuminance(extended)),
                new Published(ToneMapSettings.of(Operator.DRAGO), onLuminance(drago)),
                new Published(ToneMapSettings.of(Operator.HABLE), onChannels(hable)),
                new Published(ToneMapSettings.of(Operator.ACES), onChannels(narkowicz)),
                new Published(clipped(Operator.HABLE), onChannels(hable)),
                new Published(clipped(Operator.ACES), onChannels(narkowicz)),
                new Published(on(Operator.REINHARD_EXTENDED, Colours.CurveOn.CHANNELS), onChannels(extended)),
                new Published(on(Operator.DRAGO, Colours.CurveOn.CHANNELS), onChannels(drago)),
                new Published(on(Operator.HABLE, Colours.CurveOn.LUMINANCE), onLuminance(hable)),
                new Published(ToneMapSettings.of(Operator.ACES_HILL), rgb -> hill(key, rgb)),
                new Published(ToneMapSettings.of(Operator.AGX), rgb -> agx(key, rgb)),
                new Published(ToneMapSettings.of(Operator.FILM), onChannels(PublishedCurvesTest::film)),
                new Published(ToneMapSettings.of(Operator.KHRONOS_NEUTRAL), rgb -> neutral(key, rgb)));
    }

    private static ToneMapSettings clipped(Operator operator) {
        return ToneMapSettings.of(operator).withColours(new Colours(null, Colours.OutOfRange.CLIP, 1));
    }

    private static ToneMapSettings on(Operator operator, Colours.CurveOn curveOn) {
        return ToneMapSettings.of(operator).withColours(new Colours(curveOn, Colours.OutOfRange.PRESERVE, 1));
    }

    /** Hill's ACES.hlsl (2015): RRT_SAT and ODT_SAT with AP1 folded into two matrices, and a rational fit. */
    private static double[] hill(double exposure, double[] rgb) {
        double[] v = new double[3];
        double[][] in = {{0.59719, 0.35458, 0.04823}, {0.07600, 0.90834, 0.01566}, {0.02840, 0.13383, 0.83777}};
        double[][] out = {{1.60475, -0.53108, -0.07367}, {-0.10208, 1.10813, -0.00605}, {-0.00327, -0.07276, 1.07602}};
        for (int i = 0; i < 3; i++) {
            double x = exposure * (in[i][0] * rgb[0] + in[i][1] * rgb[1] + in[i][2] * rgb[2]);
            v[i] = (x * (x + 0.0245786) - 0.000090537) / (x * (0.983729 * x + 0.4329510) + 0.238081);
        }
        return new double[] {
            out[0][0] * v[0] + out[0][1] * v[1] + out[0][2] * v[2],
            out[1][0] * v[0] + out[1][1] * v[1] + out[1][2] * v[2],
            out[2][0] * v[0] + out[2][1] * v[1] + out[2][2] * v[2]
        };
    }

    /** Wrensch's "Minimal AgX Implementation" (2023), matrices by columns as there; no look. Codes. */
    private static double[] agx(double exposure, double[] rgb) {
        double[] inset = {
            0.842479062253094, 0.0423282422610123, 0.0423756549057051,
            0.0784335999999992, 0.878468636469772, 0.0784336,
            0.0792237451477643, 0.0791661274605434, 0.879142973793104
        };
        double[] outset = {
            1.19687900512017,
            -0.0528968517574562,
            -0.0529716355144438,
            -0.0980208811401368,
            1.15190312990417,
            -0.0980434501171241,
            -0.0990297440797205,
            -0.0989611768448433,
            1.15107367264116
        };
        double minimum = -12.47393;
        double maximum = 4.026069;
        double[] v = columns(inset, rgb);
        for (int i = 0; i < 3; i++) {
            double stops = Math.log(Math.max(1e-12, exposure * v[i])) / Math.log(2);
            double x = (Math.max(minimum, Math.min(maximum, stops)) - minimum) / (maximum - minimum);
            v[i] = 15.5 * Math.pow(x, 6)
                    - 40.14 * Math.pow(x, 5)
                    + 31.96 * Math.pow(x, 4)
                    - 6.868 * Math.pow(x, 3)
                    + 0.4298 * x * x
                    + 0.1191 * x
                    - 0.00232;
        }
        return columns(outset, v);
    }

    private static final double KNEE = Math.pow(2, -3);

    /** How strongly the film curve bends above its knee, so that 2^7.5 becomes 2^3.5: by bisection. */
    private static final double BEND = bend();

    private static double bend() {
        double from = 0;
        double to = 1;
        for (int i = 0; i < 60; i++) {
            double f = (from + to) / 2;
            boolean steeper = Math.log((Math.pow(2, 7.5) - KNEE) * f + 1) / f < Math.pow(2, 3.5) - KNEE;
            from = steeper ? from : f;
            to = steeper ? f : to;
        }
        return from;
    }

    /** ImfDisplay's curve in OpenEXR's exrdisplay, with the defaults of {@link FilmCurve}. Codes. */
    private static double film(double c) {
        double x = c * Math.pow(2, 3 + 2.47393);
        x = x > KNEE ? KNEE + Math.log((x - KNEE) * BEND + 1) / BEND : x;
        return x * Math.pow(2, -3.5);
    }

    private static double[] columns(double[] m, double[] v) {
        return new double[] {
            m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
            m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
            m[2] * v[0] + m[5] * v[1] + m[8] * v[2]
        };
    }

    /** The Khronos PBR Neutral specification's listing. */
    private static double[] neutral(double exposure, double[] rgb) {
        double[] c = Arrays.stream(rgb).map(v -> exposure * v).toArray();
        double x = Arrays.stream(c).min().orElseThrow();
        double offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
        c = Arrays.stream(c).map(v -> v - offset).toArray();
        double peak = Arrays.stream(c).max().orElseThrow();
        if (peak < 0.8 - 0.04) {
            return c;
        }
        double d = 1 - (0.8 - 0.04);
        double newPeak = 1 - d * d / (peak + d - (0.8 - 0.04));
        double g = 1 - 1 / (0.15 * (peak - newPeak) + 1);
        return Arrays.stream(c)
                .map(v -> v * newPeak / peak * (1 - g) + newPeak * g)
                .toArray();
    }

    /** Towards the grey of the same luminance, by bisection; of curves on luminance on a bent way. */
    private static double[] intoRange(double[] c, boolean straight) {
        double grey = Math.max(0, Math.min(1, luminance(c)));
        double[] p = towards(grey, c, part(c, grey, Double.POSITIVE_INFINITY));
        double t = part(p, grey, 1);
        double[] shown = towards(grey, p, t);
        if (straight) {
            return shown;
        }
        int weak = p[0] > p[2] ? 2 : 0;
        double strong = p[2 - weak];
        double saturated = Math.min(strong - 2 * p[weak] + 3 * Math.min(0, p[1] - p[weak]), 3 * (strong - p[1]));
        double green = luminance(0, 1, 0);
        double bend = Math.max(0, Math.min(0.28 * t * (1 - t) * saturated, shown[weak] / green));
        shown[weak] -= green * bend;
        shown[1] += bend * (weak == 0 ? luminance(1, 0, 0) : luminance(0, 0, 1));
        return shown;
    }

    private static double[] towards(double grey, double[] c, double t) {
        return Arrays.stream(c).map(v -> grey + t * (v - grey)).toArray();
    }

    /** The largest part of the way from grey that is left. */
    private static double part(double[] c, double grey, double most) {
        double low = 0;
        double high = 1;
        if (within(c, grey, 1, most)) {
            return 1;
        }
        for (int i = 0; i < 30; i++) {
            double t = (low + high) / 2;
            if (within(c, grey, t, most)) {
                low = t;
            } else {
                high = t;
            }
        }
        return low;
    }

    /** Whether a display has the colour that is so far from grey on the way to another. */
    private static boolean within(double[] colour, double grey, double t, double most) {
        for (double c : colour) {
            double v = grey + t * (c - grey);
            if (!(v >= 0 && v <= most)) {
                return false;
            }
        }
        return true;
    }

    @ParameterizedTest
    @MethodSource("published")
    void picturesAreThoseOfThePapers(Samples frame, Published published) {
        int[] codes = codes(frame.layout(), frame.frame(), published.settings());
        boolean clip = published.settings().colours().outOfRange() == Colours.OutOfRange.CLIP
                || published.settings().operator() == Operator.FILM;
        Operator operator = published.settings().operator();
        boolean coded = operator == Operator.AGX || operator == Operator.FILM;
        int worst = 0;
        for (int i = 0; i < codes.length; i += 3 * STEP) {
            double[] all = published.display().apply(pixel(frame, i));
            double[] expected = clip
                    ? Arrays.stream(all).map(c -> Math.max(0, Math.min(1, c))).toArray()
                    : intoRange(all, published.settings().onChannels());
            for (int c = 0; c < 3; c++) {
                double value = coded ? expected[c] : srgb(expected[c]);
                worst = Math.max(worst, Math.abs(codes[i + c] - (int) Math.floor(255 * value + 0.5)));
            }
        }
        assertTrue(worst <= CODE, published.settings() + " of " + frame + " is off by " + worst);
    }

    /** Grey 0.18 at exposure 0, as anyone can work it out from the papers. */
    @Test
    void middleGrey() {
        Map<Operator, Integer> expected = Map.of(
                Operator.REINHARD, 109, // 0.18 / 1.18 = 0.1525
                Operator.HABLE, 100, // F(0.36) / F(11.2) = 0.0931 / 0.7251
                Operator.ACES, 141, // 0.2670
                Operator.ACES_HILL, 92, // 0.1056
                Operator.AGX, 127); // 0.4967 at 10 / 16.5 of the range
        expected.forEach((operator, code) -> {
            HostBuffer frame = row(1, i -> new double[] {0.18, 0.18, 0.18});
            int[] codes = codes(
                    new FrameLayout(1, 1), frame, ToneMapSettings.of(operator).withExposure(0));
            assertEquals(code, codes[0], CODE, operator.name());
        });
    }
}
