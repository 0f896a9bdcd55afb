package dev.evener.internal.fold;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.evener.ElementType;
import dev.evener.EvenerException;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.HostData;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** However much the units appended: full blocks, empty ones, sparse ones and all between. */
class CompactionTest {

    /** How many elements the units of a run append. */
    private enum Filling {
        NONE {
            @Override
            IntUnaryOperator counts(int most) {
                return unit -> 0;
            }
        },
        FULL {
            @Override
            IntUnaryOperator counts(int most) {
                return unit -> most;
            }
        },
        SPARSE {
            @Override
            IntUnaryOperator counts(int most) {
                return unit -> unit % 57 == 3 ? 1 : 0;
            }
        },
        ANY {
            @Override
            IntUnaryOperator counts(int most) {
                Random random = new Random(3);
                return unit -> random.nextInt(most + 1);
            }
        },
        IN_TURNS {
            @Override
            IntUnaryOperator counts(int most) {
                return unit -> unit / 7000 % 3 == 0 ? most : unit / 7000 % 3 == 1 ? 0 : unit % (most + 1);
            }
        };

        abstract IntUnaryOperator counts(int most);
    }

    @ParameterizedTest
    @EnumSource(Filling.class)
    void whatWasAppendedStandsTogether(Filling filling) {
        for (ElementType type : List.of(ElementType.BYTE, ElementType.SHORT, ElementType.FLOAT, ElementType.DOUBLE)) {
            for (int most : List.of(1, 2, 3, 16, 1000, 70_000)) {
                for (int units : List.of(0, 1, 2, 100, 16_384, 40_000)) {
                    if ((long) units * most <= 150_000) {
                        check(type, most, units, filling.counts(most));
                    }
                }
            }
        }
    }

    private static void check(ElementType type, int most, int units, IntUnaryOperator filled) {
        int size = type.bytes();
        HostData slots = MadeUpBuffers.of(type, (long) units * most);
        HostData counts = MadeUpBuffers.of(ElementType.UINT, units);
        byte[] all = new byte[units * most * size];
        new Random(units).nextBytes(all);
        slots.bytes().put(all);
        byte[] expected = new byte[all.length];
        int total = 0;
        for (int u = 0; u < units; u++) {
            int n = filled.applyAsInt(u);
            counts.ints().put(u, n);
            System.arraycopy(all, u * most * size, expected, total * size, n * size);
            total += n;
        }
        HostData out = MadeUpBuffers.of(type, total + 3);
        byte[] actual = new byte[(total + 3) * size];
        Arrays.fill(actual, (byte) 99);
        out.bytes().put(actual);
        HostData count = MadeUpBuffers.of(ElementType.ULONG, 1);
        new Compaction(0, slots, counts, units, most, out.all()).run(count.all());
        assertEquals(total, count.bytes().getLong(0));
        out.bytes().get(actual);
        String what = units + " units of " + most + " " + type;
        assertArrayEquals(Arrays.copyOf(expected, total * size), Arrays.copyOf(actual, total * size), what);
        byte[] behind = new byte[3 * size];
        Arrays.fill(behind, (byte) 99);
        assertArrayEquals(behind, Arrays.copyOfRange(actual, total * size, actual.length), what);
    }

    @Test
    void aUnitThatCountsTooMuchIsNamed() {
        HostData slots = MadeUpBuffers.of(ElementType.INT, 20_000 * 4);
        HostData counts = MadeUpBuffers.of(ElementType.UINT, 20_000);
        HostData out = MadeUpBuffers.of(ElementType.INT, 20_000 * 4);
        HostData count = MadeUpBuffers.of(ElementType.UINT, 1);
        out.ints().put(0, 7);
        count.ints().put(0, 8);
        counts.ints().put(0, 1);
        for (int wrong : List.of(5, -1)) {
            counts.ints().put(17_001, wrong);
            String message = assertThrows(
                            EvenerException.class,
                            () -> new Compaction(2, slots, counts, 20_000, 4, out.all()).run(count.all()))
                    .getMessage();
            assertEquals(
                    "argument 2: unit 17001 counts " + Integer.toUnsignedString(wrong)
                            + " elements, but a unit may append 4",
                    message);
            assertEquals(7, out.ints().get(0));
            assertEquals(8, count.ints().get(0));
        }
    }

    @Test
    void whatDoesNotFitIsCountedAndLeftAlone() {
        HostData slots = MadeUpBuffers.of(ElementType.INT, 40);
        HostData counts = MadeUpBuffers.of(ElementType.UINT, 10);
        for (int u = 0; u < 10; u++) {
            counts.ints().put(u, 3);
        }
        HostData out = MadeUpBuffers.of(ElementType.INT, 29);
        HostData count = MadeUpBuffers.of(ElementType.UINT, 1);
        out.ints().put(0, 7);
        String message = assertThrows(
                        EvenerException.class,
                        () -> new Compaction(1, slots, counts, 10, 4, out.all()).run(count.all()))
                .getMessage();
        assertEquals(
                "argument 1: 30 elements were appended, but the buffer holds 29; give it room for as many", message);
        assertEquals(30, count.ints().get(0));
        assertEquals(7, out.ints().get(0));
    }

    @Test
    void aCountOfUintHoldsWhatAUintHolds() {
        // Counts alone decide; no results of this size need to be there.
        HostData slots = MadeUpBuffers.of(ElementType.BYTE, 0);
        HostData counts = MadeUpBuffers.of(ElementType.UINT, 2);
        counts.ints().put(0, -1).put(1, 0);
        HostData out = MadeUpBuffers.of(ElementType.BYTE, 0);
        HostData count = MadeUpBuffers.of(ElementType.UINT, 1);
        Compaction compaction = new Compaction(0, slots, counts, 2, 0xFFFFFFFFL, out.all());
        assertThrows(EvenerException.class, () -> compaction.run(count.all()));
        assertEquals(-1, count.ints().get(0));
        counts.ints().put(1, 1);
        String message = assertThrows(EvenerException.class, () -> compaction.run(count.all()))
                .getMessage();
        assertEquals(
                "argument 0: 4294967296 elements were appended, more than their count, a uint, can say; give a count of"
                        + " ulong",
                message);
    }
}
