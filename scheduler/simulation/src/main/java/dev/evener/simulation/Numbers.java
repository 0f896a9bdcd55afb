package dev.evener.simulation;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** Statistics that the odd wild figure does not move, and checks of figures. Stateless. */
final class Numbers {
    private static final int ROUNDS = 60;
    private static final double MOST = 1e18;

    private Numbers() {}

    static void require(String name, double value, double least) {
        require(name, value, least, MOST);
    }

    static void require(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", not a number from " + text(least) + " to " + text(most));
        }
    }

    private static String text(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e6
                ? Long.toString((long) value)
                : Double.toString(value);
    }

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
     * Finds figures {@code >= 0} for all of a row but its last entry, such that the sum of the row's entries, each times its
     * figure, is near the last: least absolute deviations by iteratively reweighted least squares (Schlossmacher, "An Iterative
     * Technique for Absolute Deviations Curve Fitting", 1973), relative to what is expected, since what takes ten times as long is
     * off by ten times as much. The first column counts what is not proportional to anything; there are few.
     */
    static double[] leastDeviations(List<double[]> rows) {
        int columns = rows.isEmpty() ? 2 : rows.get(0).length - 1;
        double[] found = new double[columns];
        double least = Double.MAX_VALUE;
        double most = 0;
        double[] ratios = new double[rows.size()];
        for (int i = 0; i < ratios.length; i++) {
            double[] row = rows.get(i);
            double all = 0;
            for (int c = 1; c < columns; c++) {
                all += row[c];
            }
            least = Math.min(least, all / row[0]);
            most = Math.max(most, all / row[0]);
            ratios[i] = all == 0 ? 0 : row[columns] / all;
        }
        double proportional = median(ratios);
        Arrays.fill(found, 1, columns, proportional);
        if (columns == 2 && (most <= 1.1 * least || proportional == 0)) {
            return found; // of one size alone nothing can be told apart
        }
        for (int round = 0; round < ROUNDS; round++) {
            double[][] sums = new double[columns + 1][columns + 1];
            for (double[] row : rows) {
                double expected = Math.max(1e-12, times(row, found));
                double off = Math.abs(row[columns] - expected) / expected;
                double weight = 1 / (expected * expected * Math.max(1e-6, off));
                for (int i = 0; i <= columns; i++) {
                    for (int j = 0; j <= columns; j++) {
                        sums[i][j] += weight * row[i] * row[j];
                    }
                }
            }
            double[] last = found;
            found = leastSquares(sums);
            boolean same = true;
            for (int i = 0; i < columns; i++) {
                same &= Math.abs(found[i] - last[i]) <= 1e-9 * found[i];
            }
            if (same) {
                break;
            }
        }
        return found;
    }

    private static double times(double[] row, double[] figures) {
        double sum = 0;
        for (int i = 0; i < figures.length; i++) {
            sum += row[i] * figures[i];
        }
        return sum;
    }

    /**
     * The best figures {@code >= 0}: of all ways to leave some columns out, that which explains most with none below 0.
     *
     * @param sums of the products of each two entries of the rows
     */
    private static double[] leastSquares(double[][] sums) {
        int columns = sums.length - 1;
        double[] best = new double[columns];
        double most = 0; // explained, of the squares' sum
        for (int kept = 1; kept < 1 << columns; kept++) {
            double[] figures = solved(sums, kept);
            double explained = 0;
            boolean legal = true;
            for (int i = 0; i < columns; i++) {
                legal &= figures[i] >= 0;
                explained += figures[i] * sums[i][columns];
            }
            if (legal && explained > most * (1 + 1e-12)) {
                best = figures;
                most = explained;
            }
        }
        return best;
    }

    /** The figures of the columns that are kept, by elimination; not a number where they cannot be told apart. */
    private static double[] solved(double[][] sums, int kept) {
        int columns = sums.length - 1;
        int[] which =
                IntStream.range(0, columns).filter(c -> (kept >> c & 1) == 1).toArray();
        double[][] left = new double[which.length][which.length + 1];
        for (int i = 0; i < which.length; i++) {
            for (int j = 0; j < which.length; j++) {
                left[i][j] = sums[which[i]][which[j]];
            }
            left[i][which.length] = sums[which[i]][columns];
        }
        double[] figures = new double[columns];
        for (int i = 0; i < which.length; i++) {
            if (left[i][i] <= 1e-12 * sums[which[i]][which[i]]) {
                figures[which[i]] = Double.NaN;
                return figures;
            }
            for (int row = i + 1; row < which.length; row++) {
                double part = left[row][i] / left[i][i];
                for (int j = i; j <= which.length; j++) {
                    left[row][j] -= part * left[i][j];
                }
            }
        }
        for (int i = which.length - 1; i >= 0; i--) {
            double rest = left[i][which.length];
            for (int j = i + 1; j < which.length; j++) {
                rest -= left[i][j] * figures[which[j]];
            }
            figures[which[i]] = rest / left[i][i];
        }
        return figures;
    }
}
