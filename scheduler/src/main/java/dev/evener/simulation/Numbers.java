package dev.evener.simulation;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Statistics that the odd wild figure does not move. Stateless. */
final class Numbers {
    private static final int ROUNDS = 60;

    private Numbers() {}

    /** The middle one; 0 of none. */
    static double median(Collection<Double> values) {
        return median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** The middle one; 0 of none. The array is sorted. */
    static double median(double[] values) {
        if (values.length == 0) {
            return 0;
        }
        Arrays.sort(values);
        int half = values.length / 2;
        return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    }

    /**
     * Finds {@code f, c >= 0} such that {@code f * row[0] + c * row[1]} is near {@code row[2]}: least absolute deviations by
     * iteratively reweighted least squares (Schlossmacher, "An Iterative Technique for Absolute Deviations Curve Fitting",
     * 1973), relative to what is expected, since what takes ten times as long is off by ten times as much.
     */
    static double[] leastDeviations(List<double[]> rows) {
        double least = Double.MAX_VALUE;
        double most = 0;
        double[] ratios = new double[rows.size()];
        for (int i = 0; i < ratios.length; i++) {
            double[] row = rows.get(i);
            double x = row[1] / row[0];
            least = Math.min(least, x);
            most = Math.max(most, x);
            ratios[i] = row[1] == 0 ? 0 : row[2] / row[1];
        }
        double proportional = median(ratios);
        if (most <= 1.1 * least || proportional == 0) {
            return new double[] {0, proportional}; // of one size alone nothing can be told apart
        }
        double f = 0;
        double c = proportional;
        for (int round = 0; round < ROUNDS; round++) {
            double s00 = 0;
            double s01 = 0;
            double s11 = 0;
            double t0 = 0;
            double t1 = 0;
            for (double[] row : rows) {
                double expected = Math.max(1e-12, f * row[0] + c * row[1]);
                double off = Math.abs(row[2] - expected) / expected;
                double weight = 1 / (expected * expected * Math.max(1e-6, off));
                s00 += weight * row[0] * row[0];
                s01 += weight * row[0] * row[1];
                s11 += weight * row[1] * row[1];
                t0 += weight * row[0] * row[2];
                t1 += weight * row[1] * row[2];
            }
            double lastF = f;
            double lastC = c;
            double determinant = s00 * s11 - s01 * s01;
            f = determinant <= 1e-12 * s00 * s11 ? 0 : (t0 * s11 - t1 * s01) / determinant;
            c = determinant <= 1e-12 * s00 * s11 ? t1 / s11 : (t1 * s00 - t0 * s01) / determinant;
            if (f < 0) {
                f = 0;
                c = t1 / s11;
            } else if (c < 0) {
                c = 0;
                f = t0 / s00;
            }
            if (Math.abs(f - lastF) <= 1e-9 * f && Math.abs(c - lastC) <= 1e-9 * c) {
                break;
            }
        }
        return new double[] {f, c};
    }
}
