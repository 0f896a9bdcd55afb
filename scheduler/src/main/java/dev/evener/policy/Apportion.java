package dev.evener.policy;

/** Arithmetic that policies share. Stateless. */
final class Apportion {
    private Apportion() {}

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
     * Whole granules that hold about the given work, lane after lane, summing exactly to {@code granules}. A lane of no work gets
     * nothing.
     *
     * @param work finite, none negative, not all 0
     */
    static long[] byWork(double[] work, long granules, WorkProfile profile) {
        if (profile.even()) {
            return byWeight(work, granules);
        }
        double all = 0;
        for (double each : work) {
            all += each;
        }
        long[] shares = new long[work.length];
        double before = 0;
        long from = 0;
        int last = 0;
        for (int i = 0; i < work.length; i++) {
            before += work[i] / all;
            long to = Math.round(profile.end(0, before * granules, (double) granules));
            shares[i] = work[i] > 0 ? Math.max(0, Math.min(granules, to) - from) : 0;
            from += shares[i];
            last = shares[i] > 0 ? i : last;
        }
        shares[last] += granules - from;
        return shares;
    }

    /** Whether a lane is in a set. */
    static boolean in(int lane, long set) {
        return (set >>> lane & 1) == 1;
    }
}
