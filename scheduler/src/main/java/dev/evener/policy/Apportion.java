package dev.evener.policy;

import java.util.Arrays;

/** Arithmetic that policies share. Stateless. */
final class Apportion {
    private Apportion() {}

    /** Gives a granule of the largest share to each lane that has none, while the largest has one to spare. */
    static void keepAll(long[] shares) {
        for (int i = 0; i < shares.length; i++) {
            int largest = 0;
            for (int j = 1; j < shares.length; j++) {
                largest = shares[j] > shares[largest] ? j : largest;
            }
            if (shares[i] == 0 && shares[largest] > 1) {
                shares[i]++;
                shares[largest]--;
            }
        }
    }

    /**
     * Whole granules closest to the given proportions (largest remainder), summing exactly to {@code granules}. A weight of 0
     * gets nothing.
     *
     * @param weights finite, none negative, not all 0
     */
    static long[] byWeight(double[] weights, long granules) {
        int heaviest = 0;
        for (int i = 1; i < weights.length; i++) {
            heaviest = weights[i] > weights[heaviest] ? i : heaviest;
        }
        double greatest = weights[heaviest]; // scaled by it, no sum overflows or vanishes
        double sum = Arrays.stream(weights).map(weight -> weight / greatest).sum();
        long[] shares = new long[weights.length];
        double[] remainder = new double[weights.length];
        long left = granules;
        for (int i = 0; i < weights.length; i++) {
            double exact = granules * (weights[i] / greatest / sum);
            shares[i] = Math.min(left, (long) Math.floor(exact));
            remainder[i] = weights[i] > 0 ? exact - shares[i] : Double.NEGATIVE_INFINITY;
            left -= shares[i];
        }
        if (left > weights.length) { // beyond 2^53 granules the fractions themselves are rounded
            shares[heaviest] += left;
            left = 0;
        }
        for (; left > 0; left--) {
            int best = heaviest;
            for (int i = 0; i < weights.length; i++) {
                best = remainder[i] > remainder[best] ? i : best;
            }
            shares[best]++;
            remainder[best]--;
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
        double all = Arrays.stream(work).sum();
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

    /** The lanes of a set that get granules {@linkplain #byWork by work}. */
    static LaneSet some(LaneSet lanes, double[] work, long granules, WorkProfile profile) {
        double all = 0;
        double least = Double.POSITIVE_INFINITY;
        for (double each : work) {
            all += each;
            least = each > 0 ? Math.min(least, each) : least;
        }
        boolean plenty = profile.even() && least * granules > 2 * all; // two or more each, which need not be counted
        long[] shares = plenty ? new long[0] : byWork(work, granules, profile);
        return LaneSet.where(work.length, i -> lanes.has(i) && (plenty ? work[i] : shares[i]) > 0);
    }
}
