package dev.evener.kernels.tonemap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SettingsTest {

    @Test
    void everyOperatorIsFoundByItsName() {
        for (Operator operator : Operator.values()) {
            assertSame(operator, Operator.parse(operator.commandLineName()));
        }
    }

    @Test
    void anUnknownOperatorIsRefusedWithTheNames() {
        String message = refusal(() -> Operator.parse("Reinhardt"));
        assertTrue(message.contains("'Reinhardt'"), message);
        assertTrue(message.contains("reinhard, reinhard-extended, drago, hable, aces, neutral, film"), message);
    }

    @Test
    void operatorNumbersAreTheKernels() {
        // tonemap.cl's #defines.
        assertEquals(0, Operator.REINHARD.number());
        assertEquals(1, Operator.REINHARD_EXTENDED.number());
        assertEquals(2, Operator.DRAGO.number());
        assertEquals(3, Operator.HABLE.number());
        assertEquals(4, Operator.ACES.number());
        assertEquals(5, Operator.KHRONOS_NEUTRAL.number());
        assertEquals(6, Operator.FILM.number());
        assertEquals(9, Operator.PQ.number());
        assertEquals(10, Operator.HLG.number());
        assertEquals(11, Operator.ACES_HILL.number());
        assertEquals(12, Operator.AGX.number());
    }

    @Test
    void valuesOutOfRangeAreRefusedWithTheRange() {
        ToneMapSettings settings = ToneMapSettings.of(Operator.FILM);
        assertEquals("exposure must be between -20 and 20, not 21", refusal(() -> settings.withExposure(21)));
        assertEquals("exposure must be between -20 and 20, not NaN", refusal(() -> settings.withExposure(Double.NaN)));
        assertEquals("white must be between 0.001 and 1.0E12, not 0", refusal(() -> settings.withWhite(0)));
        assertEquals("drago bias must be between 0.01 and 1, not 1.5", refusal(() -> settings.withDragoBias(1.5)));
        assertEquals(
                "saturation must be between 0 and 2, not 2.5",
                refusal(() -> new Colours(null, Colours.OutOfRange.CLIP, 2.5)));
        Colours channels = new Colours(Colours.CurveOn.CHANNELS, Colours.OutOfRange.CLIP, 1);
        assertEquals(
                "the curve of film makes no sense on both luminance and channels",
                refusal(() -> settings.withColours(channels)));
        assertEquals("film knee high must be between 3.6 and 20, not 3", refusal(() -> new FilmCurve(3, -3, 3, 1, 0)));
    }

    @Test
    void framesWithoutPixelsOrBeyondOneBufferAreRefused() {
        assertTrue(refusal(() -> new FrameLayout(0, 5)).contains("at least 1"));
        assertTrue(refusal(() -> new FrameLayout(5, 0)).contains("at least 1"));
        assertTrue(refusal(() -> new FrameLayout(-1, 5)).contains("at least 1"));
        assertTrue(refusal(() -> new FrameLayout(30_000, 20_000)).contains("2 GiB"));
        assertTrue(refusal(() -> new FrameLayout(Integer.MAX_VALUE, 1)).contains("2 GiB"));
    }

    @Test
    void rowsArePaddedToWholeVectors() {
        assertEquals(16, new FrameLayout(1, 1).stride());
        assertEquals(16, new FrameLayout(16, 1).stride());
        FrameLayout layout = new FrameLayout(17, 3);
        assertEquals(32, layout.stride());
        assertEquals(288, layout.floats());
        assertEquals(96, layout.words());
        assertEquals(51, layout.pixels());
    }

    @Test
    void theFilmKneeReachesFullWhite() {
        FilmCurve film = FilmCurve.defaults();
        double f = film.kneeFactor();
        double x = Math.pow(2, 7.5) - Math.pow(2, -3);
        assertEquals(Math.pow(2, 3.5) - Math.pow(2, -3), Math.log(f * x + 1) / f, 1e-9);
    }

    private static String refusal(Runnable action) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, action::run).getMessage());
    }
}
