package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;
import java.util.Arrays;
import java.util.Comparator;

/** Arithmetic that policies share. Stateless. */
final class Apportion {
    /** Granules per lane from which every lane is kept in the game. */
    private static final long PLENTY = 16;

    private Apportion() {}

    /** Whether a granule is so small a part of a lane's share that every lane may have one. */
    static boolean plenty(long granules, int lanes) {
        return granules >= PLENTY * lanes;
    }

    /**
     * Gives a granule of the largest share to each lane that has none, while the largest has one to spare.
     *
     * @param lanes those that are to have one, as a bit mask
     */
    static void keepAll(long[] shares, long lanes) {
        for (int i = 0; i < shares.length; i++) {
            int largest = largest(shares);
            if (shares[i] == 0 && (lanes >>> i & 1) == 1 && shares[largest] > 1) {
                shares[i]++;
                shares[largest]--;
            }
        }
    }

    private static int largest(long[] shares) {
        int largest = 0;
        for (int i = 1; i < shares.length; i++) {
            largest = shares[i] > shares[largest] ? i : largest;
        }
        return largest;
    }

    /**
     * Whole granules closest to the given proportions (largest remainder), summing exactly to {@code granules}. A weight of 0
     * gets nothing.
     *
     * @param weights finite, none negative, not all 0
     */
    static long[] byWeight(double[] weights, long granules) {
        // Scaled by the greatest first: neither huge nor tiny weights may make the sum overflow or vanish.
        double greatest = Arrays.stream(weights).max().orElse(0);
        double sum = Arrays.stream(weights).map(w -> w / greatest).sum();
        long[] shares = new long[weights.length];
        double[] remainder = new double[weights.length];
        int heaviest = 0;
        long given = 0;
        for (int i = 0; i < weights.length; i++) {
            double exact = granules * (weights[i] / greatest / sum);
            shares[i] = Math.min(granules - given, (long) Math.floor(exact));
            remainder[i] = weights[i] > 0 ? exact - shares[i] : Double.NEGATIVE_INFINITY;
            given += shares[i];
            heaviest = weights[i] > weights[heaviest] ? i : heaviest;
        }
        if (granules - given > weights.length) { // beyond 2^53 granules the fractions themselves are rounded
            shares[heaviest] += granules - given;
            given = granules;
        }
        while (given < granules) {
            int best = heaviest;
            for (int i = 0; i < weights.length; i++) {
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
     * {@code sum of max(0, (T - fixed) / perUnit) = units}, found by taking lanes in, cheapest launch first, while their
     * fixed cost is below it.
     */
    static double[] finishTogether(Cost[] costs, double units) {
        Integer[] order = new Integer[costs.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> costs[i].fixedNanos()));
        // Times are counted from the cheapest launch, so that large fixed costs do not swallow small differences.
        double least = costs[order[0]].fixedNanos();
        double rate = 0;
        double headStart = 0;
        double together = Double.POSITIVE_INFINITY;
        double[] shares = new double[costs.length];
        int in = 0;
        for (; in < order.length && costs[order[in]].fixedNanos() - least < together; in++) {
            Cost cost = costs[order[in]];
            rate += 1 / cost.nanosPerUnit();
            headStart += (cost.fixedNanos() - least) / cost.nanosPerUnit();
            together = (units + headStart) / rate;
        }
        for (int i = 0; i < in; i++) {
            Cost cost = costs[order[i]];
            shares[order[i]] = Math.max(0, together - (cost.fixedNanos() - least)) / cost.nanosPerUnit();
        }
        return shares;
    }
}
