package dev.evener.workloads.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Robust statistics of repeated measurements: one run that the machine disturbed must not decide. Stateless. */
public final class Statistics {
    private static final double TAIL = 0.025;

    private Statistics() {}

    /** The middle value, or the mean of the two middle ones. */
    public static double median(double[] values) {
        return quantile(values, 0.5);
    }

    /**
     * A quantile, interpolated linearly between order statistics (type 7 of Hyndman and Fan, "Sample quantiles in
     * statistical packages", 1996).
     *
     * @param values at least one, in any order
     * @param q 0 to 1
     */
    public static double quantile(double[] values, double q) {
        double[] sorted = sorted(values);
        double place = q * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }

    /** The median distance from the median, not scaled to a standard deviation. */
    public static double medianAbsoluteDeviation(double[] values) {
        double median = median(values);
        return median(Arrays.stream(values).map(v -> Math.abs(v - median)).toArray());
    }

    /**
     * The median of {@code numerators[i] / denominators[i]}. The two of a pair were measured close together, so that what
     * slows a machine down for longer than that cancels out.
     *
     * @return with a 95 % interval that assumes nothing of the distribution: between the order statistics whose ranks the
     *     binomial distribution gives; with fewer than 6 pairs there is none, and it is the whole range
     */
    public static Estimate medianRatio(double[] numerators, double[] denominators) {
        if (numerators.length != denominators.length) {
            throw new IllegalArgumentException(
                    numerators.length + " values cannot be paired with " + denominators.length);
        }
        double[] ratios = new double[numerators.length];
        Arrays.setAll(ratios, i -> numerators[i] / denominators[i]);
        double[] sorted = sorted(ratios);
        int outside = outside(sorted.length);
        return new Estimate(median(ratios), sorted[outside], sorted[sorted.length - 1 - outside]);
    }

    /** How many of n sorted values lie beyond each end of the interval for the median. */
    static int outside(int n) {
        double logChance = -n * Math.log(2); // of none of them lying below the median
        double tail = 0;
        int outside = 0;
        for (; outside < n / 2; outside++) {
            tail += Math.exp(logChance);
            if (tail > TAIL) {
                break;
            }
            logChance += Math.log((double) (n - outside) / (outside + 1));
        }
        return Math.max(0, outside - 1);
    }

    private static double[] sorted(double[] values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("there are no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    /**
     * A median with its confidence interval.
     *
     * @param value the median
     * @param low lower end of the 95 % interval
     * @param high upper end
     */
    public record Estimate(double value, double low, double high) {
        /** For JSON. */
        Map<String, Double> toMap() {
            Map<String, Double> map = new LinkedHashMap<>();
            map.put("value", value);
            map.put("low", low);
            map.put("high", high);
            return map;
        }
    }
}
