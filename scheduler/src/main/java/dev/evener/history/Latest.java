package dev.evener.history;

import java.util.Arrays;

/**
 * The last few wall times of whole jobs. Those of short jobs have long tails, to one side: the operating system takes a core away
 * for as long as the job itself, and does so in bursts. The lower quartile hardly sees that, and follows a change after six.
 * All are logarithms. Not thread-safe.
 */
final class Latest {
    /** How many count. */
    static final int MOST = 7;

    private final double[] units = new double[MOST];
    private final double[] nanos = new double[MOST];
    private long seen;
    private int count;

    void add(double lnUnits, double lnNanos) {
        units[(int) (seen % MOST)] = lnUnits;
        nanos[(int) (seen % MOST)] = lnNanos;
        seen++;
        count = Math.min(MOST, count + 1);
    }

    /** What was long ago, perhaps while the process started up, says little. */
    void forget() {
        count = 0;
    }

    /** Whether there was any, forgotten ones included. */
    boolean any() {
        return seen > 0;
    }

    /** Their lower quartile, each carried to a size along a line. */
    double quartile(double lnUnits, double elasticity) {
        double[] carried = carried(lnUnits, elasticity);
        Arrays.sort(carried);
        return carried[(count - 1) / 4];
    }

    /** Estimates the standard deviation from a middle, by the median of the deviations. */
    double deviation(double lnUnits, double elasticity, double middle) {
        double[] off = carried(lnUnits, elasticity);
        for (int i = 0; i < count; i++) {
            off[i] = Math.abs(off[i] - middle);
        }
        Arrays.sort(off);
        return 1.4826 * off[(count - 1) / 2]; // the factor for normally distributed ones
    }

    private double[] carried(double lnUnits, double elasticity) {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            int at = (int) ((seen - 1 - i) % MOST);
            values[i] = nanos[at] - elasticity * (units[at] - lnUnits);
        }
        return values;
    }
}
