package dev.evener.kernels.tonemap;

import static dev.evener.kernels.tonemap.Shown.average;
import static dev.evener.kernels.tonemap.Shown.codes;
import static dev.evener.kernels.tonemap.Shown.high;
import static dev.evener.kernels.tonemap.Shown.linear;
import static dev.evener.kernels.tonemap.Shown.luminance;
import static dev.evener.kernels.tonemap.Shown.pixel;
import static dev.evener.kernels.tonemap.Shown.row;
import static dev.evener.kernels.tonemap.Shown.run;
import static dev.evener.kernels.tonemap.Shown.srgb;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.TestBuffers;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a picture must not do: darken where the scene gets brighter, change hues, change luminances. */
@InTurn(3)
class OutOfRangeTest {
    private static final int CODE = 1;

    private static final int STEPS = 401; // of a twentieth of a stop, -10 to 10

    /** Ramps of the brightness of twelve saturated hues: never darker for brighter, and white in the end if the curve gets there. */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"PQ", "HLG", "REINHARD_LOCAL", "GUIDED", "FILM"},
            mode = EnumSource.Mode.EXCLUDE)
    void brighterIsNeverDarker(Operator operator) {
        for (int hue = 0; hue < 12; hue++) {
            double[] colour = hue(hue, 0.02);
            int[] codes = codes(
                    new FrameLayout(STEPS, 1),
                    row(STEPS, i -> times(colour, Math.pow(2, (i - 200) / 20.0))),
                    ToneMapSettings.of(operator).withExposure(0).withWhite(16));
            double before = 0;
            for (int i = 0; i < STEPS; i++) {
                double y = shown(codes, i);
                assertTrue(
                        y >= before - step(y), operator + ", hue " + hue + ", step " + i + ": " + before + " to " + y);
                before = y;
            }
        }
    }

    private static double shown(int[] codes, int pixel) {
        return luminance(
                linear(codes[3 * pixel] / 255.0),
                linear(codes[3 * pixel + 1] / 255.0),
                linear(codes[3 * pixel + 2] / 255.0));
    }

    /** What rounding three components may take from a luminance, which is less than one code of grey. */
    private static double step(double y) {
        double code = srgb(y);
        return linear(Math.min(1, code + 1 / 255.0)) - y + 1e-9;
    }

    private static double[] times(double[] v, double by) {
        return Arrays.stream(v).map(c -> c * by).toArray();
    }

    /** A hue of twelve around the sides of the RGB cube, with so much of the third component. */
    private static double[] hue(double hue, double third) {
        double[] colour = new double[3];
        for (int c = 0; c < 3; c++) {
            double distance = Math.abs((hue - 4 * c + 18) % 12 - 6) / 2.0;
            colour[c] = Math.max(third, Math.min(1, 2 - distance));
        }
        return colour;
    }

    /** The luminance that is shown is the curve's: on ramps, some of whose colours Rec. 709 does not have, and in the frames. */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"REINHARD", "REINHARD_EXTENDED", "DRAGO", "HABLE", "ACES"})
    void luminanceIsTheCurves(Operator operator) {
        ToneMapSettings settings = ToneMapSettings.of(operator)
                .withColours(new Colours(Colours.CurveOn.LUMINANCE, Colours.OutOfRange.PRESERVE, 1))
                .withExposure(0)
                .withWhite(16);
        for (double third : new double[] {0, 0.3, -0.05}) {
            for (int hue = 0; hue < 12; hue++) {
                double[] colour = hue(hue, third);
                FrameLayout layout = new FrameLayout(STEPS, 1);
                int[] codes = codes(layout, row(STEPS, i -> times(colour, Math.pow(2, (i - 200) / 20.0))), settings);
                int[] greys = codes(
                        layout,
                        row(STEPS, i -> {
                            double y = luminance(colour) * Math.pow(2, (i - 200) / 20.0);
                            return new double[] {y, y, y};
                        }),
                        settings);
                for (int i = 0; i < STEPS; i++) {
                    double code = 255 * srgb(shown(codes, i));
                    assertEquals(greys[3 * i], code, CODE, settings + ", hue " + hue + " " + third + ", step " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("frames")
    void luminanceOfFramesIsTheCurves(Samples frame) {
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_EXTENDED);
        int[] codes = codes(frame.layout(), frame.frame(), settings);
        double key = 0.18 / average(frame);
        double white = key * high(frame);
        for (int i = 0; i < codes.length; i += 3) {
            double l = key * luminance(pixel(frame, i));
            double expected = 255 * srgb(Math.min(1, l * (1 + l / white / white) / (1 + l)));
            // 0.5 of the code that the grey would have, 0.5 of rounding, and the bins of the average.
            assertEquals(expected, 255 * srgb(shown(codes, i / 3)), 1.3, frame + ", pixel " + i / 3);
        }
    }

    static List<Samples> frames() {
        return Samples.ALL;
    }

    /**
     * Hues are those of the scene, by Oklab (Ottosson 2020), for all but a hundredth of the pixels; grey is what has a spread of
     * two of a hundred of the display's range, in which rounding to codes decides the hue. Cutting components off fails here.
     */
    @ParameterizedTest
    @MethodSource("frames")
    void huesStay(Samples frame) {
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_EXTENDED);
        double plain = moved(frame, settings);
        assertTrue(plain <= 0.01, frame + ": " + plain);
        List<ToneMapSettings> all = onLuminance();
        for (ToneMapSettings each :
                LongTests.ASKED_FOR ? all : all.subList(0, 1)) { // of the first straight ways are 4.7 %
            double moved = moved(frame, each.withAutoExposure(new Metering(0.18, 2.0)));
            assertTrue(moved <= 0.01, frame + ", " + each.operator() + ": " + moved);
        }
        if (frame.name().equals("courtyard")) {
            double clipped = moved(frame, settings.withColours(new Colours(null, Colours.OutOfRange.CLIP, 1)));
            assertTrue(clipped > 0.05, frame + ", clipped: " + clipped);
        }
    }

    /** Whose hues are the scene's: curves on channels have others, as published. */
    private static List<ToneMapSettings> onLuminance() {
        return Stream.of(Operator.ACES, Operator.HABLE, Operator.REINHARD, Operator.REINHARD_EXTENDED, Operator.DRAGO)
                .map(each -> ToneMapSettings.of(each)
                        .withColours(new Colours(Colours.CurveOn.LUMINANCE, Colours.OutOfRange.PRESERVE, 1)))
                .toList();
    }

    /** Of all hues and saturations, at any distance from what can be shown, so of blue and orange, of which straight ways are 20° off. */
    @Test
    void noHueMovesByMoreThanTenDegrees() {
        for (double third : new double[] {0, 0.1, 0.2, 0.5, 0.8}) {
            for (int hue = 0; hue < 60; hue++) {
                double[] colour = hue(hue / 5.0, third);
                double y = luminance(colour);
                double before = hueOf(colour);
                int[] codes = wideCodes(60, i -> times(colour, 0.02 * (i + 1) / y));
                for (int i = 0; i < 60; i++) {
                    int pixel = i;
                    double[] shown = new double[3];
                    Arrays.setAll(shown, c -> linear(codes[3 * pixel + c] / 65535.0));
                    double spread = Arrays.stream(shown).max().orElseThrow()
                            - Arrays.stream(shown).min().orElseThrow();
                    double by = Math.abs(Math.IEEEremainder(before - hueOf(shown), 360));
                    assertTrue(spread < 0.02 || by <= 10, hue / 5.0 + " and " + third + ", " + i + ": " + by);
                }
            }
        }
    }

    /** Of 16 bits, through a curve that leaves luminances up to one almost as they are. */
    private static int[] wideCodes(int width, IntFunction<double[]> pixels) {
        FrameLayout layout = new FrameLayout(width, 1);
        HostBuffer out = TestBuffers.allocate(ElementType.UINT, 2L * layout.words());
        ToneMapSettings settings =
                ToneMapSettings.of(Operator.REINHARD_EXTENDED).withExposure(0).withWhite(1);
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(
                    mapper.describe(layout, layout, PixelCoding.FLOATS, null, row(width, pixels), out, settings, 2)
                            .build());
        }
        int[] codes = new int[3 * width];
        for (int i = 0; i < codes.length; i++) {
            int first = out.ints().get(i / 3 * 2);
            int second = out.ints().get(i / 3 * 2 + 1);
            codes[i] = switch (i % 3) {
                case 0 -> ((first & 0xff) << 8) | ((first >> 8) & 0xff);
                case 1 -> (((first >> 16) & 0xff) << 8) | (second & 0xff);
                default -> (second & 0xff00) | ((second >> 16) & 0xff);
            };
        }
        return codes;
    }

    private static double moved(Samples frame, ToneMapSettings settings) {
        int[] codes = codes(frame.layout(), frame.frame(), settings);
        int off = 0;
        for (int i = 0; i < codes.length; i += 3) {
            double[] scene = pixel(frame, i);
            int most = Math.max(codes[i], Math.max(codes[i + 1], codes[i + 2]));
            int least = Math.min(codes[i], Math.min(codes[i + 1], codes[i + 2]));
            double bright = Arrays.stream(scene).max().orElseThrow();
            double dark = Arrays.stream(scene).min().orElseThrow();
            if (most - least > 5 && bright - dark > 0.02 * bright) {
                double change = hueOf(scene)
                        - hueOf(linear(codes[i] / 255.0), linear(codes[i + 1] / 255.0), linear(codes[i + 2] / 255.0));
                off += Math.abs(Math.IEEEremainder(change, 360)) > 10 ? 1 : 0;
            }
        }
        return 3.0 * off / codes.length;
    }

    private static double hueOf(double... rgb) {
        double l = Math.cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
        double m = Math.cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
        double s = Math.cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
        double a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
        double b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
        return Math.toDegrees(Math.atan2(b, a));
    }

    /** Of a colour that only BT.2020 has, its green, negative components are what HDR pictures need: nothing is cut off. */
    @Test
    void hdrPicturesKeepColoursOutsideRec709() {
        for (Operator operator : List.of(Operator.PQ, Operator.HLG)) {
            FrameLayout layout = new FrameLayout(1, 1);
            HostBuffer frame =
                    row(1, i -> new double[] {-0.58764, 1.13290, -0.10058}); // BT.2020's (0, 1, 0) in Rec. 709
            HostBuffer pixels = Frames.output(layout, operator);
            run(layout, frame, pixels, ToneMapSettings.of(operator).withExposure(0));
            int first = pixels.ints().get(0);
            int second = pixels.ints().get(1);
            int red = ((first & 0xff) << 8) | (first >> 8 & 0xff);
            int green = ((first >> 16 & 0xff) << 8) | (second & 0xff);
            assertTrue(green > 0.5 * 65535, operator + ": " + green);
            assertTrue(red < 0.1 * 65535, operator + ": " + red);
        }
    }

    /** Saturation 0 is the grey of the luminance, for curves on luminance and on channels. */
    @Test
    void saturationIsTheDistanceFromGrey() {
        FrameLayout layout = new FrameLayout(1, 1);
        for (Operator operator : List.of(Operator.REINHARD, Operator.ACES, Operator.AGX, Operator.GUIDED)) {
            ToneMapSettings plain = ToneMapSettings.of(operator).withExposure(0).withWhite(16);
            double[] colour = {0.5, 0.2, 0.1};
            double y = luminance(colour);
            int[] grey = codes(layout, row(1, i -> new double[] {y, y, y}), plain);
            int[] none = codes(
                    layout, row(1, i -> colour), plain.withColours(new Colours(null, Colours.OutOfRange.PRESERVE, 0)));
            int[] twice = codes(
                    layout,
                    row(1, i -> colour),
                    plain.withColours(new Colours(null, Colours.OutOfRange.PRESERVE, 1.2)));
            int[] same = codes(
                    layout,
                    row(1, i -> new double[] {y + 1.2 * (0.5 - y), y + 1.2 * (0.2 - y), y + 1.2 * (0.1 - y)}),
                    plain);
            for (int c = 0; c < 3; c++) {
                assertEquals(grey[c], none[c], CODE, operator.name());
                assertEquals(same[c], twice[c], CODE, operator.name());
            }
        }
    }
}
