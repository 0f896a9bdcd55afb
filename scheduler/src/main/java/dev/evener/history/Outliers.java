package dev.evener.history;

/**
 * Large deviations to the same side in a row, which are no noise: two of a half or more, or three of a fifth or more. Times are
 * logarithms. Not thread-safe.
 */
final class Outliers {
    /** Deviations of two observations in a row that are believed: a half. */
    static final double LARGE = Math.log(1.5);

    private int count;
    private double sum;
    private double least;

    /**
     * The next deviation.
     *
     * @param usual deviations up to this are none
     * @return the change to believe in, or 0
     */
    double add(double off, double usual) {
        if (Math.abs(off) <= usual) {
            count = 0;
            return 0;
        }
        if (count == 0 || (off > 0) != (sum > 0)) {
            count = 0;
            sum = 0;
            least = Double.POSITIVE_INFINITY;
        }
        count++;
        sum += off;
        least = Math.min(least, Math.abs(off));
        if (count < 2 || (count == 2 && least < Math.max(LARGE, usual))) {
            return 0;
        }
        double mean = sum / count;
        count = 0;
        return mean;
    }

    void forget() {
        count = 0;
    }
}
