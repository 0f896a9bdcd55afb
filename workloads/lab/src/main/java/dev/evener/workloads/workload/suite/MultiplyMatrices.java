package dev.evener.workloads.workload.suite;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.kernels.matrix.MatrixMultiply;
import dev.evener.kernels.reference.MatrixReference;
import dev.evener.workloads.workload.Distribution;
import dev.evener.workloads.workload.JavaArrays;
import dev.evener.workloads.workload.Parameter;
import dev.evener.workloads.workload.PreparedWorkload;
import dev.evener.workloads.workload.Request;
import dev.evener.workloads.workload.Workload;

/** {@code C = A B} in floats. */
final class MultiplyMatrices extends Workload {
    private static final int MOST_SIDE = 1 << 20;
    private static final Parameter<Integer> INNER = Parameter.integer(
            "inner",
            0,
            0,
            MOST_SIDE,
            "columns of A, which are rows of B; 0 for a square A (files), or as many as columns");
    private static final Parameter<Integer> COLUMNS =
            Parameter.integer("columns", 0, 0, MOST_SIDE, "columns of B and C, for synthetic data; 0 for a square C");

    /**
     * Sizes of the three matrices.
     *
     * @param m rows of A and C
     * @param k columns of A, rows of B
     * @param n columns of B and C
     */
    private record Shape(int m, int k, int n) {
        long items() {
            return (long) m * n;
        }

        double bytes() {
            return Float.BYTES * ((double) m * k + (double) k * n + (double) m * n);
        }
    }

    MultiplyMatrices() {
        super("matmul", "C = A B, matrices of floats, row by row");
        items("element", "row of C", 64L << 10, 256L << 10, 1L << 20);
        parameters(COLUMNS, INNER);
        reads("A", ElementType.FLOAT, 0, "m rows of k");
        reads("B", ElementType.FLOAT, 0, "k rows of n");
        writes("float: C, row by row");
        atMost(MOST_WORDS / 2); // a row more than asked for must fit as well
        tunes("matrix", items -> 256L << 10, Distribution.UNIFORM);
    }

    @Override
    public void check(Request request) {
        shape(request);
    }

    private static Shape shape(Request request) {
        int inner = request.values().get(INNER);
        int columns = request.values().get(COLUMNS);
        Shape shape = request.fromFiles() ? given(request, inner, columns) : synthetic(request.items(), inner, columns);
        for (long elements : new long[] {(long) shape.m * shape.k, (long) shape.k * shape.n, shape.items()}) {
            if (elements > MOST_WORDS) {
                throw new IllegalArgumentException(
                        "a matrix of " + elements + " elements is too large; at most " + MOST_WORDS + " are possible");
            }
        }
        return shape;
    }

    private static Shape synthetic(long items, int inner, int columns) {
        int n = columns > 0 ? columns : (int) Math.ceil(Math.sqrt((double) items));
        int m = Math.toIntExact((items + n - 1) / n);
        return new Shape(m, inner > 0 ? inner : n, n);
    }

    private static Shape given(Request request, int inner, int columns) {
        long a = request.items(0);
        long b = request.items(1);
        long k = inner > 0 ? inner : Math.round(Math.sqrt((double) a));
        if (inner == 0 && k * k != a) {
            throw request.bad(
                    0,
                    "its " + a
                            + " floats are not a square matrix; say how many columns it has with --set inner=NUMBER");
        }
        for (int i = 0; i < 2; i++) {
            if (request.items(i) % k != 0) {
                throw request.bad(
                        i,
                        "its " + request.items(i) + " floats are not a whole number of " + (i == 0 ? "rows" : "columns")
                                + " of " + k);
            }
        }
        if (columns > 0 && columns != b / k) {
            throw request.bad(1, "has " + b / k + " columns of " + k + " rows, not " + columns);
        }
        return new Shape(Math.toIntExact(a / k), Math.toIntExact(k), Math.toIntExact(b / k));
    }

    @Override
    public void prepare(PreparedWorkload setup) {
        Shape shape = shape(setup.request());
        int m = shape.m;
        int k = shape.k;
        int n = shape.n;
        HostBuffer a = setup.input(0, (long) m * k);
        HostBuffer b = setup.input(1, (long) k * n);
        HostBuffer c = setup.output(ElementType.FLOAT, shape.items());
        setup.job(MatrixMultiply.job(m, k, n, a, b, c, setup.tuning()))
                .items(shape.items())
                .bytesPerItem(shape.bytes() / shape.items())
                .flopsPerItem(2.0 * k)
                .expect(() -> MatrixReference.inFloats(m, k, n, JavaArrays.floats(a), JavaArrays.floats(b)));
    }
}
