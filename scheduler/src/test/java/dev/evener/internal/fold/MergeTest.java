package dev.evener.internal.fold;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access;
import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.HostBuffer;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.LogicalBuffer;
import dev.evener.internal.job.Argument;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Merging against the plainest reference there is, at every pair of edge values and at random ones. */
class MergeTest {
    private static final long[] EDGES = {
        0,
        1,
        -1,
        2,
        -2,
        0x7F,
        0x80,
        0xFF,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        0xFFFFFFFFL,
        0x100000000L,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MAX_VALUE - 1,
        Long.MIN_VALUE + 1
    };

    static Stream<Arguments> all() {
        return Arrays.stream(ElementType.values())
                .filter(type -> !type.isFloating())
                .flatMap(type -> Arrays.stream(Reduction.values()).map(operation -> Arguments.of(type, operation)));
    }

    /** Of more elements than a block has, whatever their size. */
    @ParameterizedTest
    @MethodSource("all")
    void mergesLikeTheReference(ElementType type, Reduction operation) {
        Random random = new Random(1);
        int n = EDGES.length * EDGES.length + 10_000;
        ByteBuffer target = buffer(type, n);
        ByteBuffer partial = buffer(type, n);
        long[] a = new long[n];
        long[] b = new long[n];
        for (int i = 0; i < n; i++) {
            a[i] = i < EDGES.length * EDGES.length ? EDGES[i / EDGES.length] : random.nextLong();
            b[i] = i < EDGES.length * EDGES.length ? EDGES[i % EDGES.length] : random.nextLong();
            put(target, type, i, a[i]);
            put(partial, type, i, b[i]);
        }
        Merge.into(target, partial, type, operation);
        for (int i = 0; i < n; i++) {
            long expected = reference(read(type, a[i]), read(type, b[i]), type, operation);
            assertEquals(read(type, expected), get(target, type, i), a[i] + " and " + b[i]);
            assertEquals(read(type, b[i]), get(partial, type, i), "the partial must stay as it is");
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void theIdentityChangesNothing(ElementType type, Reduction operation) {
        ByteBuffer values = buffer(type, EDGES.length);
        ByteBuffer identity = buffer(type, EDGES.length);
        Merge.fillIdentity(identity, type, operation);
        for (int i = 0; i < EDGES.length; i++) {
            put(values, type, i, EDGES[i]);
        }
        Merge.into(values, identity, type, operation);
        Merge.into(identity, values, type, operation);
        for (int i = 0; i < EDGES.length; i++) {
            boolean flag = operation == Reduction.ANY || operation == Reduction.ALL;
            long same = flag && read(type, EDGES[i]) != 0 ? 1 : read(type, EDGES[i]);
            assertEquals(same, get(values, type, i));
            assertEquals(same, get(identity, type, i));
        }
    }

    /** What a buffer held counts once, however many devices add to it: of sums and exclusive ors they must not begin with it. */
    @ParameterizedTest
    @MethodSource("all")
    void whatWasThereCountsOnce(ElementType type, Reduction operation) {
        HostBuffer held = MadeUpBuffers.of(type, EDGES.length);
        Argument.Buffer of =
                new Argument.Buffer(LogicalBuffer.Range.of(held), new Access.Reduce(operation, true), true, true);
        ByteBuffer values = held.bytes();
        long[] expected = new long[EDGES.length];
        for (int i = 0; i < EDGES.length; i++) {
            put(values, type, i, EDGES[i]);
            expected[i] = read(type, EDGES[i]);
        }
        Random random = new Random(2);
        List<ByteBuffer> partials = new ArrayList<>();
        for (int device = 0; device < 3; device++) {
            ByteBuffer partial = buffer(type, EDGES.length);
            Merge.begin(partial, of);
            for (int i = 0; i < EDGES.length; i++) {
                long value = random.nextLong();
                long both = reference(get(partial, type, i), read(type, value), type, operation);
                put(partial, type, i, both);
                expected[i] = read(type, reference(expected[i], read(type, value), type, operation));
            }
            partials.add(partial);
        }
        partials.forEach(partial -> Merge.into(values, partial, type, operation));
        for (int i = 0; i < EDGES.length; i++) {
            assertEquals(expected[i], get(values, type, i), "element " + i);
        }
    }

    @ParameterizedTest
    @CsvSource({"INT", "ULONG"})
    void nothingBeyondTheLimitIsTouched(ElementType type) {
        ByteBuffer target = buffer(type, 4);
        ByteBuffer partial = buffer(type, 4);
        for (int i = 0; i < 4; i++) {
            put(target, type, i, 7);
            put(partial, type, i, 100);
        }
        target.limit(2 * type.bytes());
        Merge.into(target, partial, type, Reduction.SUM);
        target.limit(4 * type.bytes());
        assertEquals(107, get(target, type, 1));
        assertEquals(7, get(target, type, 2));
        target.limit(2 * type.bytes());
        Merge.fillIdentity(target, type, Reduction.SUM);
        target.limit(4 * type.bytes());
        assertEquals(0, get(target, type, 1));
        assertEquals(7, get(target, type, 2));
        target.limit(0);
        Merge.fillIdentity(target, type, Reduction.MIN);
        Merge.into(target, partial, type, Reduction.MAX);
    }

    /** Values of narrower types arrive sign- or zero-extended, whichever the type says. */
    private static long reference(long a, long b, ElementType type, Reduction operation) {
        boolean less = type == ElementType.ULONG ? Long.compareUnsigned(a, b) < 0 : a < b;
        return switch (operation) {
            case SUM -> a + b;
            case MIN -> less ? a : b;
            case MAX -> less ? b : a;
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
            case ANY -> a != 0 || b != 0 ? 1 : 0;
            case ALL -> a == 0 || b == 0 ? 0 : 1;
        };
    }

    private static ByteBuffer buffer(ElementType type, int elements) {
        return ByteBuffer.allocate(elements * type.bytes()).order(ByteOrder.nativeOrder());
    }

    private static void put(ByteBuffer buffer, ElementType type, int index, long value) {
        switch (type.bytes()) {
            case 1 -> buffer.put(index, (byte) value);
            case 2 -> buffer.putShort(index * 2, (short) value);
            case 4 -> buffer.putInt(index * 4, (int) value);
            default -> buffer.putLong(index * 8, value);
        }
    }

    private static long get(ByteBuffer buffer, ElementType type, int index) {
        return switch (type.bytes()) {
            case 1 -> read(type, buffer.get(index));
            case 2 -> read(type, buffer.getShort(index * 2));
            case 4 -> read(type, buffer.getInt(index * 4));
            default -> buffer.getLong(index * 8);
        };
    }

    /** What is left of a value in a type. */
    private static long read(ElementType type, long value) {
        return switch (type) {
            case BYTE -> (byte) value;
            case UBYTE -> value & 0xFF;
            case SHORT -> (short) value;
            case USHORT -> value & 0xFFFF;
            case INT -> (int) value;
            case UINT -> value & 0xFFFFFFFFL;
            default -> value;
        };
    }
}
