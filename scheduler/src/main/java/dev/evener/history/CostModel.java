package dev.evener.history;

import dev.evener.policy.Snapshot.Cost;

/**
 * Running estimate of {@code busy = fixed + units * perUnit} for one kernel on one device, from observations that fade:
 * each new one halves the say of those five back, so a device whose speed changes is learnt again within a few jobs.
 *
 * <p>Two guards keep shares from oscillating. A single observation counts at most {@value #OUTLIER} times more or less than
 * predicted; only {@value #PATIENCE} outliers in a row to the same side are believed, and then they replace the past. And
 * the slope is told from the intercept only when the sizes seen differ enough; else the line goes through the origin.
 *
 * <p>Not thread-safe; {@link History} guards it.
 */
final class CostModel {
    /** Weight an old observation keeps when a new one comes. */
    private static final double FADE = 0.87;

    private static final double OUTLIER = 1.3;
    private static final int PATIENCE = 3;
    /** Least relative spread of sizes (standard deviation over mean) from which a slope is fitted. */
    private static final double LEAST_SPREAD = 0.15;

    private long samples;
    private double weight;
    private double sumUnits;
    private double sumNanos;
    private double sumUnits2;
    private double sumUnitsNanos;
    private double sumNanos2;
    private int outliers;

    CostModel() {}

    /** Restores a saved state. */
    CostModel(long samples, double[] sums) {
        this.samples = samples;
        weight = sums[0];
        sumUnits = sums[1];
        sumNanos = sums[2];
        sumUnits2 = sums[3];
        sumUnitsNanos = sums[4];
        sumNanos2 = sums[5];
    }

    /** Adds one observation: {@code units > 0} units took {@code nanos} busy nanoseconds. */
    void observe(long units, long nanos) {
        double seen = Math.max(1, nanos);
        if (samples > 0) {
            double predicted = cost().predict((double) units);
            double ratio = seen / predicted;
            if (ratio > OUTLIER || ratio < 1 / OUTLIER) {
                outliers = ratio > 1 ? Math.max(1, outliers + 1) : Math.min(-1, outliers - 1);
                if (Math.abs(outliers) >= PATIENCE || samples == 1) {
                    // The first observation of all holds start-up costs; the second replaces it outright.
                    forget();
                } else {
                    seen = predicted * Math.min(OUTLIER, Math.max(1 / OUTLIER, ratio));
                }
            } else {
                outliers = 0;
            }
        }
        weight = weight * FADE + 1;
        sumUnits = sumUnits * FADE + units;
        sumNanos = sumNanos * FADE + seen;
        sumUnits2 = sumUnits2 * FADE + (double) units * units;
        sumUnitsNanos = sumUnitsNanos * FADE + units * seen;
        sumNanos2 = sumNanos2 * FADE + seen * seen;
        samples++;
    }

    /** The present estimate. */
    Cost cost() {
        if (samples == 0) {
            return Cost.UNKNOWN;
        }
        double meanUnits = sumUnits / weight;
        double meanNanos = sumNanos / weight;
        double variance = sumUnits2 / weight - meanUnits * meanUnits;
        double throughOrigin = meanNanos / meanUnits;
        if (variance < LEAST_SPREAD * LEAST_SPREAD * meanUnits * meanUnits) {
            return new Cost(0, throughOrigin, samples);
        }
        double slope = (sumUnitsNanos / weight - meanUnits * meanNanos) / variance;
        // A negative intercept or a vanishing slope is noise, not a device.
        slope = Math.min(throughOrigin, Math.max(throughOrigin * 0.25, slope));
        return new Cost(Math.max(0, meanNanos - slope * meanUnits), slope, samples);
    }

    /** Relative spread of the observations about the line, 0 with fewer than two. */
    double spread() {
        if (samples < 2) {
            return 0;
        }
        Cost line = cost();
        double a = line.fixedNanos();
        double b = line.nanosPerUnit();
        double residual = sumNanos2
                - 2 * (a * sumNanos + b * sumUnitsNanos)
                + a * a * weight
                + 2 * a * b * sumUnits
                + b * b * sumUnits2;
        return Math.sqrt(Math.max(0, residual / weight)) / (sumNanos / weight);
    }

    long samples() {
        return samples;
    }

    double[] sums() {
        return new double[] {weight, sumUnits, sumNanos, sumUnits2, sumUnitsNanos, sumNanos2};
    }

    private void forget() {
        weight = 0;
        sumUnits = 0;
        sumNanos = 0;
        sumUnits2 = 0;
        sumUnitsNanos = 0;
        sumNanos2 = 0;
        outliers = 0;
    }
}
