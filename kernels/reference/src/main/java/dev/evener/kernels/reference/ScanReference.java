package dev.evener.kernels.reference;

import dev.evener.kernels.scan.Operation;
import dev.evener.kernels.scan.Scan;
import dev.evener.kernels.scan.ScanKind;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/** Prefix scans by plain loops, for tests and verification; floats are added in the order that {@link Scan} promises. */
public final class ScanReference {
    private ScanReference() {}

    /** Of signed integers. */
    public static int[] scan(ScanKind kind, Operation operation, int[] input) {
        return switch (operation) {
            case ADD -> scan(kind, 0, Integer::sum, input);
            case MIN -> scan(kind, Integer.MAX_VALUE, Math::min, input);
            case MAX -> scan(kind, Integer.MIN_VALUE, Math::max, input);
        };
    }

    /** Of unsigned integers. */
    public static int[] scanUnsigned(ScanKind kind, Operation operation, int[] input) {
        return switch (operation) {
            case ADD -> scan(kind, 0, Integer::sum, input);
            case MIN -> scan(kind, -1, (a, b) -> Integer.compareUnsigned(a, b) < 0 ? a : b, input);
            case MAX -> scan(kind, 0, (a, b) -> Integer.compareUnsigned(a, b) < 0 ? b : a, input);
        };
    }

    private static int[] scan(ScanKind kind, int identity, IntBinaryOperator combine, int[] input) {
        long[] wide = scan(
                kind,
                identity,
                (a, b) -> combine.applyAsInt((int) a, (int) b),
                Arrays.stream(input).asLongStream().toArray());
        return Arrays.stream(wide).mapToInt(i -> (int) i).toArray();
    }

    /** Of 64-bit integers. */
    public static long[] scan(ScanKind kind, Operation operation, long[] input) {
        return switch (operation) {
            case ADD -> scan(kind, 0, Long::sum, input);
            case MIN -> scan(kind, Long.MAX_VALUE, Math::min, input);
            case MAX -> scan(kind, Long.MIN_VALUE, Math::max, input);
        };
    }

    private static long[] scan(ScanKind kind, long identity, LongBinaryOperator combine, long[] input) {
        long[] output = new long[input.length];
        long sum = identity;
        for (int i = 0; i < input.length; i++) {
            long before = sum;
            sum = combine.applyAsLong(sum, input[i]);
            output[i] = kind == ScanKind.INCLUSIVE ? sum : before;
        }
        return output;
    }

    /** Of floats. */
    public static float[] scan(ScanKind kind, Operation operation, float[] input) {
        if (operation == Operation.ADD) {
            return sums(kind, input);
        }
        float[] output = new float[input.length];
        float sum = operation == Operation.MIN ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY;
        for (int i = 0; i < input.length; i++) {
            float before = sum;
            sum = operation == Operation.MIN ? Math.min(sum, input[i]) : Math.max(sum, input[i]);
            output[i] = one(kind == ScanKind.INCLUSIVE ? sum : before);
        }
        return output;
    }

    private static float[] sums(ScanKind kind, float[] input) {
        float[] output = new float[input.length];
        // Sums of what is complete: rows of 65536 before this one, tiles in the row, blocks in the tile, runs in the
        // block.
        float rows = 0;
        float tiles = 0;
        float blocks = 0;
        float runs = 0;
        for (int run = 0; run < input.length; run += 16) {
            if (run > 0 && run % 256 == 0) {
                blocks += runs;
                runs = 0;
            }
            if (run > 0 && run % 4096 == 0) {
                tiles += blocks;
                blocks = 0;
            }
            if (run > 0 && run % 65536 == 0) {
                rows += tiles;
                tiles = 0;
            }
            float before = ((rows + tiles) + blocks) + runs;
            for (int i = run; i < Math.min(run + 16, input.length); i++) {
                float prefix = 0;
                if (kind == ScanKind.INCLUSIVE) {
                    prefix = prefix(input, run, 16, i);
                } else if (i > run) {
                    prefix = prefix(input, run, 16, i - 1);
                }
                output[i] = one(before + prefix);
            }
            if (run + 16 <= input.length) {
                runs += prefix(input, run, 16, run + 15);
            }
        }
        return output;
    }

    /** The sum of elements {@code from} to {@code last}: of a half, or of the whole first half and a part of the second. */
    private static float prefix(float[] x, int from, int count, int last) {
        if (count == 1) {
            return x[from];
        }
        int half = count / 2;
        int middle = from + half;
        return last < middle
                ? prefix(x, from, half, last)
                : prefix(x, from, half, middle - 1) + prefix(x, middle, half, last);
    }

    private static float one(float value) {
        return Float.isNaN(value) ? Float.NaN : value;
    }
}
