package dev.evener.kernels.reduce;

import dev.evener.ElementType;
import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The Java form of {@code reduce_tiles}, and what the host does with the tiles' results. A tile's result is a {@code long}:
 * an integer; a float's order-preserving key; or, of a sum of floats, the float's bits. Stateless; any thread.
 */
final class ReduceJvm {
    /** Elements of a tile. */
    static final int TILE = 16384;

    /** Words of each tile's result, of which the first is used. */
    static final int STRIDE = 8;

    private static final int BLOCK = 2048;
    private static final int LANES = 64;

    private final ElementType type;
    private final Operation operation;

    ReduceJvm(ElementType type, Operation operation) {
        this.type = type;
        this.operation = operation;
    }

    /** One chunk: argument 0 the tiles' elements, 1 their results. */
    void run(JvmKernel.Chunk chunk) {
        ByteBuffer data = chunk.buffer(0);
        ByteBuffer results = chunk.buffer(1);
        for (int tile = 0; tile < chunk.units(); tile++) {
            results.putLong(tile * STRIDE * Long.BYTES, reduce(data, tile * TILE, TILE));
        }
    }

    /** What {@code count} elements have in common; at most a tile's for floats to be added. */
    long reduce(ByteBuffer data, int first, int count) {
        if (sumsFloats()) {
            return Float.floatToRawIntBits(floatSum(data, first, count));
        }
        long all = identity();
        for (int i = first; i < first + count; i++) {
            all = combine(all, value(data, i));
        }
        return all;
    }

    /** What stands for element {@code i}: its value, or the key of a float. */
    long value(ByteBuffer data, int i) {
        return switch (type) {
            case UINT -> Integer.toUnsignedLong(data.getInt(i * Integer.BYTES));
            case LONG -> data.getLong(i * Long.BYTES);
            case FLOAT -> key(data.getInt(i * Float.BYTES));
            default -> data.getInt(i * Integer.BYTES);
        };
    }

    /** What stands for no element at all. */
    long identity() {
        if (operation.adds()) {
            return 0;
        }
        boolean least = operation.least();
        return switch (type) {
            case UINT -> least ? 0xffffffffL : 0;
            case LONG -> least ? Long.MAX_VALUE : Long.MIN_VALUE;
            case FLOAT -> key(Float.floatToRawIntBits(least ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY));
            default -> least ? Integer.MAX_VALUE : Integer.MIN_VALUE;
        };
    }

    /** Two of them as one; not for sums of floats. */
    long combine(long a, long b) {
        return switch (operation) {
            case SUM, WIDE_SUM -> a + b;
            case MIN, ARG_MIN -> Math.min(a, b);
            case MAX, ARG_MAX -> Math.max(a, b);
        };
    }

    boolean sumsFloats() {
        return type == ElementType.FLOAT && operation == Operation.SUM;
    }

    /** The bits of the float that a key stands for; of any NaN those of {@link Float#NaN}. */
    static int bits(long key) {
        if (key == Integer.MIN_VALUE || key == Integer.MAX_VALUE) {
            return Float.floatToRawIntBits(Float.NaN);
        }
        int narrow = (int) key;
        return narrow ^ ((narrow >> 31) & Integer.MAX_VALUE);
    }

    /** Sums of tiles in pairs, pairs of pairs and so on; one that has no neighbour goes up as it is. */
    static float pairwise(float[] sums) {
        if (sums.length == 0) {
            return 0;
        }
        for (int step = 1; step < sums.length; step *= 2) {
            for (int i = 0; i + step < sums.length; i += 2 * step) {
                sums[i] += sums[i + step];
            }
        }
        return sums[0];
    }

    /** Options that build the OpenCL form of the same. */
    String options() {
        String accumulator = sumsFloats() ? "float" : type == ElementType.FLOAT ? "int" : type.openClName();
        if (operation == Operation.WIDE_SUM) {
            accumulator = "long";
        }
        int number = operation.adds() ? 0 : operation.least() ? 1 : 2;
        String options = "-D T=" + type.openClName() + " -D A=" + accumulator + " -D OPERATION=" + number;
        if (type == ElementType.FLOAT) {
            options += sumsFloats() ? " -D FLOAT_SUM" : " -D FLOAT_KEYS";
        }
        return options;
    }

    private long key(int bits) {
        if ((bits & Integer.MAX_VALUE) > 0x7f800000) {
            return operation.least() ? Integer.MIN_VALUE : Integer.MAX_VALUE;
        }
        return bits ^ ((bits >> 31) & Integer.MAX_VALUE);
    }

    /** A tile in the OpenCL form's order; what is missing of one that is not whole counts as 0. */
    private static float floatSum(ByteBuffer data, int first, int count) {
        float[] blocks = new float[TILE / BLOCK];
        float[] lanes = new float[LANES];
        for (int block = 0; block < blocks.length; block++) {
            Arrays.fill(lanes, 0);
            int end = Math.min(count, (block + 1) * BLOCK);
            for (int i = block * BLOCK; i < end; i++) {
                lanes[i % LANES] += data.getFloat((first + i) * Float.BYTES);
            }
            blocks[block] = halve(lanes);
        }
        return halve(blocks);
    }

    private static float halve(float[] values) {
        for (int step = values.length / 2; step > 0; step /= 2) {
            for (int i = 0; i < step; i++) {
                values[i] += values[i + step];
            }
        }
        return values[0];
    }
}
