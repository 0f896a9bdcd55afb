package dev.evener.workloads.workload;

import dev.evener.ElementType;
import dev.evener.HostBuffer;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/**
 * A sequence of synthetic 64-bit numbers, and values of any type from them. Any of them can be computed by itself, and they
 * are the same on every machine: they come from a seed and a position, by the finaliser of SplitMix64 (Steele, Lea and
 * Flood, "Fast splittable pseudorandom number generators", 2014). Every value grows with the number it is made from, taken
 * as unsigned, so that a distribution is the same for all types. Immutable.
 */
public final class SyntheticData {
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /** A common value's place in {@link #bits}, which no element has. */
    private static final long COMMON = -1;

    private static final int COMMON_OF_TEN = 9;

    /** Elements that one thread fills at once. */
    private static final int BLOCK = 1 << 18;

    private final Distribution distribution;
    private final long seed;
    private final long common;
    private final long step;

    /**
     * @param count how many there are: what is sorted spreads over them
     * @param seed equal seeds make equal numbers
     */
    SyntheticData(Distribution distribution, long count, long seed) {
        this.distribution = distribution;
        this.seed = seed;
        this.common = bits(seed, COMMON);
        this.step = count < 2 ? Long.MAX_VALUE : Long.divideUnsigned(-1, count);
    }

    /** 64 random bits. */
    public static long bits(long seed, long position) {
        long z = seed + (position + 1) * GOLDEN;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /** The number at a position, from 0. */
    public long at(long position) {
        return switch (distribution) {
            case UNIFORM -> bits(seed, position);
            case CONSTANT -> common;
            // Somewhere in the lower half of its own step.
            case SORTED -> position * step + Math.multiplyHigh(bits(seed, position) >>> 1, step);
            case SKEWED -> {
                long bits = bits(seed, position);
                yield Long.remainderUnsigned(bits, 10) < COMMON_OF_TEN ? common : bits;
            }
        };
    }

    /** A float in [0, 1), one of 2^24. */
    static float unit(long draw) {
        return (draw >>> 40) * 0x1p-24f;
    }

    /** A double in [0, 1), one of 2^53. */
    public static double unitDouble(long draw) {
        return (draw >>> 11) * 0x1p-53;
    }

    /** Fills a buffer: integers over the whole range of their type, floating-point numbers in [0, 1). */
    void fill(HostBuffer target) {
        long position = 0;
        for (ByteBuffer segment : target.segments()) {
            fill(segment, target.type(), position);
            position += segment.limit() / target.type().bytes();
        }
    }

    /** Fills a buffer with {@code from}, {@code from + step} and so on, as values of its type. */
    static void line(HostBuffer target, double from, double step) {
        long position = 0;
        for (ByteBuffer segment : target.segments()) {
            int size = target.type().bytes();
            for (int at = 0; at < segment.limit(); at += size) {
                double value = from + position++ * step;
                switch (target.type()) {
                    case BYTE, UBYTE -> segment.put(at, (byte) (long) value);
                    case SHORT, USHORT -> segment.putShort(at, (short) (long) value);
                    case INT, UINT -> segment.putInt(at, (int) (long) value);
                    case LONG, ULONG -> segment.putLong(at, (long) value);
                    case FLOAT -> segment.putFloat(at, (float) value);
                    case DOUBLE -> segment.putDouble(at, value);
                }
            }
        }
    }

    /**
     * Fills from the buffer's start to its limit, beginning with the number at {@code first}; on all cores, since a page that is
     * written for the first time takes long.
     */
    void fill(ByteBuffer target, ElementType type, long first) {
        int count = target.limit() / type.bytes();
        IntStream.range(0, (int) ((count + BLOCK - 1L) / BLOCK)).parallel().forEach(block -> {
            int from = block * BLOCK;
            fill(target, type, first, from, Math.min(count, from + BLOCK));
        });
    }

    private void fill(ByteBuffer target, ElementType type, long first, int from, int to) {
        // A signed type's least value comes from the least number.
        long flip = switch (type) {
            case BYTE, SHORT, INT, LONG -> Long.MIN_VALUE;
            default -> 0;
        };
        for (int i = from; i < to; i++) {
            long draw = at(first + i);
            switch (type) {
                case BYTE, UBYTE -> target.put(i, (byte) ((draw ^ flip) >> 56));
                case SHORT, USHORT -> target.putShort(2 * i, (short) ((draw ^ flip) >> 48));
                case INT, UINT -> target.putInt(4 * i, (int) ((draw ^ flip) >> 32));
                case LONG, ULONG -> target.putLong(8 * i, draw ^ flip);
                case FLOAT -> target.putFloat(4 * i, unit(draw));
                case DOUBLE -> target.putDouble(8 * i, unitDouble(draw));
            }
        }
    }
}
