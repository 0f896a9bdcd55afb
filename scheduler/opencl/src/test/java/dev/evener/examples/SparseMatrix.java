package dev.evener.examples;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.Job;
import dev.evener.JvmKernel;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;

/** A sparse matrix in compressed rows (CSR) times a vector. */
public final class SparseMatrix {
    // region kernel
    private static final String SOURCE = """
            #pragma OPENCL FP_CONTRACT OFF
            kernel void spmv(global const uint *offsets, ulong start, global const uint *columns,
                             global const float *values, global const float *x, global float *y) {
                size_t row = get_global_id(0);
                float sum = 0;
                for (uint k = offsets[start + row]; k < offsets[start + row + 1]; k++) // the next row's begin is this one's end
                    sum += values[k] * x[columns[k]];
                y[row] = sum;
            }
            """;
    // endregion

    // region job
    /** {@code y} has an element for each row, {@code offsets} one more: where each row begins, and where the last one ends. */
    static Job job(DataBuffer offsets, HostBuffer columns, HostBuffer values, HostBuffer x, HostBuffer y) {
        return Job.named("spmv")
                .source(SOURCE)
                .units(y.elements())
                .kernel("spmv")
                .reads(offsets, slice(1).halo(0, 1)) // each row's own, and the next one's
                .viewStart(offsets) // where the chunk's first row is in what the kernel sees
                .reads(columns, whole()) // offsets count from the matrix's first element
                .reads(values, whole())
                .reads(x, whole())
                .writes(y, slice(1))
                .jvm(SparseMatrix::rows)
                .build();
    }
    // endregion

    private SparseMatrix() {}

    private static void rows(JvmKernel.Chunk chunk) {
        IntBuffer offsets = chunk.buffer(0).asIntBuffer();
        IntBuffer columns = chunk.buffer(2).asIntBuffer();
        FloatBuffer values = chunk.buffer(3).asFloatBuffer();
        FloatBuffer x = chunk.buffer(4).asFloatBuffer();
        FloatBuffer y = chunk.buffer(5).asFloatBuffer();
        int start = chunk.viewStart(0);
        for (int row = 0; row < chunk.units(); row++) {
            float sum = 0;
            for (int k = offsets.get(start + row); k < offsets.get(start + row + 1); k++) {
                sum += values.get(k) * x.get(columns.get(k));
            }
            y.put(row, sum);
        }
    }

    public static void main(String[] args) {
        int n = 1 << 20;
        try (Evener evener = Evener.open()) {
            HostBuffer offsets = evener.allocate(ElementType.UINT, n + 1);
            HostBuffer columns = evener.allocate(ElementType.UINT, 2L * n);
            HostBuffer values = evener.allocate(ElementType.FLOAT, 2L * n);
            HostBuffer x = evener.allocate(ElementType.FLOAT, n);
            HostBuffer y = evener.allocate(ElementType.FLOAT, n);
            for (int row = 0; row < n; row++) { // each element minus the one before it
                offsets.ints().put(row + 1, 2 * row + 2);
                columns.ints().put(2 * row, row).put(2 * row + 1, Math.max(0, row - 1));
                values.floats().put(2 * row, 1).put(2 * row + 1, -1);
                x.floats().put(row, row);
            }
            System.out.println(
                    evener.submit(job(offsets, columns, values, x, y)).join().summary());
            System.out.println("y = " + y.floats().get(0) + ", " + y.floats().get(n - 1));
        }
    }
}
