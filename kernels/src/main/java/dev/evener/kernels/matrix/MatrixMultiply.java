package dev.evener.kernels.matrix;

import static dev.evener.Access.slice;
import static dev.evener.Access.whole;

import dev.evener.DataBuffer;
import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.Job;
import dev.evener.KernelSource;
import dev.evener.Report;
import dev.evener.Variant;
import dev.evener.kernels.BufferChecks;
import dev.evener.kernels.Forms;
import dev.evener.kernels.Submission;
import dev.evener.kernels.tuning.Parameter;
import dev.evener.kernels.tuning.Tuning;

/**
 * Multiplies two matrices of {@code FLOAT}: {@code C = A B}, all row-major without gaps, {@code A} of {@code m} rows and
 * {@code k} columns, {@code B} of {@code k} rows and {@code n} columns, {@code C} of {@code m} rows and {@code n} columns. A
 * unit is a row of {@code C}; every device sees the whole of {@code B}. Stateless; any thread.
 *
 * <p>Each element of the result is {@code ((0 + a[0] b[0]) + a[1] b[1]) + ...}, every product and sum rounded to float, in
 * this order: the same bits on every device, for every split, and as from the plain loop. The error is at most {@code (k + 1)
 * 2^-24} times the sum of the products' absolute values, to first order (Higham, Accuracy and Stability of Numerical
 * Algorithms, 3.1). Every NaN in the result has the bits {@code 0x7fc00000}; devices without denormal numbers take them for
 * 0. If {@code k} is 0, the result is 0.
 */
public final class MatrixMultiply {
    private static final KernelSource SOURCE =
            KernelSource.resource(MatrixMultiply.class, "matrix.cl").withTrialLaunch();

    /** What {@code matrix.cl} works on in a group of a GPU. */
    private static final int GROUP = 128;

    private static final int TILE_COLUMNS = 128;

    /** Floats that are written at a time where there is nothing to add up. */
    private static final long ZEROS = 1 << 16;

    private MatrixMultiply() {}

    /**
     * Multiplies and waits for the end.
     *
     * @param m rows of {@code a} and {@code c}, at least 0
     * @param k columns of {@code a}, rows of {@code b}, at least 0
     * @param n columns of {@code b} and {@code c}, at least 0
     * @throws IllegalArgumentException as {@link #job(int, int, int, DataBuffer, DataBuffer, DataBuffer)} does
     * @throws dev.evener.EvenerException if the job fails
     */
    public static Report multiply(Evener evener, int m, int k, int n, DataBuffer a, DataBuffer b, DataBuffer c) {
        return Submission.run(evener, job(m, k, n, a, b, c, Tuning.of(evener)));
    }

    /**
     * The job that multiplies; its reports count rows of {@code c}. Any number of such jobs may be in flight.
     *
     * @param m rows of {@code a} and {@code c}, at least 0
     * @param k columns of {@code a}, rows of {@code b}, at least 0
     * @param n columns of {@code b} and {@code c}, at least 0
     * @param a at least {@code m * k} floats
     * @param b at least {@code k * n} floats, in one segment (below 2 GiB); may be {@code a}
     * @param c at least {@code m * n} floats, another buffer than {@code a} and {@code b}; all of those are written
     * @throws IllegalArgumentException if a size is negative, or a buffer has the wrong type, is too small, or is {@code c}
     *     and another one too
     * @throws dev.evener.EvenerException if {@code b} lies in several segments
     */
    public static Job job(int m, int k, int n, DataBuffer a, DataBuffer b, DataBuffer c) {
        return job(m, k, n, a, b, c, Tuning.defaults());
    }

    /** {@link #job(int, int, int, DataBuffer, DataBuffer, DataBuffer)}, tuned. */
    public static Job job(int m, int k, int n, DataBuffer a, DataBuffer b, DataBuffer c, Tuning tuning) {
        BufferChecks.requireCount("m", m);
        BufferChecks.requireCount("k", k);
        BufferChecks.requireCount("n", n);
        BufferChecks.require("left matrix's", a, ElementType.FLOAT, (long) m * k);
        BufferChecks.require("right matrix's", b, ElementType.FLOAT, (long) k * n);
        BufferChecks.require("product's", c, ElementType.FLOAT, (long) m * n);
        BufferChecks.requireDistinct(a, c);
        BufferChecks.requireDistinct(b, c);
        // Nothing to compute, or nothing that a kernel could be shown: a slice has an element at least.
        if (m == 0 || n == 0 || k == 0) {
            return empty((long) m * n, c);
        }
        int rows = rowsPerItem(m, tuning.value(Parameter.MATRIX_CPU_ROWS));
        int across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
        // Enough groups for the tiles of a chunk however short, within 1/64 to 1 group a row for each tile across.
        Variant other =
                Variant.itemsPerUnit(GROUP * ((across + rows - 1) / rows)).withGroupSize(GROUP);
        Variant cpu = Variant.unitsPerItem(rows).withGroupSize(1).withRounds(rounds(rows, k, n));
        return Forms.add(
                        Job.named("matrix-multiply")
                                .source(SOURCE)
                                .units(m)
                                .granule(rows)
                                .kernel("matrix_multiply"),
                        cpu,
                        other)
                .jvm(MatrixJvm.multiply(k, n))
                .reads(a, slice(k))
                .reads(b, whole())
                .writes(c, slice(n))
                .scalar(k)
                .scalar(n)
                .scalar(rows)
                .chunkUnits()
                .build();
    }

    /** Rounds of the loops of a CPU's work-item, at most: for each panel it copies B and goes through A, four rows at once. */
    private static long rounds(int rows, long k, long n) {
        long panels = (n + 15) / 16;
        long blocks = (k + 255) / 256;
        return panels * (20 * k + (rows + 3) / 4 * (4 * k + 160 * blocks));
    }

    /** A job that at most fills the result with zeros, in its host step. */
    private static Job empty(long elements, DataBuffer c) {
        return Job.named("matrix-multiply")
                .units(0)
                .kernel("nothing")
                .jvm(chunk -> {})
                .hostStep(
                        host -> {
                            for (long at = 0; at < elements; at += ZEROS) {
                                long count = Math.min(ZEROS, elements - at);
                                host.update(c, at, count).asFloatBuffer().put(new float[(int) count]);
                            }
                        },
                        c)
                .build();
    }

    /** Rows that share a block of B in a CPU's cache; fewer where there would not be enough to share out. */
    private static int rowsPerItem(int m, int most) {
        int rows = m >= 8 * most ? most : m >= 128 ? 16 : 4;
        return Math.min(rows, m);
    }
}
