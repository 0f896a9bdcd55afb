package dev.evener.kernels.scan;

import dev.evener.ElementType;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whatever is exact: integers, and the least and greatest of floats as keys. Values are held as longs: int and keys with
 * their sign, uint without one, so that comparing longs compares them all, and sums are right in their low bits.
 */
final class IntegerTiles extends Tiles {

    IntegerTiles(ScanValues values) {
        super(values);
    }

    @Override
    void total(ByteBuffer in, int first, ByteBuffer totals, int tile) {
        store(new long[] {total(load(in, first, TILE, values.keys()))}, 1, totals, tile, false);
    }

    private long total(long[] x) {
        long total = values.identityValue();
        switch (values.operation()) {
            case ADD -> {
                for (long value : x) {
                    total += value;
                }
            }
            case MIN -> {
                for (long value : x) {
                    total = Math.min(total, value);
                }
            }
            case MAX -> {
                for (long value : x) {
                    total = Math.max(total, value);
                }
            }
        }
        return total;
    }

    @Override
    void scan(ByteBuffer in, ByteBuffer out, int first, int count, ByteBuffer carries, int tile, ScanKind kind) {
        long[] x = load(in, first, count, values.keys());
        scan(x, load(carries, tile, 1, false)[0], kind);
        store(x, count, out, first, values.keys());
    }

    @Override
    void carries(ByteBuffer totals, int tiles, @Nullable ByteBuffer carry) {
        long[] x = load(totals, 0, tiles + 1, false); // what the last one holds counts for nothing
        scan(x, carry == null ? values.identityValue() : load(carry, 0, 1, values.keys())[0], ScanKind.EXCLUSIVE);
        store(x, tiles + 1, totals, 0, false);
    }

    @Override
    void rows(ByteBuffer totals, ByteBuffer rows, int count) {
        long[] x = new long[count];
        for (int row = 0; row < count; row++) {
            x[row] = total(load(totals, row * RUN, RUN, false));
        }
        store(x, count, rows, 0, values.keys());
    }

    @Override
    void before(ByteBuffer rows, int count) {
        long[] x = load(rows, 0, count, values.keys());
        scan(x, values.identityValue(), ScanKind.EXCLUSIVE);
        store(x, count, rows, 0, values.keys());
    }

    private void scan(long[] x, long carry, ScanKind kind) {
        long before = carry;
        boolean inclusive = kind == ScanKind.INCLUSIVE;
        for (int i = 0; i < x.length; i++) {
            long value = x[i];
            long with = switch (values.operation()) {
                case ADD -> before + value;
                case MIN -> Math.min(before, value);
                case MAX -> Math.max(before, value);
            };
            x[i] = inclusive ? with : before;
            before = with;
        }
    }

    private long[] load(ByteBuffer from, int first, int count, boolean floats) {
        long[] x = new long[count];
        if (values.type() == ElementType.LONG) {
            from.asLongBuffer().get(first, x);
            return x;
        }
        IntBuffer ints = from.asIntBuffer();
        boolean unsigned = values.type() == ElementType.UINT;
        for (int i = 0; i < count; i++) {
            int bits = ints.get(first + i);
            x[i] = floats ? key(bits) : unsigned ? Integer.toUnsignedLong(bits) : bits;
        }
        return x;
    }

    private void store(long[] x, int count, ByteBuffer to, int first, boolean floats) {
        if (values.type() == ElementType.LONG) {
            LongBuffer longs = to.asLongBuffer();
            longs.put(first, x, 0, count);
            return;
        }
        IntBuffer ints = to.asIntBuffer();
        for (int i = 0; i < count; i++) {
            int value = (int) x[i];
            ints.put(first + i, floats ? bits(value) : value);
        }
    }

    /** The key of a float's bits: ordered as the floats are, NaN at the end at which it wins. */
    private int key(int bits) {
        if ((bits & 0x7fffffff) > 0x7f800000) {
            return nanKey();
        }
        return bits ^ (bits >> 31 & 0x7fffffff);
    }

    private int bits(int key) {
        return key == nanKey() ? 0x7fc00000 : key ^ (key >> 31 & 0x7fffffff);
    }

    private int nanKey() {
        return values.operation() == Operation.MIN ? ~0x7fc00000 : 0x7fc00000;
    }
}
