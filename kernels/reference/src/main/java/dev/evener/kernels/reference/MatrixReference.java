package dev.evener.kernels.reference;

/** Matrix multiplication as it is written down: the yardstick of tests and {@code --verify}. Row-major arrays. */
public final class MatrixReference {
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
}
