package dev.evener.kernels.reference;

import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;

/**
 * Whether a result is what a reference says: the one rule of tests and {@code --verify}. An infinity or NaN is right only where the
 * reference has the same, whatever the tolerance, as a difference from it says nothing and a tolerance relative to it allows anything.
 * Stateless.
 */
public final class ResultComparison {
    private ResultComparison() {}

    /**
     * Whether two values agree: NaN with NaN, an infinity with itself, and finite values that are at most so far apart.
     *
     * @param allowed 0 or more; nothing but equal values agrees if it is infinite or NaN
     */
    public static boolean agree(double actual, double expected, double allowed) {
        return (Double.isFinite(actual) && Double.isFinite(expected))
                ? actual == expected || (Double.isFinite(allowed) && Math.abs(actual - expected) <= allowed)
                : Double.compare(actual, expected) == 0;
    }

    /** The same of a float and what it should be, exactly; which is an infinity if it rounds to one. */
    public static boolean agree(float actual, double expected, double allowed) {
        return Float.isInfinite((float) expected)
                ? actual == (float) expected
                : agree((double) actual, expected, allowed);
    }

    /**
     * The first of the expected values with which the actual one does not agree; -1 if all do.
     *
     * @param relative the tolerance, over the greater of 1 and the value's magnitude; 0 if bits count, so that 0 is not -0, but all
     *     NaNs are one
     */
    public static int firstDifference(FloatBuffer actual, FloatBuffer expected, double relative) {
        for (int i = 0; i < expected.limit(); i++) {
            float is = actual.get(i);
            float wanted = expected.get(i);
            if (relative == 0
                    ? Float.compare(is, wanted) != 0
                    : !agree((double) is, wanted, allowed(wanted, relative))) {
                return i;
            }
        }
        return -1;
    }

    /** The same of doubles. */
    public static int firstDifference(DoubleBuffer actual, DoubleBuffer expected, double relative) {
        for (int i = 0; i < expected.limit(); i++) {
            double is = actual.get(i);
            double wanted = expected.get(i);
            if (relative == 0 ? Double.compare(is, wanted) != 0 : !agree(is, wanted, allowed(wanted, relative))) {
                return i;
            }
        }
        return -1;
    }

    private static double allowed(double expected, double relative) {
        return relative * Math.max(1, Math.abs(expected));
    }
}
