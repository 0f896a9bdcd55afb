package dev.evener.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class SetModelTest {
    private static final double TOGETHER = 1e6;
    private static final double UNITS = 1e6;

    /** A lane that stood still for 40 ms while the others took its work over: the set was believed to take 14 times as long. */
    @Test
    void aFirstJobWhoseLanesEndedFarApartSaysLittle() {
        SetModel set = new SetModel(1, List.of("a", "b"));
        double apart = Math.log(40);
        set.observe(TOGETHER, 40 * TOGETHER, UNITS, 0.02 + apart * apart, 1);
        double expected = TOGETHER * set.more(TOGETHER);
        double corrected = expected * set.correction(expected, UNITS, 0.05, 1);
        assertTrue(corrected < 1.5 * TOGETHER, () -> corrected + " ns");
    }

    @Test
    void aFirstJobWhoseLanesEndedTogetherCounts() {
        SetModel set = new SetModel(1, List.of("a", "b"));
        set.observe(TOGETHER, 1.2 * TOGETHER, UNITS, 0.005, 1);
        double expected = TOGETHER * set.more(TOGETHER);
        assertEquals(1.2 * TOGETHER, expected * set.correction(expected, UNITS, 0.05, 1), 0.05 * TOGETHER);
    }
}
