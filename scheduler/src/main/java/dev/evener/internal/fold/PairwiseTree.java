package dev.evener.internal.fold;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.internal.LogicalBuffer;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Folds one value of each unit into a single one, in an order that the number of units alone decides: neighbours are
 * combined, then neighbours of the results, and so on; one that has no neighbour goes up as it is. Rounding errors grow with
 * the logarithm of the number of units only (pairwise summation; N. J. Higham, The accuracy of floating point summation,
 * SIAM J. Sci. Comput. 14, 1993).
 *
 * <p>The units' values are read once, in blocks whose trees are folded in an array; a stack with one node for each level
 * holds the subtrees that wait for their neighbour. Values are held as doubles: a sum of two floats rounded first to double
 * and then to float is the float sum. Stateless; any thread.
 */
final class PairwiseTree {
    private static final int BLOCK = 8192;

    private final LogicalBuffer parts;
    private final boolean narrow;
    private final Reduction operation;
    private final float[] floats;

    private PairwiseTree(LogicalBuffer parts, Reduction operation) {
        this.parts = parts;
        this.operation = operation;
        this.narrow = parts.type() == ElementType.FLOAT;
        this.floats = new float[narrow ? BLOCK : 0];
    }

    /**
     * Combines, element by element, what the units wrote.
     *
     * @param parts {@code elements} floats or doubles of each unit, in the order of the units
     * @param units how many there are; without any, the result is the operation's identity
     * @param target takes the result, {@code elements} of the same type
     */
    static void fold(LogicalBuffer parts, long units, long elements, Reduction operation, LogicalBuffer.Range target) {
        PairwiseTree tree = new PairwiseTree(parts, operation);
        ByteBuffer result = target.part();
        for (long from = 0; from < elements; from += BLOCK) { // vectors longer than a block go strip by strip
            int width = (int) Math.min(BLOCK, elements - from);
            double[] strip = tree.strip(units, elements, from, width);
            for (int i = 0; i < width; i++) {
                int at = (int) (from + i);
                if (tree.narrow) {
                    result.putFloat(at * Float.BYTES, (float) strip[i]);
                } else {
                    result.putDouble(at * Double.BYTES, strip[i]);
                }
            }
        }
    }

    private double[] strip(long units, long elements, long from, int width) {
        // Units in a block: a power of two, so that blocks are whole subtrees; one where strips cut the vectors.
        int perBlock = width < elements ? 1 : Integer.highestOneBit(BLOCK / width);
        double[][] waiting = new double[Long.SIZE][];
        for (long unit = 0; unit < units; unit += perBlock) {
            int count = (int) Math.min(perBlock, units - unit);
            double[] node = new double[count * width];
            read(unit * elements + from, node);
            foldBlock(node, count, width);
            int level = 0;
            for (; waiting[level] != null; level++) {
                combine(waiting[level], 0, node, 0, width);
                node = waiting[level];
                waiting[level] = null;
            }
            waiting[level] = node;
        }
        double[] right = null;
        for (double[] left : waiting) {
            if (left != null) {
                if (right != null) {
                    combine(left, 0, right, 0, width);
                }
                right = left;
            }
        }
        return right != null ? right : identity(width);
    }

    private void read(long at, double[] block) {
        if (narrow) {
            parts.forEachPart(
                    at * Float.BYTES,
                    block.length * Float.BYTES,
                    (piece, done) ->
                            piece.asFloatBuffer().get(floats, done / Float.BYTES, piece.capacity() / Float.BYTES));
            for (int i = 0; i < block.length; i++) {
                block[i] = floats[i];
            }
        } else {
            parts.forEachPart(
                    at * Double.BYTES,
                    block.length * Double.BYTES,
                    (piece, done) ->
                            piece.asDoubleBuffer().get(block, done / Double.BYTES, piece.capacity() / Double.BYTES));
        }
    }

    private void foldBlock(double[] block, int count, int width) {
        for (int step = 1; step < count; step *= 2) {
            for (int i = 0; i + step < count; i += 2 * step) {
                combine(block, i * width, block, (i + step) * width, width);
            }
        }
    }

    private void combine(double[] a, int atA, double[] b, int atB, int width) {
        switch (operation) {
            case SUM -> {
                for (int i = 0; i < width; i++) {
                    double sum = a[atA + i] + b[atB + i];
                    a[atA + i] = narrow ? (float) sum : sum;
                }
            }
            case MIN -> {
                for (int i = 0; i < width; i++) {
                    a[atA + i] = Math.min(a[atA + i], b[atB + i]);
                }
            }
            case MAX -> {
                for (int i = 0; i < width; i++) {
                    a[atA + i] = Math.max(a[atA + i], b[atB + i]);
                }
            }
            default -> throw new IllegalStateException(operation + " is of bits"); // refused when the job was built
        }
    }

    private double[] identity(int width) {
        double[] values = new double[width];
        Arrays.fill(
                values,
                switch (operation) {
                    case SUM -> 0.0;
                    case MIN -> Double.POSITIVE_INFINITY;
                    default -> Double.NEGATIVE_INFINITY;
                });
        return values;
    }
}
