package dev.evener.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * A figure that scatters, as evenly spaced quantiles of it: the first is the least there is, the last the most, and in between
 * all parts are equally likely. One quantile is a figure that is always the same.
 *
 * @param quantiles 1 to 64, ascending, at least 0
 */
public record Times(List<Double> quantiles) {
    /** Always none. */
    public static final Times NONE = of(0);

    private static final int MOST = 64;
    private static final int FITTED = 33;
    /** So many values tell how they scatter. */
    static final int ENOUGH = 20;

    /** @throws IllegalArgumentException if they are too few or too many, negative, or do not ascend */
    public Times {
        quantiles = List.copyOf(quantiles);
        if (quantiles.isEmpty() || quantiles.size() > MOST) {
            throw new IllegalArgumentException(quantiles.size() + " quantiles: there must be 1 to " + MOST);
        }
        double before = 0;
        for (double each : quantiles) {
            Numbers.require("a quantile", each, before);
            before = each;
        }
    }

    /** Always the same. */
    public static Times of(double value) {
        return new Times(List.of(value));
    }

    /** As these were, see {@link #weighed}; what is negative counts as 0. */
    static Times like(Collection<Double> values) {
        return weighed(values.stream()
                .map(value -> new double[] {Math.max(0, value), 1})
                .toList());
    }

    /**
     * As these were, each as likely as its weight; {@link #NONE} of none. Each quantile is the middle of its part of them, so
     * that a single wild one, such as that of a first launch, does not come to stand for a whole part; of few the
     * middle one alone.
     *
     * @param values pairs of a value, at least 0, and its weight, above 0
     */
    static Times weighed(List<double[]> values) {
        if (values.isEmpty()) {
            return NONE;
        }
        List<double[]> sorted = new ArrayList<>(values);
        sorted.sort(Comparator.comparingDouble(pair -> pair[0]));
        double all = 0;
        for (double[] pair : sorted) {
            all += pair[1];
        }
        double[] quantiles = new double[sorted.size() < ENOUGH ? 1 : Math.min(FITTED, sorted.size())];
        int at = 0;
        double upTo = sorted.get(0)[1];
        for (int i = 0; i < quantiles.length; i++) {
            double place = all * (i + 0.5) / quantiles.length;
            while (upTo < place && at < sorted.size() - 1) {
                at++;
                upTo += sorted.get(at)[1];
            }
            quantiles[i] = sorted.get(at)[0];
        }
        return quantiles[0] == quantiles[quantiles.length - 1]
                ? of(quantiles[0])
                : new Times(Arrays.stream(quantiles).boxed().toList());
    }

    /** The middle. */
    public double median() {
        return at(0.5);
    }

    /** The figure below which this part of all is, 0 to 1. */
    double at(double part) {
        double place = part * (quantiles.size() - 1);
        int at = (int) Math.min(place, quantiles.size() - 2.0);
        if (quantiles.size() == 1) {
            return quantiles.get(0);
        }
        return quantiles.get(at) + (quantiles.get(at + 1) - quantiles.get(at)) * (place - at);
    }
}
