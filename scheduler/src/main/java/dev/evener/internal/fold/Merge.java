package dev.evener.internal.fold;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.internal.job.Argument;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

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
        int block = Math.min(BLOCK, type.bytes() * scratch.ints.length); // of narrow types as many as there are ints
        for (int at = 0; at < bytes; at += block) {
            int length = Math.min(block, bytes - at);
            ByteBuffer to = slice(target, at, length);
            ByteBuffer from = slice(partial, at, length);
            int count = length / type.bytes();
            if (type.bytes() == Long.BYTES) {
                to.asLongBuffer().get(scratch.longs, 0, count);
                from.asLongBuffer().get(scratch.otherLongs, 0, count);
                combine(scratch.longs, scratch.otherLongs, count, type, operation);
                to.asLongBuffer().put(scratch.longs, 0, count);
            } else if (type.bytes() == Integer.BYTES) {
                to.asIntBuffer().get(scratch.ints, 0, count);
                from.asIntBuffer().get(scratch.otherInts, 0, count);
                combine(scratch.ints, scratch.otherInts, count, type, operation);
                to.asIntBuffer().put(scratch.ints, 0, count);
            } else {
                widen(to, scratch.ints, count, type);
                widen(from, scratch.otherInts, count, type);
                combine(scratch.ints, scratch.otherInts, count, type, operation);
                for (int i = 0; i < count; i++) {
                    if (type.bytes() == 1) {
                        to.put(i, (byte) scratch.ints[i]);
                    } else {
                        to.putShort(2 * i, (short) scratch.ints[i]);
                    }
                }
            }
        }
    }

    private static void widen(ByteBuffer from, int[] to, int count, ElementType type) {
        int mask = type == ElementType.UBYTE ? 0xFF : type == ElementType.USHORT ? 0xFFFF : -1;
        for (int i = 0; i < count; i++) {
            to[i] = (type.bytes() == 1 ? from.get(i) : from.getShort(2 * i)) & mask;
        }
    }

    /** Has a partial begin with the operation's identity, or, where kernels see that, with what the buffer held before the phase. */
    public static void begin(ByteBuffer partial, Argument.Buffer of) {
        Access.Reduce access = Objects.requireNonNull(of.reduction(), "no reduction");
        if (access.keeps() && access.operation() != Reduction.SUM && access.operation() != Reduction.XOR) {
            copy(partial, of.range().part());
        } else {
            fillIdentity(partial, of.buffer().type(), access.operation());
        }
    }

    private static ByteBuffer slice(ByteBuffer buffer, int at, int length) {
        return buffer.slice(at, length).order(ByteOrder.nativeOrder());
    }

    private static void combine(int[] a, int[] b, int count, ElementType type, Reduction operation) {
        // Unsigned order is signed order with the sign bit turned over.
        int flip = type == ElementType.UINT ? Integer.MIN_VALUE : 0;
        for (int i = 0; i < count; i++) {
            a[i] = switch (operation) {
                case SUM -> a[i] + b[i];
                case MIN -> (b[i] ^ flip) < (a[i] ^ flip) ? b[i] : a[i];
                case MAX -> (b[i] ^ flip) < (a[i] ^ flip) ? a[i] : b[i];
                case AND -> a[i] & b[i];
                case OR -> a[i] | b[i];
                case XOR -> a[i] ^ b[i];
                case ANY -> (a[i] | b[i]) != 0 ? 1 : 0;
                case ALL -> a[i] != 0 && b[i] != 0 ? 1 : 0;
            };
        }
    }

    private static void combine(long[] a, long[] b, int count, ElementType type, Reduction operation) {
        // Unsigned order is signed order with the sign bit turned over.
        long flip = type == ElementType.ULONG ? Long.MIN_VALUE : 0;
        for (int i = 0; i < count; i++) {
            a[i] = switch (operation) {
                case SUM -> a[i] + b[i];
                case MIN -> (b[i] ^ flip) < (a[i] ^ flip) ? b[i] : a[i];
                case MAX -> (b[i] ^ flip) < (a[i] ^ flip) ? a[i] : b[i];
                case AND -> a[i] & b[i];
                case OR -> a[i] | b[i];
                case XOR -> a[i] ^ b[i];
                case ANY -> (a[i] | b[i]) != 0 ? 1 : 0;
                case ALL -> a[i] != 0 && b[i] != 0 ? 1 : 0;
            };
        }
    }

    /** Blocks full of each identity there is, in native order. */
    private static final class Identities {
        private static final Map<ElementType, Map<Reduction, byte[]>> BLOCKS = new ConcurrentHashMap<>();

        static byte[] block(ElementType type, Reduction operation) {
            return BLOCKS.computeIfAbsent(type, t -> new ConcurrentHashMap<>())
                    .computeIfAbsent(operation, o -> fill(type, of(type, o)));
        }

        private static long of(ElementType type, Reduction operation) {
            boolean unsigned = type.openClName().startsWith("u");
            long least = unsigned ? 0 : -1L << (8 * type.bytes() - 1);
            return switch (operation) {
                case SUM, OR, XOR, ANY -> 0;
                case ALL -> 1;
                case AND -> -1;
                case MIN -> unsigned ? -1 : ~least;
                case MAX -> least;
            };
        }

        private static byte[] fill(ElementType type, long value) {
            ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.nativeOrder());
            while (block.hasRemaining()) {
                switch (type.bytes()) {
                    case 1 -> block.put((byte) value);
                    case 2 -> block.putShort((short) value);
                    case 4 -> block.putInt((int) value);
                    default -> block.putLong(value);
                }
            }
            return block.array();
        }
    }
}
