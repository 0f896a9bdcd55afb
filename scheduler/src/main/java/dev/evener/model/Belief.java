package dev.evener.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A Gaussian belief in a number of terms of which sums are observed: a Kalman filter (Kalman, A New Approach to Linear Filtering
 * and Prediction Problems, 1960) without motion but a growing doubt. Terms are logarithms of times or of ratios. Not thread-safe
 * while it is changed: {@link #copy} before, and publish the copy.
 */
final class Belief {
    /** Standard deviations beyond which an observation is a surprise: one in eighty by chance. */
    static final double SURPRISE = 2.5;
    /** Probability that a surprise is the beginning of a change: nobody knows. */
    private static final double CHANGE = 0.5;
    /** Greatest logarithm: no sum or exponential of a few such numbers overflows. */
    private static final double MOST_LOG = 100;

    private static final double LEAST_VARIANCE = 1e-12;
    private static final double MOST_VARIANCE = 100;

    // Replaced when a term comes or goes, and never changed: copies share them.
    private List<String> terms;
    private Map<String, Integer> places;
    private double[] mean;
    private double[] covariance; // row by row

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
        return new Belief(terms, places, mean.clone(), covariance.clone());
    }

    /** The nearest logarithm that there may be. */
    static double log(double value) {
        return Math.max(-MOST_LOG, Math.min(MOST_LOG, value));
    }

    int size() {
        return mean.length;
    }

    List<String> terms() {
        return terms;
    }

    /** Whether all terms of the two have the same places. */
    boolean isLaidOutAs(Belief other) {
        return places == other.places;
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
        mean[term] = log(value);
    }

    /** The place of a term, which is added, independent of all others, if it is not there. */
    int place(String term, double expected, double variance) {
        int known = find(term);
        if (known >= 0) {
            return known;
        }
        int n = mean.length;
        double[] grown = new double[(n + 1) * (n + 1)];
        for (int i = 0; i < n; i++) {
            System.arraycopy(covariance, i * n, grown, i * (n + 1), n);
        }
        grown[n * (n + 1) + n] = variance;
        covariance = grown;
        mean = Arrays.copyOf(mean, n + 1);
        mean[n] = log(expected);
        terms = new ArrayList<>(terms);
        terms.add(term);
        places = new HashMap<>(places);
        places.put(term, n);
        return n;
    }

    /**
     * Adds a term as it was kept; numbers that no observation leads to become the nearest that one does.
     *
     * @param row covariances with the terms before it, and its variance
     */
    void restore(String term, double expected, double[] row) {
        int n = place(term, expected, Math.max(LEAST_VARIANCE, Math.min(MOST_VARIANCE, row[row.length - 1])));
        for (int i = 0; i < n; i++) {
            double most = 0.999 * Math.sqrt(covariance(i, i) * covariance(n, n));
            double value = Math.max(-most, Math.min(most, row[i]));
            covariance[n * size() + i] = value;
            covariance[i * size() + n] = value;
        }
    }

    /** Forgets all terms that begin so, and what was known of the others through them stays known. */
    void forget(String beginning) {
        int[] kept = IntStream.range(0, size())
                .filter(i -> !terms.get(i).startsWith(beginning))
                .toArray();
        Belief rest = new Belief();
        for (int i : kept) {
            double[] row = new double[rest.size() + 1];
            for (int j = 0; j < row.length; j++) {
                row[j] = covariance(i, kept[j]);
            }
            rest.restore(terms.get(i), mean[i], row);
        }
        terms = rest.terms;
        places = rest.places;
        mean = rest.mean;
        covariance = rest.covariance;
    }

    /** Variance of a sum, in which each term is so often as the row says. */
    double variance(double[] row) {
        double sum = 0;
        for (int i = 0; i < row.length; i++) {
            sum += row[i] == 0 ? 0 : row[i] * gain(i, row);
        }
        return Math.max(0, sum);
    }

    private double gain(int term, double[] row) {
        double sum = 0;
        for (int j = 0; j < row.length; j++) {
            sum += row[j] * covariance[term * mean.length + j];
        }
        return sum;
    }

    /** One term becomes more doubtful. */
    void doubt(int term, double variance) {
        int at = term * mean.length + term;
        covariance[at] = Math.min(MOST_VARIANCE, covariance[at] + variance);
    }

    /**
     * Learns from an observation of a sum of terms.
     *
     * <p>One that is off by more than {@value #SURPRISE} standard deviations is either a disturbance, which says nothing, or the
     * beginning of a change, after which the sum is what was seen. The belief becomes the mixture of the two: its mean moves by
     * the part of the error that a change is likely, its variance grows by that of the two, so that the next observation decides.
     *
     * @param error observed less expected
     * @param noise variance of the observation
     * @param changing the terms that a change would be one of, each as far as it is in doubt
     * @return what the error says of the noise: its square, at most that of a surprise, as far as the noise is to blame for it
     */
    double observe(double[] row, double error, double noise, int[] changing) {
        double total = variance(row) + noise;
        double limit = SURPRISE * Math.sqrt(total);
        if (Math.abs(error) > limit) {
            double all = 0;
            for (int term : changing) {
                all += covariance(term, term);
            }
            for (int term : changing) {
                double its = covariance(term, term) / all * error;
                setMean(term, mean[term] + CHANGE * its);
                doubt(term, CHANGE * (1 - CHANGE) * its * its);
            }
        } else {
            update(row, error, total);
        }
        return Math.min(error * error, limit * limit) * (noise / total);
    }

    /** @param total variance of the row and of the observation's noise */
    private void update(double[] row, double error, double total) {
        int n = mean.length;
        double[] gain = new double[n];
        for (int i = 0; i < n; i++) {
            gain[i] = gain(i, row);
        }
        for (int i = 0; i < n; i++) {
            double part = gain[i] / total;
            setMean(i, mean[i] + part * error);
            for (int j = 0; j < n; j++) {
                covariance[i * n + j] -= part * gain[j];
            }
            covariance[i * n + i] = Math.max(LEAST_VARIANCE, covariance[i * n + i]); // whatever was rounded
        }
    }

    /** What is believed of a term that is learnt on its own. */
    LogNormal alone(int term) {
        LogNormal value = new LogNormal();
        value.set(mean[term], covariance(term, term));
        return value;
    }

    /** Something was learnt of such a term. A surprise moves it no further than to where it begins, as a job may have been disturbed. */
    void learn(int term, LogNormal value) {
        double moved = value.mean - mean[term];
        double most = SURPRISE * Math.sqrt(covariance(term, term));
        setMean(term, mean[term] + Math.max(-most, Math.min(most, moved)));
        if (Math.abs(moved) <= most) {
            covariance[term * mean.length + term] = Math.min(MOST_VARIANCE, value.variance);
        }
    }
}
