package dev.evener.simulation;

import dev.evener.policy.WorkProfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What one kernel takes: a line for each device, and a profile of its work that they share. Lines and profile are found in
 * turn: given the profile, each device's line is a regression; given the lines, a chunk that took longer than expected
 * makes the part of the index space that it covers dearer (the multiplicative correction of Gordon, Bender and Herman's
 * algebraic reconstruction, 1970). The profile is kept only if it predicts jobs that it was not made from better than a
 * flat one.
 */
final class KernelFit {
    private static final int BINS = 64;
    private static final int ROUNDS = 12;
    private static final int MOST_SAMPLES = 2000; // of a device: more tell nothing new
    /** Part of its error that a profile must take away. */
    private static final double WORTH = 0.8;

    /** Part of the lines' error that a slow-down must take away to be believed. */
    private static final double SLOWDOWN_WORTH = 0.03;

    /** What a device takes. */
    record Line(double fixedNanos, double nanosPerUnit, Times factor, double slowdown) {
        double nanos(double weight) {
            return Math.max(1e-9, fixedNanos + nanosPerUnit * weight);
        }
    }

    private final Map<Integer, List<Sample>> byDevice = new TreeMap<>();
    private Map<Integer, Line> lines = new TreeMap<>();
    private double[] profile = {};

    private KernelFit(List<Sample> samples) {
        for (Sample sample : samples) {
            byDevice.computeIfAbsent(sample.device(), d -> new ArrayList<>()).add(sample);
        }
        byDevice.replaceAll((device, all) -> thin(all, MOST_SAMPLES));
    }

    /** So many at most, from beginning to end. */
    static List<Sample> thin(List<Sample> all, int most) {
        int left = Math.min(most, all.size());
        return IntStream.range(0, left)
                .mapToObj(i -> all.get((int) ((long) i * all.size() / left)))
                .toList();
    }

    static KernelFit of(List<Sample> samples) {
        KernelFit flat = new KernelFit(samples);
        flat.fitLines(false);
        if (samples.stream().allMatch(s -> s.units() == s.all())) {
            return flat;
        }
        KernelFit half =
                new KernelFit(samples.stream().filter(s -> s.job() % 2 == 0).toList());
        half.fitProfile();
        KernelFit evenHalf = new KernelFit(half.samples());
        evenHalf.fitLines(false);
        List<Sample> others = samples.stream().filter(s -> s.job() % 2 != 0).toList();
        if (others.isEmpty() || half.byDevice.isEmpty() || half.error(others) > WORTH * evenHalf.error(others)) {
            return flat;
        }
        KernelFit bent = new KernelFit(samples);
        bent.fitProfile();
        return bent;
    }

    private List<Sample> samples() {
        List<Sample> all = new ArrayList<>();
        byDevice.values().forEach(all::addAll);
        return all;
    }

    /** The lines, each with how chunks scatter about it. */
    Map<Integer, Line> lines() {
        WorkProfile integral = WorkProfile.of(profile);
        Map<Integer, Line> complete = new TreeMap<>();
        lines.forEach((device, line) -> {
            // Weighed by the time expected: a disturbance that makes a short chunk take twice as long is little to a
            // long one.
            List<double[]> factors = new ArrayList<>();
            for (Sample sample : samplesOf(device)) {
                double expected = line.nanos(weight(sample, integral));
                double factor = sample.nanosAlone(line.slowdown()) / expected;
                factors.add(new double[] {Math.round(factor * 1e6) / 1e6, expected});
            }
            complete.put(
                    device, new Line(line.fixedNanos(), line.nanosPerUnit(), Times.weighed(factors), line.slowdown()));
        });
        return complete;
    }

    private List<Sample> samplesOf(int device) {
        return byDevice.getOrDefault(device, List.of());
    }

    List<Double> profile() {
        return Arrays.stream(profile).boxed().toList();
    }

    /** Mean distance of the logarithms of what was predicted and what was measured, over chunks of devices that are known. */
    private double error(List<Sample> of) {
        WorkProfile integral = WorkProfile.of(profile);
        double sum = 0;
        double weights = 0;
        for (Sample sample : of) {
            Line line = lines.get(sample.device());
            if (line != null) {
                double took = sample.nanosAlone(line.slowdown());
                sum += took * Math.abs(Math.log(took / line.nanos(weight(sample, integral))));
                weights += took;
            }
        }
        return weights == 0 ? Double.MAX_VALUE : sum / weights;
    }

    private static double weight(Sample sample, WorkProfile integral) {
        return integral.work(sample.first(), sample.units(), sample.all());
    }

    /** @param apart as if devices did not hinder one another */
    private void fitLines(boolean apart) {
        WorkProfile integral = WorkProfile.of(profile);
        Map<Integer, Line> found = new TreeMap<>();
        byDevice.forEach(
                (device, samples) -> found.put(device, apart ? line(samples, integral, 1) : line(samples, integral)));
        lines = found;
    }

    private void fitProfile() {
        profile = new double[BINS];
        Arrays.fill(profile, 1);
        // At first as if devices did not hinder one another: what is dear where both work would be taken for that.
        for (int round = 0; round < ROUNDS; round++) {
            fitLines(true);
            for (int i = 0; i < 4; i++) {
                bend();
            }
        }
        fitLines(false);
        for (int i = 0; i < 4; i++) {
            bend();
        }
        fitLines(false);
    }

    private void bend() {
        WorkProfile integral = WorkProfile.of(profile);
        double[] ratios = new double[BINS];
        double[] weights = new double[BINS];
        byDevice.forEach((device, samples) -> {
            Line line = lines.get(device);
            for (Sample sample : samples) {
                if (line == null || sample.units() == sample.all()) {
                    continue;
                }
                double expected = line.nanosPerUnit() * weight(sample, integral);
                double took = sample.nanosAlone(line.slowdown()) - line.fixedNanos();
                double ratio = Math.max(0.2, Math.min(5, took / Math.max(1e-9, expected)));
                double from = sample.first() / sample.all() * BINS;
                double to = (sample.first() + sample.units()) / sample.all() * BINS;
                for (int bin = (int) from; bin < BINS && bin < to; bin++) {
                    // A chunk tells most of the bins it covers when it covers few others.
                    double part = (Math.min(to, bin + 1) - Math.max(from, bin)) / (to - from);
                    ratios[bin] += part * ratio;
                    weights[bin] += part;
                }
            }
        });
        double sum = 0;
        for (int bin = 0; bin < BINS; bin++) {
            profile[bin] = Math.max(1e-6, profile[bin] * (weights[bin] == 0 ? 1 : ratios[bin] / weights[bin]));
            sum += profile[bin];
        }
        for (int bin = 0; bin < BINS; bin++) {
            profile[bin] *= BINS / sum;
        }
    }

    private static Line line(List<Sample> samples, WorkProfile integral) {
        if (!MemoryFit.tells(samples)) {
            return line(samples, integral, 1);
        }
        double[] sizes = sizes(samples, integral);
        double found = MemoryFit.slowdown(slowdown -> off(samples, sizes, slowdown));
        boolean worth = off(samples, sizes, found) < (1 - SLOWDOWN_WORTH) * off(samples, sizes, 1);
        return line(samples, integral, worth ? found : 1);
    }

    /**
     * What chunks should be proportional to, but for a part that all have: what others slow is all that a chunk takes, so where
     * data is moved, its weight and its bytes each count by what they take.
     */
    private static double[] sizes(List<Sample> samples, WorkProfile integral) {
        double kernels = line(samples, integral, 1).nanosPerUnit();
        double transfers = Numbers.median(samples.stream()
                .filter(s -> s.bytes() > 0)
                .map(s -> s.transferNanos() / s.bytes())
                .toList());
        return samples.stream()
                .mapToDouble(s -> kernels * weight(s, integral) + transfers * s.bytes())
                .toArray();
    }

    private static double off(List<Sample> samples, double[] sizes, double slowdown) {
        List<double[]> rows = new ArrayList<>(sizes.length);
        for (int i = 0; i < sizes.length; i++) {
            rows.add(new double[] {1, sizes[i], samples.get(i).workAlone(slowdown)});
        }
        double[] line = Numbers.leastDeviations(rows);
        double sum = 0;
        for (double[] row : rows) {
            sum += Math.abs(Math.log(row[2] / Math.max(1e-9, line[0] + line[1] * row[1])));
        }
        return sum;
    }

    private static Line line(List<Sample> samples, WorkProfile integral, double slowdown) {
        List<double[]> rows = new ArrayList<>(samples.size());
        for (Sample sample : samples) {
            rows.add(new double[] {1, weight(sample, integral), sample.nanosAlone(slowdown)});
        }
        double[] found = Numbers.leastDeviations(rows);
        double fixed = found[0];
        double perUnit = found[0] + found[1] > 0 ? found[1] : 1e-6;
        return new Line(fixed, perUnit, Times.of(1), slowdown);
    }
}
