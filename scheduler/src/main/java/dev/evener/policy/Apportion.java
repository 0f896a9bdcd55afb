package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;
import java.util.Arrays;

/** Arithmetic that policies share. Stateless. */
final class Apportion {
    private Apportion() {}

    /** Whole granules closest to the given proportions (largest remainder), summing exactly to {@code granules}. */
    static long[] byWeight(double[] weights, long granules) {
        double sum = Arrays.stream(weights).sum();
        long[] shares = new long[weights.length];
        double[] remainder = new double[weights.length];
        long given = 0;
        for (int i = 0; i < weights.length; i++) {
            double exact = granules * (weights[i] / sum);
            shares[i] = Math.min(granules - given, (long) Math.floor(exact));
            remainder[i] = exact - shares[i];
            given += shares[i];
        }
        while (given < granules) {
            int best = 0;
            for (int i = 1; i < weights.length; i++) {
                if (remainder[i] > remainder[best]) {
                    best = i;
                }
            }
            shares[best]++;
            remainder[best]--;
            given++;
        }
        return shares;
    }

    /**
     * Units for each lane so that all predicted times are equal: the time {@code T} with
     * {@code sum of max(0, (T - fixed) / perUnit) = units}, found by leaving out the lanes whose fixed cost alone exceeds it.
     */
    static double[] finishTogether(Cost[] costs, double units) {
        boolean[] in = new boolean[costs.length];
        Arrays.fill(in, true);
        while (true) {
            double rate = 0;
            double headStart = 0;
            for (int i = 0; i < costs.length; i++) {
                if (in[i]) {
                    rate += 1 / costs[i].nanosPerUnit();
                    headStart += costs[i].fixedNanos() / costs[i].nanosPerUnit();
                }
            }
            double together = (units + headStart) / rate;
            boolean dropped = false;
            for (int i = 0; i < costs.length; i++) {
                if (in[i] && costs[i].fixedNanos() > together) {
                    in[i] = false;
                    dropped = true;
                }
            }
            if (!dropped) {
                double[] shares = new double[costs.length];
                for (int i = 0; i < costs.length; i++) {
                    shares[i] = in[i] ? (together - costs[i].fixedNanos()) / costs[i].nanosPerUnit() : 0;
                }
                return shares;
            }
        }
    }
}
