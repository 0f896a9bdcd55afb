package dev.evener.kernels.histogram;

import dev.evener.ElementType;
import dev.evener.JvmKernel;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The Java form of {@code histogram}: argument 0 the elements, 1 the counts. Stateless but for what it was made with; run by
 * several threads at once.
 */
final class HistogramJvm {
    private final ElementType data;
    private final ElementType counts;
    private final Bins bins;
    private final Method method;

    HistogramJvm(ElementType data, ElementType counts, Bins bins, Method method) {
        this.data = data;
        this.counts = counts;
        this.bins = bins;
        this.method = method;
    }

    void run(JvmKernel.Chunk chunk) {
        ByteBuffer in = chunk.buffer(0);
        int units = chunk.units();
        int[] table = new int[method.counted() + 1]; // the last for what is outside
        IntUnaryOperator binOf = binOf();
        switch (data) {
            case UBYTE -> {
                for (int i = 0; i < units; i++) {
                    table[in.get(i) & 0xff]++;
                }
            }
            case USHORT -> {
                for (int i = 0; i < units; i++) {
                    table[binOf.applyAsInt(in.getShort(i * Short.BYTES) & 0xffff)]++;
                }
            }
            default -> {
                for (int i = 0; i < units; i++) {
                    table[binOf.applyAsInt(in.getInt(i * Integer.BYTES))]++;
                }
            }
        }
        ByteBuffer out = chunk.buffer(1);
        for (int bin = 0; bin < method.counted(); bin++) {
            add(out, counts, bin, table[bin]);
        }
    }

    /** Adds to one of the counts. */
    static void add(ByteBuffer counts, ElementType type, int bin, int count) {
        int at = bin * type.bytes();
        if (type == ElementType.ULONG) {
            counts.putLong(at, counts.getLong(at) + count);
        } else {
            counts.putInt(at, counts.getInt(at) + count);
        }
    }

    /** From an element's value or bits to its bin, or to one more than there are. */
    private IntUnaryOperator binOf() {
        int outside = method.counted();
        boolean signed = data == ElementType.INT;
        return switch (method.way()) {
            case RAW -> value -> value;
            case SCALED, DIVIDED -> {
                Bins.EvenIntegers even = (Bins.EvenIntegers) bins;
                long low = even.low();
                long range = even.high() - low;
                long count = even.count();
                yield value -> {
                    long x = (signed ? value : Integer.toUnsignedLong(value)) - low;
                    return x >= 0 && x < range ? (int) (x * count / range) : outside;
                };
            }
            case SEARCH, GUESS -> {
                boolean floats = data == ElementType.FLOAT;
                int[] edges = method.edges();
                long first = method.low();
                long last = first + Integer.toUnsignedLong(method.last());
                yield bits -> {
                    int key = floats ? FloatEdges.key(bits) : signed ? bits : bits ^ Integer.MIN_VALUE;
                    return key >= first && key <= last ? search(edges, key) : outside;
                };
            }
        };
    }

    /** The last edge that is not above the key. */
    private static int search(int[] edges, int key) {
        int at = Arrays.binarySearch(edges, key);
        if (at < 0) {
            return -at - 2;
        }
        while (at + 1 < edges.length && edges[at + 1] == key) {
            at++;
        }
        return at;
    }
}
