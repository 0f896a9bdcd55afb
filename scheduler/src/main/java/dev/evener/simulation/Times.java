package dev.evener.simulation;

import java.util.Arrays;
import java.util.Collection;
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

    /** @throws IllegalArgumentException if they are too few or too many, negative, or do not ascend */
    public Times {
        quantiles = List.copyOf(quantiles);
        if (quantiles.isEmpty() || quantiles.size() > MOST) {
            throw new IllegalArgumentException(quantiles.size() + " quantiles: there must be 1 to " + MOST);
        }
        double before = 0;
        for (double each : quantiles) {
            Figures.require("a quantile", each, before);
            before = each;
        }
    }

    /** Always the same. */
    public static Times of(double value) {
        return new Times(List.of(value));
    }

    /** As these were; {@link #NONE} of none. */
    static Times like(Collection<Double> values) {
        if (values.isEmpty()) {
            return NONE;
        }
        double[] sorted =
                values.stream().mapToDouble(v -> Math.max(0, v)).sorted().toArray();
        if (sorted[0] == sorted[sorted.length - 1]) {
            return of(sorted[0]);
        }
        double[] quantiles = new double[Math.min(FITTED, sorted.length)];
        for (int i = 0; i < quantiles.length; i++) {
            double place = i / (double) (quantiles.length - 1) * (sorted.length - 1);
            int at = (int) Math.min(place, sorted.length - 2);
            quantiles[i] = sorted[at] + (sorted[at + 1] - sorted[at]) * (place - at);
        }
        return new Times(Arrays.stream(quantiles).boxed().toList());
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
