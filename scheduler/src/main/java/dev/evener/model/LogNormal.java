package dev.evener.model;

/**
 * A belief in a positive value that may be wrong by orders of magnitude: its logarithm is normally distributed. Not thread-safe; allocates
 * nothing once it was made.
 */
final class LogNormal {
    private static final int POINTS = 256;
    /** Where the points are, in standard deviations. */
    private static final double WIDTH = 4;

    private static final double[] PRIOR = new double[POINTS];

    static {
        for (int i = 0; i < POINTS; i++) {
            PRIOR[i] = Math.exp(-at(i) * at(i) / 2);
        }
    }

    /** Of the logarithm. */
    double mean;
    /** Of the logarithm. */
    double variance;

    private static double at(int point) {
        return WIDTH * (2.0 * point / (POINTS - 1) - 1);
    }

    void set(double newMean, double newVariance) {
        mean = newMean;
        variance = newVariance;
    }

    /**
     * The belief in what a chunk takes on a device whatever its size, after a small and a large one were seen: where the line through
     * their times meets size zero. A small one that took longer says nothing but that the device has become slower.
     *
     * @param less size of the small one over that of the large one
     * @param noiseOfSmall variance of the logarithm of a time
     * @param noiseOfLarge variance of the logarithm of a time
     */
    void observeLine(double small, double large, double less, double noiseOfSmall, double noiseOfLarge) {
        double variance = noiseOfSmall * small * small + noiseOfLarge * large * large;
        if (small - large < Belief.SURPRISE * Math.sqrt(variance)) {
            double part = Math.hypot(Math.sqrt(noiseOfSmall) * small, Math.sqrt(noiseOfLarge) * large * less);
            observe(Math.max(0, (small - large * less) / (1 - less)), part / (1 - less));
        }
    }

    /**
     * The belief after the value was seen. A Kalman filter would need to know beforehand about where the value is; here the mean and the
     * variance of what is then believed are summed up point by point. What was seen has the long tails of Student's distribution with three
     * degrees of freedom: whatever contradicts what is known well is a disturbance.
     *
     * @param seen at least 0
     * @param deviation standard deviation of it
     */
    void observe(double seen, double deviation) {
        double scale = Math.sqrt(variance);
        double step = 2 * WIDTH / (POINTS - 1) * scale;
        double value = Math.exp(mean - WIDTH * scale);
        double ratio = Math.exp(step);
        double sum = 0;
        double first = 0;
        double second = 0;
        for (int i = 0; i < POINTS; i++, value *= ratio) {
            double off = seen - value;
            double finest = step * value; // what lies between two points belongs to both
            double tail = 1 + off * off / (deviation * deviation + finest * finest) / 3;
            double weight = PRIOR[i] / (tail * tail);
            sum += weight;
            first += weight * at(i);
            second += weight * at(i) * at(i);
        }
        double moved = first / sum;
        mean += scale * moved;
        variance *= Math.max(1e-6, second / sum - moved * moved);
    }
}
