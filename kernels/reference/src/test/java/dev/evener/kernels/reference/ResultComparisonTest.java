package dev.evener.kernels.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Test;

/** No tolerance makes an infinity or NaN right, or anything right that stands where one should be. */
class ResultComparisonTest {
    private static final double[] VALUES = {
        Double.NaN,
        Double.NEGATIVE_INFINITY,
        -Double.MAX_VALUE,
        -Float.MAX_VALUE,
        -1,
        -0.0,
        0,
        Float.MIN_VALUE,
        1,
        1.0001,
        1000,
        Float.MAX_VALUE,
        1e39,
        Double.MAX_VALUE,
        Double.POSITIVE_INFINITY
    };
    private static final double[] TOLERANCES = {
        0, 1e-9, 0.01, 1, 1e30, Float.MAX_VALUE, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN
    };

    @Test
    void specialValuesAgreeWithThemselvesAlone() {
        for (double wanted : VALUES) {
            for (double is : VALUES) {
                for (double allowed : TOLERANCES) {
                    boolean special = !Double.isFinite(wanted) || !Double.isFinite(is);
                    boolean near = Double.compare(is, wanted) == 0
                            || (!special
                                    && (is == wanted
                                            || (Double.isFinite(allowed) && Math.abs(is - wanted) <= allowed)));
                    String what = is + " for " + wanted + " within " + allowed;
                    assertEquals(near, ResultComparison.agree(is, wanted, allowed), what);
                    if (allowed <= 1) {
                        int first = ResultComparison.firstDifference(
                                DoubleBuffer.wrap(new double[] {7, is}),
                                DoubleBuffer.wrap(new double[] {7, wanted}),
                                allowed);
                        boolean relative = allowed == 0
                                ? Double.compare(is, wanted) == 0
                                : ResultComparison.agree(is, wanted, allowed * Math.max(1, Math.abs(wanted)));
                        assertEquals(relative ? -1 : 1, first, what);
                        assertTrue(!relative || !special || Double.compare(is, wanted) == 0, what);
                    }
                }
            }
        }
    }

    @Test
    void ofFloatsToo() {
        float[] values = new float[VALUES.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) VALUES[i];
        }
        for (float wanted : values) {
            for (float is : values) {
                for (double allowed : new double[] {0, 0.01, 1}) {
                    boolean right = ResultComparison.firstDifference(
                                    FloatBuffer.wrap(new float[] {is}), FloatBuffer.wrap(new float[] {wanted}), allowed)
                            < 0;
                    boolean special = !Float.isFinite(wanted) || !Float.isFinite(is);
                    assertTrue(
                            !special || right == (Float.compare(is, wanted) == 0),
                            is + " for " + wanted + " within " + allowed);
                }
            }
        }
        assertEquals(
                0,
                ResultComparison.firstDifference(
                        FloatBuffer.wrap(new float[] {-0f}), FloatBuffer.wrap(new float[1]), 0));
        float otherNaN = Float.intBitsToFloat(0xffc12345);
        assertEquals(
                -1,
                ResultComparison.firstDifference(
                        FloatBuffer.wrap(new float[] {otherNaN}), FloatBuffer.wrap(new float[] {Float.NaN}), 0));
    }

    /** What is too large for a float has to be infinite. */
    @Test
    void aFloatIsComparedWithWhatAFloatCanBe() {
        assertTrue(ResultComparison.agree(Float.POSITIVE_INFINITY, 1e39, 1));
        assertFalse(ResultComparison.agree(Float.NEGATIVE_INFINITY, 1e39, 1));
        assertFalse(ResultComparison.agree(Float.MAX_VALUE, 1e39, 1e300));
        assertTrue(ResultComparison.agree(0.1f, 0.1, 1e-8));
        assertFalse(ResultComparison.agree(Float.NaN, 0.1, 1e300));
    }
}
