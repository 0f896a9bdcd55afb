package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.InTurn;
import dev.evener.LongTests;
import dev.evener.TestBuffers;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What automatic exposure promises of what it is not to depend on. */
@InTurn(3)
class MeteringTest {
    private static final FrameLayout LAYOUT = new FrameLayout(100, 100);

    /** Grey on black, whatever part of the frame is black, or is no number. */
    @ParameterizedTest
    @EnumSource(value = Operator.class, names = "FILM", mode = Mode.EXCLUDE)
    void whatSurroundsAnObjectDoesNotCountIfItIsBlack(Operator operator) {
        ToneMapSettings settings = ToneMapSettings.of(operator);
        int whole = code(grey(0.37, 100, 0), settings);
        for (int part : new int[] {5, 10, 25, 50, 75, 95, 99}) {
            for (double black : new double[] {0, Double.NaN, -1, 1e-9}) {
                assertEquals(
                        whole, code(grey(0.37, part, black), settings), 6 * step(operator), part + " % of " + black);
            }
        }
        assertTrue(whole < 200 * step(operator), "clipped: " + whole);
    }

    /** A uniform frame that becomes a stop brighter in 48 frames, and one of a gradient; in a short run a third of the stop. */
    @ParameterizedTest
    @EnumSource(value = Operator.class, names = "FILM", mode = Mode.EXCLUDE)
    void nothingJumpsWhenLightChangesSlowly(Operator operator) {
        int first = LongTests.ASKED_FOR ? 0 : 16 * Math.floorMod(LongTests.TURN, 3);
        for (double spread : new double[] {0, 5}) {
            for (boolean bright : new boolean[] {false, true}) { // an eighth of the frame is 3 stops above it
                int[] last = {};
                for (int i = first; i <= first + LongTests.orAll(16, 48); i++) {
                    double stops = i / 48.0;
                    HostBuffer frame = frame((x, y) ->
                            Math.pow(2, stops + spread * (x + 100 * y) / 10_000 + (bright && x < 13 ? 3 : 0)));
                    int[] codes = codes(frame, ToneMapSettings.of(operator));
                    for (int k = 0; k < last.length; k++) {
                        assertEquals(last[k], codes[k], step(operator), "frame " + i + ", pixel " + k);
                    }
                    last = codes;
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Operator.class, names = "FILM", mode = Mode.EXCLUDE)
    void aFewBrightPixelsChangeNothingElse(Operator operator) {
        ToneMapSettings settings = ToneMapSettings.of(operator);
        int[] before = codes(frame((x, y) -> 0.1 + x / 20.0), settings);
        for (int bright = 1; bright <= 10; bright += 3) {
            int pixels = bright;
            int[] after = codes(frame((x, y) -> y == 50 && x < pixels ? 1e5 : 0.1 + x / 20.0), settings);
            // Local operators look around.
            int rows = operator.isLocal() ? 15 : 50;
            for (int i = 0; i < 100 * rows; i++) {
                assertEquals(before[i], after[i], step(operator), "pixel " + i);
            }
        }
    }

    /** A frame of an object over so many columns of 100, with texture, before a background. */
    private static HostBuffer object(int columns, double background) {
        return frame((x, y) -> x < columns ? Math.pow(2, (x + 7 * y) % 5 / 4.0 - 0.5) : background);
    }

    /** Whatever is behind an object, from nothing to a thousandth of it, the object is exposed alike. */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"REINHARD_EXTENDED", "DRAGO", "ACES", "GUIDED"})
    void aBackgroundFarDarkerThanTheObjectIsAsGoodAsBlack(Operator operator) {
        ToneMapSettings settings = ToneMapSettings.of(operator);
        for (int columns : new int[] {5, 25, 60, 100}) {
            int before = code(object(columns, 0), settings);
            for (double background = 1e-8; background < 1.001e-3; background *= Math.sqrt(10)) {
                int by = Math.abs(code(object(columns, background), settings) - before) / step(operator);
                assertTrue(by <= 6, columns + " columns before " + background + ": by " + by);
            }
        }
    }

    /** On the way from a background that does not count to one that is the picture nothing jumps. */
    @Test
    void noBackgroundIsACliff() {
        ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_EXTENDED);
        int before = code(object(25, Math.pow(2, -23)), settings);
        for (double stops = -23; stops < -5; stops += 0.02) {
            int now = code(object(25, Math.pow(2, stops)), settings);
            assertEquals(before, now, 12, "at " + stops);
            before = now;
        }
    }

    /** Shadows of real scenes are no background: most of what a frame shows is dark in some, as in the studio. */
    @Test
    void shadowsOfTheFramesCount() {
        double[] moved =
                Samples.ALL.stream().mapToDouble(MeteringTest::moved).sorted().toArray();
        assertTrue(moved[0] > -0.01 && moved[3] < 0.2, Arrays.toString(moved));
        assertEquals(0.04, (moved[1] + moved[2]) / 2, 0.01, Arrays.toString(moved));
    }

    /** By how many stops a frame gets darker than where all counts that is not black. */
    private static double moved(Samples frame) {
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.statisticsJob(
                    frame.layout(),
                    frame.layout(),
                    PixelCoding.FLOATS,
                    null,
                    frame.frame(),
                    ToneMapSettings.of(Operator.REINHARD_EXTENDED)));
            double mean = Objects.requireNonNull(mapper.statistics()).meanLog2Luminance();
            return mean - Math.log(Shown.plainAverage(frame)) / Math.log(2);
        }
    }

    /** Of one scene, once mostly dark with few lights and once mostly bright: the one stays darker, the other brighter than with 0.18. */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"REINHARD_EXTENDED", "REINHARD_LOCAL", "GUIDED"})
    void theKeyOfTheFrameLeavesANightDark(Operator operator) {
        ToneMapSettings plain = ToneMapSettings.of(operator);
        ToneMapSettings suited = plain.withAutoExposure(new Metering(null, 0));
        HostBuffer night = frame((x, y) -> y < 5 ? 4 : 0.02 * Math.pow(2, x % 20 / 20.0));
        HostBuffer snow = frame((x, y) -> y < 5 ? 0.02 : 4 * Math.pow(2, x % 20 / 20.0));
        int[][] codes = {codes(night, plain), codes(night, suited), codes(snow, plain), codes(snow, suited)};
        int last = codes[0].length - 1;
        assertTrue(codes[1][last] < 0.8 * codes[0][last], codes[1][last] + " and " + codes[0][last]);
        assertTrue(codes[3][last] > 1.1 * codes[2][last], codes[3][last] + " and " + codes[2][last]);
    }

    @Test
    void keyAndBiasMoveTheAverage() {
        HostBuffer frame = grey(3, 40, 0);
        for (double key : new double[] {0.05, 0.18, 0.5}) {
            for (double bias : new double[] {-1, 0, 0.5}) {
                for (Operator operator : EnumSet.complementOf(EnumSet.of(Operator.FILM))) {
                    ToneMapSettings metered =
                            ToneMapSettings.of(operator).withWhite(20).withAutoExposure(new Metering(key, bias));
                    double target = operator == Operator.DRAGO ? key / 0.18 : key; // units of the average
                    double stops = Math.log(target / 3) / Math.log(2) + bias;
                    assertEquals(code(frame, metered.withExposure(stops)), code(frame, metered), step(operator));
                }
            }
        }
        ToneMapSettings film = ToneMapSettings.of(Operator.FILM);
        assertEquals(code(frame, film.withExposure(-2)), code(frame, film.withAutoExposure(new Metering(0.18, -2))));
    }

    /** However far stops on top take a dark frame: what is brightest is white, and not what overflows. */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"FILM", "GUIDED"},
            mode = Mode.EXCLUDE)
    void whatIsBrightestIsWhite(Operator operator) {
        HostBuffer frame = frame((x, y) -> x == 0 && y == 0 ? Float.POSITIVE_INFINITY : 1e-5);
        ToneMapSettings settings = ToneMapSettings.of(operator).withAutoExposure(new Metering(1.0, 20));
        assertEquals(255 * step(operator), code(frame, settings), 2 * step(operator));
    }

    /** The base of the guided operator turns around it. */
    @Test
    void theGuidedOperatorMapsTheAverageToTheKey() {
        for (double key : new double[] {0.02, 0.18, 0.7}) {
            ToneMapSettings settings =
                    ToneMapSettings.of(Operator.GUIDED).withWhite(20).withAutoExposure(new Metering(key, 0));
            assertEquals(255 * (1.055 * Math.pow(key, 1 / 2.4) - 0.055), code(grey(3, 100, 0), settings), 2);
        }
    }

    /** How far Reinhard's local operator looks around depends on the picture, not on how bright it is to be. */
    @Test
    void theKeyOfReinhardsLocalOperatorLeavesItsScales() {
        Luminance blocks = (x, y) -> (x / 20 + y / 20) % 2 == 0 ? 0.1 : 2;
        HostBuffer frame = frame(blocks);
        double[][] around = new double[2][10_000];
        double[] keys = {0.04, 0.3};
        for (int k = 0; k < 2; k++) {
            double exposure = keys[k] / 0.45;
            ToneMapSettings settings = ToneMapSettings.of(Operator.REINHARD_LOCAL)
                    .withAutoExposure(new Metering(keys[k], 0))
                    .withExposure(Math.log(exposure) / Math.log(2));
            int[] codes = codes(frame, settings, 2);
            for (int i = 0; i < codes.length; i++) {
                double shown = Math.pow((codes[i] / 65535.0 + 0.055) / 1.055, 2.4);
                around[k][i] = blocks.at(i % 100, i / 100) / shown - 1 / exposure; // of e Y / (1 + e V) that is V
            }
        }
        for (int i = 0; i < 10_000; i++) {
            assertEquals(around[0][i], around[1][i], 0.02 * around[1][i] + 0.01, "pixel " + i);
        }
    }

    private interface Luminance {
        double at(int x, int y);
    }

    private static HostBuffer frame(Luminance luminance) {
        HostBuffer frame = Frames.of(LAYOUT, () -> 0);
        FloatBuffer floats = frame.floats();
        for (int row = 0; row < 3 * LAYOUT.height(); row++) {
            for (int x = 0; x < LAYOUT.width(); x++) {
                floats.put(row * LAYOUT.stride() + x, (float) luminance.at(x, row / 3));
            }
        }
        return frame;
    }

    /** So many hundredths of the frame, from its top. */
    private static HostBuffer grey(double grey, int part, double elsewhere) {
        return frame((x, y) -> y < part ? grey : elsewhere);
    }

    private static int code(HostBuffer frame, ToneMapSettings settings) {
        return codes(frame, settings)[0];
    }

    /** What a code of 8 bits is. */
    private static int step(Operator operator) {
        return operator.words() == 2 ? 257 : 1;
    }

    private static int[] codes(HostBuffer frame, ToneMapSettings settings) {
        return codes(frame, settings, settings.operator().words());
    }

    /** Red of each pixel. */
    private static int[] codes(HostBuffer frame, ToneMapSettings settings, int words) {
        HostBuffer pixels = TestBuffers.allocate(ElementType.UINT, (long) words * LAYOUT.words());
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.describe(LAYOUT, LAYOUT, PixelCoding.FLOATS, null, frame, pixels, settings, words)
                    .build());
        }
        int[] codes = new int[10_000];
        for (int i = 0; i < codes.length; i++) {
            int word = pixels.ints().get((i / 100 * LAYOUT.stride() + i % 100) * words);
            codes[i] = words == 1 ? word & 0xff : (word & 0xff) << 8 | (word >> 8 & 0xff);
        }
        return codes;
    }

    /**
     * Around a pixel as bright as the sun, or as nothing is, no pixel is black, and its brightness leaves the others
     * as they are.
     */
    @ParameterizedTest
    @EnumSource(
            value = Operator.class,
            names = {"REINHARD_LOCAL", "GUIDED"})
    void aHotPixelHasNoBlackRing(Operator operator) {
        ToneMapSettings settings = ToneMapSettings.of(operator).withExposure(0).withWhite(20);
        int[] plain = codes(frame((x, y) -> 0.5), settings);
        for (double hot : new double[] {10, 100, 1e3, 1e4, 1e5, 1e8, 1e12, Double.POSITIVE_INFINITY}) {
            int[] codes = codes(frame((x, y) -> x == 50 && y == 50 ? hot : 0.5), settings);
            for (int i = 0; i < codes.length; i++) {
                boolean beside = Math.abs(i % 100 - 50) <= 1 && Math.abs(i / 100 - 50) <= 1;
                if (beside && i != 50 * 100 + 50) {
                    assertTrue(codes[i] > 0.4 * plain[i], hot + ": " + codes[i] + " for " + plain[i]);
                }
            }
        }
    }
}
