package dev.evener.kernels.reduce;

import static dev.evener.kernels.Refusals.refused;
import static dev.evener.kernels.TestBed.open;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.ElementType;
import dev.evener.Evener;
import dev.evener.HostBuffer;
import dev.evener.kernels.GpuForms;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Plain calls, refusals, and the form for other devices than CPUs. */
class ReduceTest {
    @Test
    void theFormForOtherDevicesGivesTheSame() {
        GpuForms.check(ReduceCase.all(true));
    }

    @Test
    void plainCallsAgreeWithStreams() {
        int n = 300_001;
        try (Evener evener = open("0.0,0.1")) {
            HostBuffer input = evener.allocate(ElementType.INT, n);
            IntBuffer ints = input.ints();
            for (int i = 0; i < n; i++) {
                ints.put(i, (i * 7919) ^ (i << 13));
            }
            assertEquals(
                    IntStream.range(0, n).mapToLong(ints::get).sum(), Reduce.of(evener, Operation.WIDE_SUM, input));
            assertEquals(IntStream.range(0, n).map(ints::get).sum(), Reduce.of(evener, Operation.SUM, input));
            assertEquals(
                    IntStream.range(0, n).map(ints::get).max().getAsInt(), Reduce.of(evener, Operation.MAX, input));
            long least = (Long) Reduce.of(evener, Operation.ARG_MIN, input);
            assertEquals(IntStream.range(0, n).map(ints::get).min().getAsInt(), ints.get((int) least));
        }
    }

    @Test
    void memoryOfTheCallersOwn() {
        ByteBuffer memory = ByteBuffer.allocateDirect(400_000 + 8192)
                .alignedSlice(4096)
                .limit(400_000)
                .order(ByteOrder.nativeOrder());
        memory.putFloat(4 * 77_777, -1f);
        try (Evener evener = open("0.0");
                HostBuffer floats = evener.wrap(ElementType.FLOAT, memory);
                HostBuffer bytes = evener.wrap(ElementType.UBYTE, memory)) {
            assertEquals(77_777L, Reduce.of(evener, Operation.ARG_MIN, floats));
            assertEquals(-1f, Reduce.of(evener, Operation.SUM, floats));
            refused("heap", () -> evener.wrap(ElementType.INT, ByteBuffer.allocate(40)));
            refused("not uchar", () -> Reduce.of(evener, Operation.SUM, bytes));
        }
    }

    @Test
    void aPartOfTheInputAndABufferInUseAgain() {
        try (Evener evener = open("0.0");
                Reduce reduce = new Reduce(evener::allocate)) {
            HostBuffer input = evener.allocate(ElementType.INT, 200_000);
            HostBuffer sum = evener.allocate(ElementType.INT, 3);
            for (int i = 0; i < 200_000; i++) {
                input.ints().put(i, 1);
            }
            sum.ints().put(1, 77);
            for (int elements : new int[] {200_000, 50_000, 0, 16_384, 199_999}) {
                evener.submit(reduce.job(Operation.SUM, input, elements, sum)).join();
                assertEquals(elements, sum.ints().get(0));
                assertEquals(77, sum.ints().get(1));
            }
        }
    }

    @Test
    void partsCombinedAreTheWhole() {
        int n = 11 * Reduce.TILE + 100;
        try (Evener evener = open("jvm")) {
            for (ElementType type : List.of(ElementType.INT, ElementType.UINT, ElementType.LONG, ElementType.FLOAT)) {
                HostBuffer all = evener.allocate(type, n);
                Random random = new Random(type.name().hashCode());
                for (int i = 0; i < n; i++) {
                    switch (type) {
                        case LONG -> all.longs().put(i, random.nextLong());
                        case FLOAT -> all.floats().put(i, random.nextInt(-1000, 1000) * 1.1f);
                        default -> all.ints().put(i, random.nextInt());
                    }
                }
                for (Operation operation : List.of(Operation.SUM, Operation.WIDE_SUM, Operation.MIN, Operation.MAX)) {
                    if (operation == Operation.WIDE_SUM && type != ElementType.INT && type != ElementType.UINT) {
                        continue;
                    }
                    for (int part : new int[] {Reduce.TILE, 4 * Reduce.TILE, 16 * Reduce.TILE}) {
                        List<Number> results = new ArrayList<>();
                        for (int first = 0; first < n; first += part) {
                            int count = Math.min(part, n - first);
                            HostBuffer one = evener.allocate(type, count);
                            one.bytes().put(all.bytes((long) first * type.bytes(), count * type.bytes()));
                            results.add(Reduce.of(evener, operation, one));
                        }
                        assertEquals(
                                Reduce.of(evener, operation, all),
                                Reduce.combine(operation, type, results),
                                operation + " of " + type + " by " + part);
                    }
                    HostBuffer none = evener.allocate(type, 0);
                    assertEquals(Reduce.of(evener, operation, none), Reduce.combine(operation, type, List.of()));
                }
            }
        }
        float nan = Float.intBitsToFloat(0xffc12345);
        for (Operation operation : List.of(Operation.SUM, Operation.MIN, Operation.MAX)) {
            Number combined = Reduce.combine(operation, ElementType.FLOAT, List.of(1f, nan, Float.NEGATIVE_INFINITY));
            assertEquals(0x7fc00000, Float.floatToRawIntBits((Float) combined));
        }
        assertEquals(-0f, Reduce.combine(Operation.MIN, ElementType.FLOAT, List.of(0f, -0f)));
        refused("combine MIN of the parts", () -> Reduce.combine(Operation.ARG_MIN, ElementType.INT, List.of()));
    }

    @Test
    void whatIsWrongIsRefused() {
        try (Evener evener = open("jvm");
                Reduce reduce = new Reduce(evener::allocate)) {
            HostBuffer ints = evener.allocate(ElementType.INT, 10);
            HostBuffer floats = evener.allocate(ElementType.FLOAT, 10);
            HostBuffer bytes = evener.allocate(ElementType.UBYTE, 10);
            HostBuffer none = evener.allocate(ElementType.INT, 0);
            refused("not uchar", () -> reduce.job(Operation.SUM, bytes, ints));
            refused("a wide sum needs int or uint", () -> reduce.job(Operation.WIDE_SUM, floats, ints));
            refused("must hold long, not int", () -> reduce.job(Operation.ARG_MAX, floats, ints));
            refused("must hold int, not float", () -> reduce.job(Operation.MIN, ints, floats));
            refused("one buffer is given", () -> reduce.job(Operation.SUM, ints, ints));
            refused("has 0 elements, 1 are needed", () -> reduce.job(Operation.SUM, ints, none));
            refused(
                    "11 elements are asked for, but the input buffer has 10",
                    () -> reduce.job(Operation.SUM, ints, 11, none));
            refused("-1 elements", () -> reduce.job(Operation.SUM, ints, -1, none));
        }
    }
}
