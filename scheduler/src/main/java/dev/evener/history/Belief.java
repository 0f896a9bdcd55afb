package dev.evener.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A Gaussian belief in a number of terms whose sums are observed: a Kalman filter (Kalman, A New Approach to Linear Filtering and
 * Prediction Problems, 1960) without motion but a growing doubt. Terms are logarithms of times or of ratios. Not thread-safe
 * while it is changed; {@link #copy} before, and publish the copy.
 */
final class Belief {
    /** Standard deviations beyond which an observation is a surprise: one in eighty by chance. */
    private static final double SURPRISE = 2.5;

    private final List<String> terms;
    private final Map<String, Integer> places;
    private double[] mean;
    private double[] covariance; // row by row
    private double[] gain = {};

    Belief() {
        this(new ArrayList<>(), new HashMap<>(), new double[0], new double[0]);
    }

    private Belief(List<String> terms, Map<String, Integer> places, double[] mean, double[] covariance) {
        this.terms = terms;
        this.places = places;
        this.mean = mean;
        this.covariance = covariance;
    }

    /** A copy that can be changed without this one. */
    Belief copy() {
        return new Belief(new ArrayList<>(terms), new HashMap<>(places), mean.clone(), covariance.clone());
    }

    int size() {
        return mean.length;
    }

    List<String> terms() {
        return terms;
    }

    /** The place of a term, or -1. */
    int find(String term) {
        Integer place = places.get(term);
        return place == null ? -1 : place;
    }

    double mean(int term) {
        return mean[term];
    }

    double covariance(int a, int b) {
        return covariance[a * mean.length + b];
    }

    void setMean(int term, double value) {
        mean[term] = value;
    }

    /** Adds a term that is independent of all others, and returns its place. */
    int add(String term, double expected, double variance) {
        int n = mean.length;
        double[] grown = new double[(n + 1) * (n + 1)];
        for (int i = 0; i < n; i++) {
            System.arraycopy(covariance, i * n, grown, i * (n + 1), n);
        }
        grown[n * (n + 1) + n] = variance;
        covariance = grown;
        mean = Arrays.copyOf(mean, n + 1);
        mean[n] = expected;
        terms.add(term);
        places.put(term, n);
        return n;
    }

    void setCovariance(int a, int b, double value) {
        covariance[a * mean.length + b] = value;
        covariance[b * mean.length + a] = value;
    }

    /** Variance of a sum of terms. */
    double variance(int[] row, double[] factors) {
        double sum = 0;
        for (int i = 0; i < row.length; i++) {
            for (int j = 0; j < row.length; j++) {
                sum += factors[i] * factors[j] * covariance(row[i], row[j]);
            }
        }
        return Math.max(0, sum);
    }

    /** The same of a sum that says for every term how often it is in it. */
    double variance(double[] factors) {
        double sum = 0;
        for (int i = 0; i < factors.length; i++) {
            if (factors[i] != 0) {
                for (int j = 0; j < factors.length; j++) {
                    sum += factors[i] * factors[j] * covariance(i, j);
                }
            }
        }
        return Math.max(0, sum);
    }

    /** One term becomes more doubtful. */
    void doubt(int term, double variance) {
        covariance[term * mean.length + term] += variance;
    }

    /**
     * Learns from an observation of a sum of terms.
     *
     * <p>One that is off by more than {@value #SURPRISE} standard deviations is either a disturbance, which says nothing, or the
     * beginning of a change, after which the sum is what was seen. Both are taken to be equally likely: the belief becomes the
     * mixture of the two, half the way with half the error as its standard deviation, so that the next observation decides.
     *
     * @param error observed less expected
     * @param noise variance of the observation
     * @param changing the term that a change would be one of
     * @return the error, as far as it is to count for the noise
     */
    double observe(int[] row, double[] factors, double error, double noise, int changing) {
        int n = mean.length;
        double belief = variance(row, factors);
        double limit = SURPRISE * Math.sqrt(belief + noise);
        if (Math.abs(error) > limit) {
            mean[changing] += error / 2;
            doubt(changing, error * error / 4);
            return Math.copySign(limit, error);
        }
        if (gain.length != n) {
            gain = new double[n];
        }
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < row.length; j++) {
                sum += factors[j] * covariance(i, row[j]);
            }
            gain[i] = sum;
        }
        double total = belief + noise;
        for (int i = 0; i < n; i++) {
            double part = gain[i] / total;
            mean[i] += part * error;
            for (int j = 0; j < n; j++) {
                covariance[i * n + j] -= part * gain[j];
            }
        }
        for (int i = 0; i < n; i++) { // rounding must not make a variance negative
            covariance[i * n + i] = Math.max(1e-12, covariance[i * n + i]);
        }
        return error;
    }
}
