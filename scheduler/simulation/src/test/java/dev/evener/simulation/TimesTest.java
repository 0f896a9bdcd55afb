package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimesTest {
    @Test
    void fewWildFiguresDoNotComeToStandForManyMiddlingOnes() {
        List<Double> values = new ArrayList<>(Collections.nCopies(1000, 10.0));
        values.add(1e6);
        assertEquals(Times.of(10), Times.like(values));
    }

    @Test
    void figuresThatScatterKeepTheirQuantiles() {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i <= 1000; i++) {
            values.add((double) (i * 389 % 1001));
        }
        Times times = Times.like(values);
        for (double part : new double[] {0.1, 0.25, 0.5, 0.75, 0.9}) {
            assertEquals(1000 * part, times.at(part), 20, "at " + part);
        }
    }

    @Test
    void whatWeighsMoreIsLikelier() {
        List<double[]> values = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            values.add(new double[] {5, 1}); // short chunks that were disturbed
            values.add(new double[] {1, 9});
        }
        Times times = Times.weighed(values);
        assertEquals(1, times.at(0.85));
        assertEquals(5, times.at(0.95));
    }

    @Test
    void noneOfNone() {
        assertEquals(Times.NONE, Times.like(List.of()));
        assertTrue(Times.like(List.of(-3.0)).median() == 0, "clocks that disagree do not make time run backwards");
    }
}
