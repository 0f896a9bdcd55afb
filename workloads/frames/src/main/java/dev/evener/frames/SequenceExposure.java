package dev.evener.frames;

import dev.evener.kernels.tonemap.FrameStatistics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;

/**
 * What the frames of a sequence are exposed for, so that exposure does not jump: averages of the logarithms of the statistics of the
 * frames before and after each, of which one {@code d} frames away counts {@code e^(-|d| / frames)}. So a change that stays is spread
 * over frames on both sides of it, and exposure goes by at most {@code tanh(1 / (2 frames))} of it from frame to frame. Black frames do
 * not count, and are exposed as the one before. Consecutive inputs of one folder are a sequence.
 *
 * <p>What counts in a frame is what counts where the shot's bright parts are darkest. So a lamp that is switched on turns no scene into
 * its background.
 *
 * <p>Nothing is averaged over a cut: where less than half of what the frame before shows is {@linkplain
 * Thumbnail#likeness in the next}, and less than half of what is usual around, as while the camera is swung. Light is
 * no cut, however often it goes on and off, nor is what is over after five frames, as a flash.
 *
 * <p>All frames are measured before the first is mapped, so the result depends on their order and contents and on nothing else.
 */
final class SequenceExposure {
    private static final double LIKE = 0.5; // of frames of one shot, at least, or of what is usual around
    private static final int AROUND = 6; // frames before and from a cut on: one more than what is over soon

    private SequenceExposure() {}

    /**
     * Replaces what was measured by what to expose for.
     *
     * @param measured of each input that could be, by its place
     * @param histograms what that was worked out from; frames without one stay as measured
     * @param shown what each of them shows
     * @param frames after which a frame counts a 1/e-th, above 0
     */
    static void smooth(
            List<Path> inputs,
            NavigableMap<Integer, FrameStatistics> measured,
            Map<Integer, int[]> histograms,
            Map<Integer, Thumbnail> shown,
            double frames) {
        List<Integer> lit = new ArrayList<>(); // of a sequence
        Path folder = null;
        for (int i : measured.keySet()) {
            Path next = inputs.get(i).getParent();
            if (!Objects.equals(folder, next)) {
                smoothLit(lit, measured, histograms, shown, frames);
                lit.clear();
                folder = next;
            }
            if (measured.get(i).highLuminance() > 0) {
                lit.add(i);
            }
        }
        smoothLit(lit, measured, histograms, shown, frames);
        FrameStatistics last = null;
        for (int i : List.copyOf(measured.keySet())) {
            FrameStatistics each = measured.get(i);
            last = last == null || each.highLuminance() > 0 ? each : last;
            measured.put(i, last);
        }
    }

    private static void smoothLit(
            List<Integer> lit,
            NavigableMap<Integer, FrameStatistics> measured,
            Map<Integer, int[]> histograms,
            Map<Integer, Thumbnail> shown,
            double frames) {
        boolean[] cuts =
                cuts(lit.stream().map(i -> Objects.requireNonNull(shown.get(i))).toList());
        List<FrameStatistics> own = new ArrayList<>();
        int count = lit.size();
        for (int begin = 0, i = 1; i <= count; i++) {
            if (i == count || cuts[i]) {
                List<Integer> shot = lit.subList(begin, i);
                double bright = shot.stream()
                        .mapToDouble(each -> measured.get(each).bright())
                        .min()
                        .orElseThrow();
                for (int each : shot) {
                    int[] counts = histograms.get(each);
                    own.add(counts == null ? measured.get(each) : FrameStatistics.of(counts, bright));
                }
                begin = i;
            }
        }
        double decay = StrictMath.exp(-1 / frames);
        double[][] sums = new double[count][4]; // of weights, and of all figures
        double[] behind = new double[4];
        double[] ahead = new double[4];
        for (int i = 0; i < count; i++) {
            int j = count - 1 - i;
            for (int k = 0; k < 4; k++) {
                behind[k] = figure(own.get(i), k) + (cuts[i] ? 0 : decay * behind[k]);
                sums[i][k] += behind[k];
                sums[j][k] += ahead[k];
                ahead[k] = cuts[j] ? 0 : decay * (ahead[k] + figure(own.get(j), k));
            }
        }
        for (int i = 0; i < count; i++) {
            double high = StrictMath.exp(sums[i][2] / sums[i][0]);
            double key = StrictMath.exp(sums[i][3] / sums[i][0]);
            measured.put(
                    lit.get(i),
                    new FrameStatistics(
                            sums[i][1] / sums[i][0], high, key, own.get(i).bright()));
        }
    }

    private static double figure(FrameStatistics of, int number) {
        return switch (number) {
            case 0 -> 1;
            case 1 -> of.meanLog2Luminance();
            case 2 -> StrictMath.log(of.highLuminance());
            default -> StrictMath.log(of.key());
        };
    }

    /** Whether each frame is the first of a shot, but for the first of all. */
    static boolean[] cuts(List<Thumbnail> shown) {
        boolean[] cuts = new boolean[shown.size()];
        double[] likeness = new double[cuts.length]; // to the frame before
        for (int i = 1; i < cuts.length; i++) {
            likeness[i] = shown.get(i - 1).likeness(shown.get(i));
        }
        for (int i = 1, shot = 0; i < cuts.length; i++) {
            int from = Math.max(1, i - AROUND);
            int end = Math.min(cuts.length, i + AROUND);
            double[] around = Arrays.copyOfRange(likeness, from, end);
            Arrays.sort(around);
            double like = LIKE * around[around.length / 2];
            List<Thumbnail> next = shown.subList(i, end);
            cuts[i] = likeness[i] < like
                    && shown.subList(Math.max(shot, i - AROUND), i).stream()
                            .noneMatch(before -> next.stream().anyMatch(after -> before.likeness(after) >= like));
            shot = cuts[i] ? i : shot;
        }
        return cuts;
    }
}
