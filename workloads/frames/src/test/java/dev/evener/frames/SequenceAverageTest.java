package dev.evener.frames;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.frames.SequenceExposureTest.Film;
import dev.evener.kernels.tonemap.FrameStatistics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the exposure of a frame is made of: what was measured of it and of those around it, as far as the next cut. */
class SequenceAverageTest {
    private static final double FRAMES = SequenceExposureTest.FRAMES;
    private static final double STEP = Math.tanh(1 / (2 * FRAMES));
    private static final FrameStatistics BLACK = new FrameStatistics(Math.log(1e-5) / Math.log(2), 0, 0.18, 0);

    @Test
    void everyFigureIsASymmetricAverageOfLogarithms() {
        Random random = new Random(5);
        List<FrameStatistics> own = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            double mean = i * 0.02 + 0.9 * random.nextDouble(); // no cut
            own.add(
                    i > 0 && random.nextInt(9) == 0
                            ? BLACK
                            : new FrameStatistics(
                                    mean, Math.pow(2, mean + random.nextDouble()), 0.1 + random.nextDouble(), mean));
        }
        List<FrameStatistics> exposures = smoothed(own);
        List<FrameStatistics> lit = new ArrayList<>(own);
        lit.removeIf(BLACK::equals);
        int at = 0;
        for (int i = 0; i < 200; i++) {
            if (own.get(i).equals(BLACK)) {
                assertEquals(exposures.get(i - 1), exposures.get(i));
                continue;
            }
            double[] sums = new double[4];
            for (int k = 0; k < lit.size(); k++) {
                double weight = Math.exp(-Math.abs(at - k) / FRAMES);
                sums[0] += weight;
                sums[1] += weight * lit.get(k).meanLog2Luminance();
                sums[2] += weight * Math.log(lit.get(k).highLuminance());
                sums[3] += weight * Math.log(lit.get(k).key());
            }
            at++;
            assertEquals(sums[1] / sums[0], exposures.get(i).meanLog2Luminance(), 1e-12);
            assertEquals(1, exposures.get(i).highLuminance() / Math.exp(sums[2] / sums[0]), 1e-12);
            assertEquals(1, exposures.get(i).key() / Math.exp(sums[3] / sums[0]), 1e-12);
        }
    }

    @Test
    void foldersAndCutsBeginASequenceAndBlackFramesAndFlashesDoNot() {
        FrameStatistics dark = new FrameStatistics(-4, 0.5, 0.2, 0);
        FrameStatistics bright = new FrameStatistics(4, 50, 0.2, 0);
        Thumbnail a = new Film(1).scene().light(1, 1).look();
        Thumbnail b = new Film(2).scene().light(1, 1).look();
        assertEquals(List.of(BLACK, BLACK), smoothed(List.of(BLACK, BLACK)), "nothing else is known");
        List<FrameStatistics> cut = List.of(dark, dark, BLACK, dark, BLACK, bright, bright, bright);
        assertClose(
                List.of(dark, dark, dark, dark, dark, bright, bright, bright),
                smoothed(cut, List.of(a, a, a, a, a, b, b, b)));
        List<FrameStatistics> flash = List.of(dark, dark, dark, bright, bright, dark, dark, dark, dark);
        double before = 0;
        for (FrameStatistics each : smoothed(flash, List.of(a, a, a, b, b, a, a, a, a))) {
            assertTrue(before == 0 || Math.abs(each.meanLog2Luminance() - before) < 8 * STEP);
            before = each.meanLog2Luminance();
        }
        List<Path> inputs =
                Stream.of("a/0", "a/1", "b/2", "3", "4").map(Path::of).toList();
        NavigableMap<Integer, FrameStatistics> measured = new TreeMap<>(
                Map.of(0, dark, 1, dark, 2, new FrameStatistics(-3.5, 1, 0.2, 0), 4, dark)); // the fourth failed
        NavigableMap<Integer, FrameStatistics> exposures = new TreeMap<>(measured);
        SequenceExposure.smooth(inputs, exposures, Map.of(), Map.of(0, a, 1, a, 2, a, 4, a), FRAMES);
        assertEquals(measured.keySet(), exposures.keySet());
        measured.forEach((i, own) -> assertClose(List.of(own), List.of(exposures.get(i))));
    }

    private static List<FrameStatistics> smoothed(List<FrameStatistics> own) {
        return smoothed(own, Collections.nCopies(own.size(), new Film(1).scene().look()));
    }

    private static List<FrameStatistics> smoothed(List<FrameStatistics> own, List<Thumbnail> shown) {
        return smoothed(own, shown, FRAMES);
    }

    private static List<FrameStatistics> smoothed(List<FrameStatistics> own, List<Thumbnail> shown, double frames) {
        return SequenceExposureTest.smoothed(own, List.of(), shown, frames);
    }

    private static void assertClose(List<FrameStatistics> expected, List<FrameStatistics> actual) {
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i).meanLog2Luminance(), actual.get(i).meanLog2Luminance(), 1e-12, "frame " + i);
            assertEquals(1, expected.get(i).highLuminance() / actual.get(i).highLuminance(), 1e-12, "frame " + i);
        }
    }
}
