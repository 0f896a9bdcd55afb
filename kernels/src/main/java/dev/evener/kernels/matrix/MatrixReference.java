package dev.evener.kernels.matrix;

/** Matrix multiplication as it is written down: the yardstick of tests and {@code --verify}. Row-major arrays. */
public final class MatrixReference {
    private static final double HALF_ULP = 0x1p-24;

    private MatrixReference() {}

    /** {@code A B} in floats, each element summed up in the order of k: the bits that every device has to give. */
    public static float[] inFloats(int m, int k, int n, float[] a, float[] b) {
        float[] c = new float[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int p = 0; p < k; p++) {
                    float product = a[i * k + p] * b[p * n + j];
                    sum = sum + product;
                }
                c[i * n + j] = sum;
            }
        }
        return c;
    }

    /** {@code A B} in doubles. */
    public static double[] inDoubles(int m, int k, int n, float[] a, float[] b) {
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
    public static double[] bounds(int m, int k, int n, float[] a, float[] b) {
        double[] magnitudes = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int p = 0; p < k; p++) {
                    magnitudes[i * n + j] += Math.abs((double) a[i * k + p] * b[p * n + j]);
                }
            }
        }
        double g = (k + 1) * HALF_ULP;
        for (int i = 0; i < magnitudes.length; i++) {
            magnitudes[i] *= g / (1 - g);
        }
        return magnitudes;
    }
}
