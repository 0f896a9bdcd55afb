package dev.evener.workloads.bench;

import dev.evener.workloads.document.Statistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Several policies compared over many cases at once: Friedman's test on their ranks in each case, and the least
 * difference of mean ranks that Nemenyi's test takes for more than chance. Demšar, "Statistical Comparisons of
 * Classifiers over Multiple Data Sets", Journal of Machine Learning Research 7, 2006. Immutable.
 *
 * @param ranks mean rank of each policy, 1 for one that is always the shortest
 * @param chance of ranks that are as far apart if no policy is better: of Friedman's statistic, as chi squared
 * @param difference of mean ranks from which on two policies differ, at 5 %
 */
record MeanRanks(Map<String, Double> ranks, double statistic, double chance, double difference) {
    private static final double SURE = 0.95;
    private static final int STEPS = 400; // of an integral from -8 to 8
    private static final double FAR = 8;

    /** @param cases of each the figure of every policy, the less the better; at least one, of at least two policies */
    static MeanRanks of(List<String> policies, List<double[]> cases) {
        int k = policies.size();
        double n = cases.size();
        double[] sums = new double[k];
        double ties = 0;
        for (double[] each : cases) {
            for (int i = 0; i < k; i++) {
                double less = 0;
                double equal = 0;
                for (double other : each) {
                    less += other < each[i] ? 1 : 0;
                    equal += other == each[i] ? 1 : 0;
                }
                sums[i] += less + (equal + 1) / 2;
                ties += (equal * equal - 1) / (n * k * (k * (double) k - 1)); // a part of all: groups of t have t^3 - t
            }
        }
        Map<String, Double> ranks = new LinkedHashMap<>();
        double squares = 0;
        for (int i = 0; i < k; i++) {
            ranks.put(policies.get(i), sums[i] / n);
            squares += Math.pow(sums[i] / n - (k + 1) / 2.0, 2);
        }
        double statistic = ties > 1 - 1e-9 ? 0 : 12 * n / (k * (k + 1.0)) * squares / (1 - ties);
        double difference = studentizedRange(k) / Math.sqrt(2) * Math.sqrt(k * (k + 1) / (6 * n));
        return new MeanRanks(ranks, statistic, chiSquaredTail(statistic, k - 1), difference);
    }

    /** Sets of policies, the best first, of which none can be told from another: no longer ones than these. */
    List<List<String>> alike() {
        List<String> order = ranks.keySet().stream()
                .sorted(Comparator.comparingDouble(ranks::get))
                .toList();
        List<List<String>> sets = new ArrayList<>();
        int last = 0;
        for (int i = 0; i < order.size(); i++) {
            int end = i;
            while (end < order.size() && ranks.get(order.get(end)) - ranks.get(order.get(i)) < difference) {
                end++;
            }
            if (end > last) {
                sets.add(order.subList(i, end));
                last = end;
            }
        }
        return sets;
    }

    /** The chance that chi squared with so many degrees of freedom is above x (Abramowitz and Stegun, 26.4.8). */
    static double chiSquaredTail(double x, int freedom) {
        boolean odd = freedom % 2 == 1;
        double sum = odd ? 2 * Statistics.normalTail(Math.sqrt(x)) : Math.exp(-x / 2);
        double term = Math.exp(-x / 2) * (odd ? 2 * Math.sqrt(x / 2 / Math.PI) : x / 2);
        for (int of = odd ? 1 : 2; of < freedom; of += 2) {
            sum += term;
            term *= x / (of + 2);
        }
        return Math.min(1, sum);
    }

    /** Below which the range of so many normal figures, in their standard deviation, is in 95 %. */
    static double studentizedRange(int count) {
        double low = 0;
        double high = 2 * FAR;
        while (high - low > 1e-6) {
            double middle = (low + high) / 2;
            double chance = 0;
            double step = 2 * FAR / STEPS;
            for (int i = 0; i < STEPS; i++) {
                double z = -FAR + (i + 0.5) * step;
                chance += step
                        * count
                        * Math.exp(-z * z / 2)
                        / Math.sqrt(2 * Math.PI)
                        * Math.pow(normal(z) - normal(z - middle), count - 1);
            }
            low = chance < SURE ? middle : low;
            high = chance < SURE ? high : middle;
        }
        return low;
    }

    private static double normal(double z) {
        return z < 0 ? Statistics.normalTail(-z) : 1 - Statistics.normalTail(z);
    }
}
