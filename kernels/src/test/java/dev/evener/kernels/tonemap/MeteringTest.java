package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What automatic exposure promises of what it is not to depend on. */
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

    /** A uniform frame that becomes a stop brighter in 48 frames, and one of a gradient. */
    @ParameterizedTest
    @EnumSource(value = Operator.class, names = "FILM", mode = Mode.EXCLUDE)
    void nothingJumpsWhenLightChangesSlowly(Operator operator) {
        for (double spread : new double[] {0, 5}) {
            for (boolean bright : new boolean[] {false, true}) { // an eighth of the frame is 3 stops above it
                int[] last = {};
                for (int i = 0; i <= 48; i++) {
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

    @Test
    void keyAndBiasMoveTheAverage() {
        HostBuffer frame = grey(3, 40, 0);
        for (double key : new double[] {0.05, 0.18, 0.5}) {
            for (double bias : new double[] {-1, 0, 0.5}) {
                for (Operator operator : new Operator[] {Operator.REINHARD, Operator.DRAGO}) {
                    ToneMapSettings metered =
                            ToneMapSettings.of(operator).withWhite(20).withAutoExposure(new Metering(key, bias));
                    double target = operator == Operator.DRAGO ? key / 0.18 : key; // units of the average
                    double stops = Math.log(target / 3) / Math.log(2) + bias;
                    assertEquals(code(frame, metered.withExposure(stops)), code(frame, metered), 1);
                }
            }
        }
        ToneMapSettings film = ToneMapSettings.of(Operator.FILM);
        assertEquals(code(frame, film.withExposure(-2)), code(frame, film.withAutoExposure(new Metering(0.18, -2))));
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

    /** Red of each pixel. */
    private static int[] codes(HostBuffer frame, ToneMapSettings settings) {
        HostBuffer pixels = Frames.output(LAYOUT, settings.operator());
        try (ToneMapper mapper = new ToneMapper(TestBuffers::allocate)) {
            JvmRunner.run(mapper.job(LAYOUT, frame, pixels, settings));
        }
        int words = settings.operator().words();
        int[] codes = new int[10_000];
        for (int i = 0; i < codes.length; i++) {
            int word = pixels.ints().get((i / 100 * LAYOUT.stride() + i % 100) * words);
            codes[i] = words == 1 ? word & 0xff : (word & 0xff) << 8 | (word >> 8 & 0xff);
        }
        return codes;
    }
}
