package dev.evener.workloads.document;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Robust statistics of repeated measurements: one run that the machine disturbed must not decide. Stateless. */
public final class Statistics {
    private static final double TAIL = 0.025;
    private static final int RESAMPLES = 1000;
    private static final int EXACT = 100;

    private Statistics() {}

    /** The middle value, or the mean of the two middle ones. */
    public static double median(double[] values) {
        return quantile(values, 0.5);
    }

    /** The median of a figure of each; 0 if there is none. */
    public static <T> double median(Collection<T> of, ToDoubleFunction<? super T> figure) {
        return of.isEmpty() ? 0 : median(of.stream().mapToDouble(figure).toArray());
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
        double[] ratios = ratios(numerators, denominators);
        double[] sorted = sorted(ratios);
        int outside = outside(sorted.length);
        return new Estimate(median(ratios), sorted[outside], sorted[sorted.length - 1 - outside]);
    }

    /** Those of each pair. */
    public static double[] ratios(double[] numerators, double[] denominators) {
        if (numerators.length != denominators.length) {
            throw new IllegalArgumentException(
                    numerators.length + " values cannot be paired with " + denominators.length);
        }
        double[] ratios = new double[numerators.length];
        Arrays.setAll(ratios, i -> numerators[i] / denominators[i]);
        return ratios;
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

    /**
     * The median of values that come in groups, such as runs on several machines, with the 95 % interval of a bootstrap in two stages:
     * groups are drawn again with replacement, and values within each (Davison and Hinkley, "Bootstrap Methods and their Application",
     * 1997, 3.8). The same values give the same interval.
     *
     * @param groups at least one, each with at least one value
     */
    public static Estimate bootstrap(List<double[]> groups) {
        double[] all = groups.stream().flatMapToDouble(Arrays::stream).toArray();
        SplittableRandom random = new SplittableRandom(all.length);
        double[] medians = new double[RESAMPLES];
        for (int i = 0; i < RESAMPLES; i++) {
            double[][] drawn = new double[groups.size()][];
            for (int g = 0; g < drawn.length; g++) {
                double[] own = groups.get(random.nextInt(drawn.length));
                drawn[g] = random.ints(own.length, 0, own.length)
                        .mapToDouble(k -> own[k])
                        .toArray();
            }
            medians[i] =
                    median(Arrays.stream(drawn).flatMapToDouble(Arrays::stream).toArray());
        }
        return new Estimate(median(all), quantile(medians, TAIL), quantile(medians, 1 - TAIL));
    }

    /**
     * Wilcoxon's signed-rank test of paired differences ("Individual comparisons by ranking methods", 1945). Differences of 0 are left out
     * and equal ones share their rank.
     *
     * @return how strongly the differences are above 0, as the matched-pairs rank-biserial correlation from -1 to 1 (Kerby, 2014), and the
     *     two-sided chance of that or more if they were as often above 0 as below: exact for up to {@value #EXACT} differences
     */
    public static SignedRanks signedRanks(double[] differences) {
        double[] nonzero = Arrays.stream(differences).filter(d -> d != 0).toArray();
        double[] sizes = Arrays.stream(nonzero).map(Math::abs).toArray();
        double[] ways = {1}; // in which signs could fall, as a part of all, by twice the sum of the ranks above 0
        double above = 0;
        double all = 0;
        double squares = 0;
        for (double each : nonzero) {
            int twice = 0; // the rank, which may be half a number
            for (double size : sizes) {
                twice += size < Math.abs(each) ? 2 : size == Math.abs(each) ? 1 : 0;
            }
            twice++;
            above += each > 0 ? twice : 0;
            all += twice;
            squares += (double) twice * twice;
            if (nonzero.length <= EXACT) {
                double[] next = new double[ways.length + twice];
                for (int sum = 0; sum < ways.length; sum++) {
                    next[sum] += ways[sum] / 2;
                    next[sum + twice] += ways[sum] / 2;
                }
                ways = next;
            }
        }
        double off = Math.abs(above - all / 2);
        double chance = 0;
        if (nonzero.length > EXACT) { // about normal: the variance is a quarter of the squares
            chance = 2 * normalTail(off / Math.sqrt(squares / 4));
        }
        for (int sum = 0; sum < ways.length && nonzero.length <= EXACT; sum++) {
            chance += Math.abs(sum - all / 2) >= off ? ways[sum] : 0;
        }
        return new SignedRanks(all == 0 ? 0 : 2 * above / all - 1, Math.min(1, chance));
    }

    /**
     * The chance of a normal figure to be above z, at least 0, to 1e-7 (Hastings' approximation; Abramowitz and Stegun,
     * 26.2.17).
     */
    public static double normalTail(double z) {
        double t = 1 / (1 + 0.2316419 * z);
        double series = 0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)));
        return Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI) * t * series;
    }

    /** Chances corrected for there being so many of them (Holm, "A simple sequentially rejective multiple test procedure", 1979). */
    public static double[] holm(double[] chances) {
        Integer[] order = IntStream.range(0, chances.length).boxed().toArray(Integer[]::new);
        Arrays.sort(order, Comparator.comparingDouble(i -> chances[i]));
        double[] corrected = new double[chances.length];
        double most = 0;
        for (int i = 0; i < order.length; i++) {
            most = Math.max(most, Math.min(1, (order.length - i) * chances[order[i]]));
            corrected[order[i]] = most;
        }
        return corrected;
    }

    /**
     * What a test of signed ranks says.
     *
     * @param effect -1 if all differences are below 0, 1 if all are above
     * @param chance of that or more by chance, 0 to 1
     */
    public record SignedRanks(double effect, double chance) {}

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
        public Map<String, Double> toMap() {
            Map<String, Double> map = new LinkedHashMap<>();
            map.put("value", value);
            map.put("low", low);
            map.put("high", high);
            return map;
        }
    }
}
