package dev.evener.policy;

import dev.evener.policy.Snapshot.Cost;

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
            if (shares[i] == 0 && in(i, lanes) && shares[largest] > 1) {
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
        double greatest = 0;
        for (double weight : weights) {
            greatest = Math.max(greatest, weight);
        }
        double sum = 0;
        for (double weight : weights) {
            sum += weight / greatest;
        }
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
     * The time after which lanes that are given their parts so that all finish together are done: the {@code T} with
     * {@code sum of max(0, (T - fixed) / perUnit) = units}. A lane whose fixed cost is higher gets nothing.
     *
     * @param costs usable ones for the lanes of the set
     * @param set of lanes, as a bit mask, not empty
     */
    static double together(Cost[] costs, long set, double units) {
        // Times are counted from the cheapest launch, so that large fixed costs do not swallow small differences.
        double least = leastFixed(costs, set);
        return least + together(costs, set, units, least);
    }

    private static double together(Cost[] costs, long set, double units, double least) {
        long in = set;
        while (true) {
            double rate = 0;
            double headStart = 0;
            for (int i = 0; i < costs.length; i++) {
                if (in(i, in)) {
                    rate += 1 / costs[i].nanosPerUnit();
                    headStart += (costs[i].fixedNanos() - least) / costs[i].nanosPerUnit();
                }
            }
            double time = (units + headStart) / rate;
            // Without the lanes that would begin too late the others are done earlier, and more may be too late.
            long stay = in;
            for (int i = 0; i < costs.length; i++) {
                if (in(i, in) && costs[i].fixedNanos() - least >= time && Long.bitCount(stay) > 1) {
                    stay &= ~(1L << i);
                }
            }
            if (stay == in) {
                return time;
            }
            in = stay;
        }
    }

    /** Units for each lane so that all finish {@link #together}. */
    static double[] finishTogether(Cost[] costs, long set, double units) {
        double least = leastFixed(costs, set);
        double time = together(costs, set, units, least);
        double[] shares = new double[costs.length];
        for (int i = 0; i < costs.length; i++) {
            if (in(i, set)) {
                shares[i] = Math.max(0, time - (costs[i].fixedNanos() - least)) / costs[i].nanosPerUnit();
            }
        }
        return shares;
    }

    private static double leastFixed(Cost[] costs, long set) {
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < costs.length; i++) {
            least = in(i, set) ? Math.min(least, costs[i].fixedNanos()) : least;
        }
        return least;
    }

    /** Whether a lane is in a set. */
    static boolean in(int lane, long set) {
        return (set >>> lane & 1) == 1;
    }
}
