package dev.evener.kernels.compact;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.HostBuffer;
import dev.evener.TestBuffers;
import dev.evener.kernels.GpuForms;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CompactTest {
    private static final List<Policy> POLICIES = List.of(Policies.single(0), Policies.fixed(0.37, 0.63));

    @Test
    void everyComparisonOfEveryType() {
        try (Evener jvm = open("jvm")) {
            for (Comparison comparison : Comparison.values()) {
                for (ElementType type :
                        List.of(ElementType.INT, ElementType.UINT, ElementType.FLOAT, ElementType.LONG)) {
                    CompactCase one = new CompactCase(type, comparison, 0.4, 10_001, false, false);
                    one.check(one.run(jvm, Policies.single()));
                }
            }
        }
        // The other comparisons and types are in the conformance suite; each takes a second to build.
        try (Evener evener = open("0.0,jvm")) {
            for (Policy policy : POLICIES) {
                for (CompactCase one : List.of(
                        new CompactCase(ElementType.FLOAT, Comparison.LESS_OR_EQUAL, 0.4, 10_001, false, false),
                        new CompactCase(ElementType.INT, Comparison.EQUAL, 0.4, 10_001, false, false),
                        new CompactCase(ElementType.UINT, Comparison.GREATER, 0.4, 10_001, false, false))) {
                    one.check(one.run(evener, policy));
                }
            }
        }
    }

    @Test
    void theFormForOtherDevices() {
        GpuForms.check(List.of(
                new CompactCase(ElementType.LONG, Comparison.LESS, 0.5, 50_001, false, true),
                new CompactCase(ElementType.INT, null, 0.5, 50_001, true, true)));
    }

    @Test
    void plainMemory() {
        int[] numbers = new Random(1).ints(20_000).toArray();
        try (Evener evener = open("0.0,0.1")) {
            ByteBuffer in = aligned(numbers.length * Integer.BYTES);
            ByteBuffer out = aligned(numbers.length * Integer.BYTES);
            in.asIntBuffer().put(numbers);
            try (HostBuffer from = evener.wrap(ElementType.INT, in);
                    HostBuffer to = evener.wrap(ElementType.INT, out);
                    HostBuffer count = evener.allocate(ElementType.ULONG, 1)) {
                Compact.values(evener, Selection.where(Comparison.LESS, -5), from, to, count);
                int[] output = new int[(int) count.bytes().getLong(0)];
                out.asIntBuffer().get(output);
                assertArrayEquals(IntStream.of(numbers).filter(x -> x < -5).toArray(), output);
            }
        }
    }

    private static ByteBuffer aligned(int bytes) {
        return ByteBuffer.allocateDirect(bytes + 2 * 4096)
                .alignedSlice(4096)
                .slice(0, bytes)
                .order(ByteOrder.nativeOrder());
    }

    @Test
    void anOutputThatIsTooSmallIsSaidToBe() {
        for (int n : new int[] {100, Compact.TILE + 1, 3 * Compact.TILE}) {
            try (Evener evener = open("0.0,0.1");
                    HostBuffer in = evener.allocate(ElementType.INT, n);
                    HostBuffer out = evener.allocate(ElementType.INT, n - 1);
                    HostBuffer count = evener.allocate(ElementType.UINT, 1)) {
                EvenerException failure = assertThrows(
                        EvenerException.class,
                        () -> Compact.values(evener, Selection.where(Comparison.EQUAL, 0), in, out, count));
                assertTrue(failure.getMessage().contains("holds " + (n - 1)), failure.getMessage());
                assertEquals(n, count.ints().get(0));
                // What is kept decides, not what there is.
                in.ints().put(n - 1, 5);
                Compact.values(evener, Selection.where(Comparison.EQUAL, 0), in, out, count);
                assertEquals(n - 1, count.ints().get(0));
                int[] output = new int[n - 1];
                out.ints().get(output);
                assertEquals(0, Arrays.stream(output).sum());
            }
        }
    }

    @Test
    void wrongArgumentsAreRefused() {
        HostBuffer in = TestBuffers.allocate(ElementType.INT, 10);
        HostBuffer out = TestBuffers.allocate(ElementType.INT, 10);
        HostBuffer count = TestBuffers.allocate(ElementType.UINT, 1);
        Selection positive = Selection.where(Comparison.GREATER, 0);
        refused("one buffer is given", () -> Compact.valuesJob(positive, in, in, count));
        refused(
                "must hold int, not float",
                () -> Compact.valuesJob(positive, in, TestBuffers.allocate(ElementType.FLOAT, 10), count));
        refused(
                "must hold int or uint or float or long, not short",
                () -> Compact.valuesJob(positive, TestBuffers.allocate(ElementType.SHORT, 10), out, count));
        refused(
                "count buffer must have one element, not 2",
                () -> Compact.valuesJob(positive, in, out, TestBuffers.allocate(ElementType.UINT, 2)));
        refused(
                "count buffer must hold uint or ulong, not int",
                () -> Compact.valuesJob(positive, in, out, TestBuffers.allocate(ElementType.INT, 1)));
        refused("output buffer must hold uint, not int", () -> Compact.indicesJob(positive, in, out, count));
        refused(
                "constant 0.5 is no value of int",
                () -> Compact.valuesJob(Selection.where(Comparison.LESS, 0.5), in, out, count));
        refused(
                "constant 4294967296 is no value of int",
                () -> Compact.valuesJob(Selection.where(Comparison.LESS, 1L << 32), in, out, count));
        refused(
                "flags buffer has 9 elements, 10 are needed",
                () -> Compact.valuesJob(Selection.flagged(TestBuffers.allocate(ElementType.UBYTE, 9)), in, out, count));
        refused(
                "flags buffer must hold uchar or char, not int",
                () -> Compact.valuesJob(Selection.flagged(TestBuffers.allocate(ElementType.INT, 10)), in, out, count));
        assertEquals(0, Compact.valuesJob(positive, in, out, count).units());
    }
}
