package dev.evener.policy;

/**
 * Where in the index space the work is. Units may cost differently from place to place, as the rows of a Mandelbrot set do;
 * shares, chunks and thefts go by work. Work is counted in units of mean cost, so that all units together have as much work as
 * there are units. Immutable.
 */
public final class WorkProfile {
    /** Every unit costs the same. */
    public static final WorkProfile EVEN = new WorkProfile(new double[0]);

    private final double[] upTo; // work before each part, as a fraction of all

    private WorkProfile(double[] density) {
        upTo = new double[density.length + 1];
        double greatest = 0; // scaled by it, no sum overflows
        for (double each : density) {
            greatest = Math.max(greatest, each);
        }
        for (int i = 0; i < density.length; i++) {
            upTo[i + 1] = upTo[i] + density[i] / greatest;
        }
        double sum = upTo[density.length];
        for (int i = 1; i < upTo.length; i++) {
            upTo[i] /= sum; // the last one is exactly 1, as end() needs it
        }
    }

    /**
     * A profile of equal parts of the index space.
     *
     * @param density what a unit costs in each part, relative to the others: finite, none negative, not all 0; none, or one,
     *     for an even profile
     */
    public static WorkProfile of(double... density) {
        double sum = 0;
        for (double each : density) {
            if (!(each >= 0) || each == Double.POSITIVE_INFINITY) {
                throw new IllegalArgumentException("a unit cannot cost " + each);
            }
            sum += each;
        }
        if (density.length > 0 && sum == 0) {
            throw new IllegalArgumentException("some unit must cost something");
        }
        return density.length < 2 ? EVEN : new WorkProfile(density);
    }

    /** Whether every unit costs the same. */
    public boolean even() {
        return upTo.length == 1;
    }

    /**
     * The work of a range of units.
     *
     * @param first the first of them
     * @param units how many there are
     * @param all units in the index space
     */
    public double work(double first, double units, double all) {
        return even() ? units : all * (upTo((first + units) / all) - upTo(first / all));
    }

    /**
     * Where a range ends that begins at a unit and holds so much work; at the end of the index space if that holds less.
     *
     * @param work may be negative, for a range that ends at the unit and begins before it
     */
    public double end(double first, double work, double all) {
        if (even()) {
            return Math.min(all, Math.max(0, first + work));
        }
        double wanted = upTo(first / all) + work / all;
        int low = 0;
        int high = upTo.length - 1;
        if (wanted >= 1) {
            return all;
        }
        if (wanted <= 0) {
            return 0;
        }
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (upTo[middle] <= wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return all * (low + (wanted - upTo[low]) / (upTo[high] - upTo[low])) / (upTo.length - 1);
    }

    private double upTo(double part) {
        double place = Math.min(1, Math.max(0, part)) * (upTo.length - 1);
        int at = (int) Math.min(place, upTo.length - 2);
        return upTo[at] + (upTo[at + 1] - upTo[at]) * (place - at);
    }
}
