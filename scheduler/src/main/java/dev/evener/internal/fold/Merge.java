package dev.evener.internal.fold;

import dev.evener.ElementType;
import dev.evener.Reduction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Merging of integer partials on the host. Data moves in blocks between buffers and arrays, because this runs at every
 * boundary between phases, where element-wise access to a buffer would cost more than the launch of a kernel while the JVM
 * still interprets it. Stateless; any thread.
 */
public final class Merge {
    private static final int BLOCK = 8192;

    /** Scratch of each thread that merges: two blocks of ints and two of longs. */
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private static final class Scratch {
        final int[] ints = new int[BLOCK / Integer.BYTES];
        final int[] otherInts = new int[BLOCK / Integer.BYTES];
        final long[] longs = new long[BLOCK / Long.BYTES];
        final long[] otherLongs = new long[BLOCK / Long.BYTES];
    }

    private Merge() {}

    /** Fills a buffer with the operation's identity, from its start to its limit, a multiple of the element's size. */
    public static void fillIdentity(ByteBuffer target, ElementType type, Reduction operation) {
        byte[] pattern = Identities.block(type, operation);
        int bytes = target.limit();
        for (int at = 0; at < bytes; at += BLOCK) {
            target.put(at, pattern, 0, Math.min(BLOCK, bytes - at));
        }
    }

    /** Copies a partial over the target's limit: the first one needs no merging. */
    public static void copy(ByteBuffer target, ByteBuffer partial) {
        target.put(0, partial, 0, target.limit());
    }

    /** {@code target[i] = target[i] op partial[i]} over the target's limit; sums wrap as the device's do. */
    public static void into(ByteBuffer target, ByteBuffer partial, ElementType type, Reduction operation) {
        Scratch scratch = SCRATCH.get();
        int bytes = target.limit();
        for (int at = 0; at < bytes; at += BLOCK) {
            int length = Math.min(BLOCK, bytes - at);
            ByteBuffer to = slice(target, at, length);
            ByteBuffer from = slice(partial, at, length);
            if (type.bytes() == Integer.BYTES) {
                int count = length / Integer.BYTES;
                to.asIntBuffer().get(scratch.ints, 0, count);
                from.asIntBuffer().get(scratch.otherInts, 0, count);
                combine(scratch.ints, scratch.otherInts, count, type, operation);
                to.asIntBuffer().put(scratch.ints, 0, count);
            } else {
                int count = length / Long.BYTES;
                to.asLongBuffer().get(scratch.longs, 0, count);
                from.asLongBuffer().get(scratch.otherLongs, 0, count);
                combine(scratch.longs, scratch.otherLongs, count, type, operation);
                to.asLongBuffer().put(scratch.longs, 0, count);
            }
        }
    }

    private static ByteBuffer slice(ByteBuffer buffer, int at, int length) {
        return buffer.slice(at, length).order(ByteOrder.nativeOrder());
    }

    private static void combine(int[] a, int[] b, int count, ElementType type, Reduction operation) {
        if (operation == Reduction.SUM) {
            for (int i = 0; i < count; i++) {
                a[i] += b[i];
            }
            return;
        }
        // Unsigned order is signed order with the sign bit turned over.
        int flip = type == ElementType.UINT ? Integer.MIN_VALUE : 0;
        for (int i = 0; i < count; i++) {
            boolean less = (b[i] ^ flip) < (a[i] ^ flip);
            if (less == (operation == Reduction.MIN)) {
                a[i] = b[i];
            }
        }
    }

    private static void combine(long[] a, long[] b, int count, ElementType type, Reduction operation) {
        if (operation == Reduction.SUM) {
            for (int i = 0; i < count; i++) {
                a[i] += b[i];
            }
            return;
        }
        long flip = type == ElementType.ULONG ? Long.MIN_VALUE : 0;
        for (int i = 0; i < count; i++) {
            boolean less = (b[i] ^ flip) < (a[i] ^ flip);
            if (less == (operation == Reduction.MIN)) {
                a[i] = b[i];
            }
        }
    }

    /** Blocks full of each identity there is, in native order. */
    private static final class Identities {
        private static final byte[] ZERO = fill(0);
        private static final byte[] ALL_ONES = fill(-1);
        private static final byte[][] INTS = {fill(0x80000000_80000000L), fill(0x7FFFFFFF_7FFFFFFFL)};
        private static final byte[][] LONGS = {fill(Long.MIN_VALUE), fill(Long.MAX_VALUE)};

        static byte[] block(ElementType type, Reduction operation) {
            if (operation == Reduction.SUM) {
                return ZERO;
            }
            boolean greatest = operation == Reduction.MIN;
            return switch (type) {
                case INT -> INTS[greatest ? 1 : 0];
                case LONG -> LONGS[greatest ? 1 : 0];
                default -> greatest ? ALL_ONES : ZERO; // unsigned, of either width
            };
        }

        private static byte[] fill(long value) {
            ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.nativeOrder());
            while (block.hasRemaining()) {
                block.putLong(value);
            }
            return block.array();
        }
    }
}
