package dev.evener.kernels.matrix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.Buffers;
import dev.evener.kernels.GpuForms;
import dev.evener.kernels.PrimitiveCase;
import dev.evener.kernels.PrimitiveConformance;
import dev.evener.kernels.TunedCase;
import dev.evener.kernels.reference.MatrixReference;
import dev.evener.kernels.reference.ResultComparison;
import dev.evener.kernels.tuning.Tuning;
import dev.evener.policy.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MatrixMultiplyConformanceTest extends PrimitiveConformance {

    private static final int[][] SIZES = {
        {0, 3, 4},
        {3, 0, 4},
        {3, 4, 0},
        {1, 1, 1},
        {1, 300, 1},
        {5, 7, 3},
        {37, 1, 19},
        {64, 31, 16},
        {130, 257, 33},
        {97, 512, 40},
        {70, 35, 257},
        {66, 17, 129},
        {520, 9, 70}
    };

    @Override
    protected List<PrimitiveCase> cases() {
        return cases(false);
    }

    @Test
    void whatGpusRun() {
        GpuForms.check(cases(true));
    }

    private static List<PrimitiveCase> cases(boolean asGpu) {
        return cases(SIZES, asGpu);
    }

    /** Of rows and columns of the first matrix and columns of the second. */
    static List<PrimitiveCase> cases(int[][] sizes, boolean asGpu) {
        List<PrimitiveCase> cases = new ArrayList<>();
        for (int[] s : sizes) {
            cases.add(new Case(s[0], s[1], s[2], s[1] % 10 == 7, asGpu));
        }
        return cases;
    }

    record Case(int m, int k, int n, boolean special, boolean asGpu) implements TunedCase {

        @Override
        public String name() {
            return toString();
        }

        private float[] matrix(int elements, int seed) {
            Random random = new Random(seed);
            float[] values = new float[elements];
            for (int i = 0; i < elements; i++) {
                values[i] = (random.nextFloat() - 0.5f) * (1 << random.nextInt(12));
                if (special && random.nextInt(1000) == 0) {
                    values[i] = random.nextBoolean() ? Float.NaN : Float.POSITIVE_INFINITY;
                }
            }
            return values;
        }

        @Override
        public Object run(Evener evener, Policy policy, Tuning tuning) {
            try (HostBuffer a = Buffers.of(evener, matrix(m * k, 1));
                    HostBuffer b = Buffers.of(evener, matrix(k * n, 2));
                    HostBuffer c = evener.allocate(ElementType.FLOAT, m * n + 5)) {
                c.floats().put(new float[m * n]).put(new float[] {1, 2, 3, 4, 5});
                evener.submit(GpuForms.job(asGpu, MatrixMultiply.job(m, k, n, a, b, c, tuning)), policy)
                        .join();
                for (int i = 0; i < 5; i++) {
                    assertTrue(c.floats().get(m * n + i) == i + 1, "written beyond the end");
                }
                return Buffers.ints(c, m * n); // bits
            }
        }

        @Override
        public void check(Object output) {
            float[] a = matrix(m * k, 1);
            float[] b = matrix(k * n, 2);
            float[] floats = MatrixReference.inFloats(m, k, n, a, b);
            double[] doubles = inDoubles(m, k, n, a, b);
            double[] bounds = bounds(m, k, n, a, b);
            int[] bits = new int[m * n];
            for (int i = 0; i < bits.length; i++) {
                bits[i] = Float.floatToIntBits(floats[i]);
            }
            assertArrayEquals(bits, (int[]) output);
            for (int i = 0; i < bits.length; i++) {
                float actual = Float.intBitsToFloat(((int[]) output)[i]);
                assertTrue(
                        ResultComparison.agree(actual, doubles[i], bounds[i]),
                        "element " + i + ": " + actual + ", exactly " + doubles[i] + " to within " + bounds[i]);
            }
        }
    }

    /** {@code A B} in doubles. */
    static double[] inDoubles(int m, int k, int n, float[] a, float[] b) {
        double[] c = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int p = 0; p < k; p++) {
                    c[i * n + j] += (double) a[i * k + p] * b[p * n + j];
                }
            }
        }
        return c;
    }

    /**
     * How far each element of a float result may be from the exact one: {@code g / (1 - g)} times the sum of the products'
     * absolute values, with {@code g = (k + 1) 2^-24}; Higham's bound. Not for products that underflow.
     */
    private static double[] bounds(int m, int k, int n, float[] a, float[] b) {
        double[] magnitudes = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int p = 0; p < k; p++) {
                    magnitudes[i * n + j] += Math.abs((double) a[i * k + p] * b[p * n + j]);
                }
            }
        }
        double g = (k + 1) * 0x1p-24;
        for (int i = 0; i < magnitudes.length; i++) {
            magnitudes[i] *= g / (1 - g);
        }
        return magnitudes;
    }
}
