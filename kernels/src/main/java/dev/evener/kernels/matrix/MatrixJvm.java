package dev.evener.kernels.matrix;

import dev.evener.JvmKernel;
import java.nio.FloatBuffer;
import java.util.Arrays;

/** The Java form of {@code matrix.cl}. Stateless. */
final class MatrixJvm {
    /** Columns of the result that stay in the first-level cache with their part of a row of B. */
    private static final int PANEL = 1024;

    private MatrixJvm() {}

    /** Argument 0 the rows of A, 1 all of B, 2 the rows of C. */
    static JvmKernel multiply(int depth, int columns) {
        return chunk -> {
            FloatBuffer a = chunk.buffer(0).asFloatBuffer();
            FloatBuffer b = chunk.buffer(1).asFloatBuffer();
            FloatBuffer c = chunk.buffer(2).asFloatBuffer();
            float[] factors = new float[depth];
            float[] sums = new float[Math.min(PANEL, columns)];
            float[] row = new float[sums.length];
            for (int y = 0; y < chunk.units(); y++) {
                a.get(y * depth, factors);
                for (int x = 0; x < columns; x += PANEL) {
                    int wide = Math.min(PANEL, columns - x);
                    Arrays.fill(sums, 0);
                    for (int k = 0; k < depth; k++) {
                        b.get(k * columns + x, row, 0, wide);
                        float factor = factors[k];
                        for (int i = 0; i < wide; i++) {
                            sums[i] += factor * row[i]; // two roundings: the JVM does not contract
                        }
                    }
                    for (int i = 0; i < wide; i++) {
                        sums[i] = Float.intBitsToFloat(Float.floatToIntBits(sums[i])); // one NaN
                    }
                    c.put(y * columns + x, sums, 0, wide);
                }
            }
        };
    }
}
