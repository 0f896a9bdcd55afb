package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.matrix.MatrixMultiply;
import dev.evener.kernels.matrix.MatrixReference;
import java.util.List;

/** {@code C = A B} in floats. */
final class MultiplyMatrices implements Workload {
    private static final int MOST_SIDE = 1 << 20;
    private static final Parameter<Integer> INNER = Parameter.integer(
            "inner",
            0,
            0,
            MOST_SIDE,
            "columns of A, which are rows of B; 0 for a square A (files), or as many as columns");
    private static final Parameter<Integer> COLUMNS =
            Parameter.integer("columns", 0, 0, MOST_SIDE, "columns of B and C, for made-up data; 0 for a square C");

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

    @Override
    public About about() {
        return new About(
                "matmul",
                "C = A B, matrices of floats, row by row",
                "element",
                "row of C",
                "float: C, row by row",
                List.of(64L << 10, 256L << 10, 1L << 20));
    }

    @Override
    public List<Parameter<?>> parameters() {
        return List.of(COLUMNS, INNER);
    }

    @Override
    public List<Input> inputs(Values values) {
        return List.of(
                new Input("A", ElementType.FLOAT, 0, "m rows of k"),
                new Input("B", ElementType.FLOAT, 0, "k rows of n"));
    }

    @Override
    public long mostItems(Values values) {
        return HostBuffers.MOST_WORDS / 2; // a row more than asked for must fit as well
    }

    @Override
    public void check(Request request) {
        shape(request);
    }

    private Shape shape(Request request) {
        int inner = request.get(INNER);
        int columns = request.get(COLUMNS);
        Shape shape = request.fromFiles() ? given(request, inner, columns) : madeUp(request.items(), inner, columns);
        for (long elements : new long[] {(long) shape.m * shape.k, (long) shape.k * shape.n, shape.items()}) {
            if (elements > HostBuffers.MOST_WORDS) {
                throw new IllegalArgumentException("a matrix of " + elements + " elements is too large; at most "
                        + HostBuffers.MOST_WORDS + " are possible");
            }
        }
        return shape;
    }

    private static Shape madeUp(long items, int inner, int columns) {
        int n = columns > 0 ? columns : (int) Math.ceil(Math.sqrt((double) items));
        int m = Math.toIntExact((items + n - 1) / n);
        return new Shape(m, inner > 0 ? inner : n, n);
    }

    private static Shape given(Request request, int inner, int columns) {
        long a = request.items(0);
        long b = request.items(1);
        long k = inner > 0 ? inner : Math.round(Math.sqrt((double) a));
        if (inner == 0 && k * k != a) {
            throw new InputException(
                    request.files().get(0).path(),
                    "its " + a
                            + " floats are not a square matrix; say how many columns it has with --set inner=NUMBER");
        }
        for (int i = 0; i < 2; i++) {
            if (request.items(i) % k != 0) {
                throw new InputException(
                        request.files().get(i).path(),
                        "its " + request.items(i) + " floats are not a whole number of " + (i == 0 ? "rows" : "columns")
                                + " of " + k);
            }
        }
        if (columns > 0 && columns != b / k) {
            throw new InputException(
                    request.files().get(1).path(), "has " + b / k + " columns of " + k + " rows, not " + columns);
        }
        return new Shape(Math.toIntExact(a / k), Math.toIntExact(k), Math.toIntExact(b / k));
    }

    @Override
    public PreparedWorkload prepare(Evener evener, Request request) {
        Shape shape = shape(request);
        return HostBuffers.ownedBy(evener, buffers -> {
            int m = shape.m;
            int k = shape.k;
            int n = shape.n;
            HostBuffer a = buffers.input(request, 0, (long) m * k);
            HostBuffer b = buffers.input(request, 1, (long) k * n);
            HostBuffer c = buffers.allocate(ElementType.FLOAT, shape.items());
            return new PreparedPrimitive(
                    buffers,
                    request,
                    MatrixMultiply.job(m, k, n, a, b, c, request.tuning()),
                    new PreparedPrimitive.Cost(shape.items(), shape.bytes() / shape.items(), 2.0 * k),
                    c,
                    () -> MatrixReference.inFloats(m, k, n, JavaArrays.floats(a), JavaArrays.floats(b)));
        });
    }
}
