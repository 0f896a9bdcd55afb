package dev.evener.workloads.workload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.ElementType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Synthetic data: of every type and distribution, and from the seed alone. */
class SyntheticDataTest {
    private static final int COUNT = 4000;

    /** Values in the order of their type. */
    private static double[] values(ElementType type, Distribution distribution, int count, long seed) {
        ByteBuffer buffer = ByteBuffer.allocate(count * type.bytes()).order(ByteOrder.nativeOrder());
        new SyntheticData(distribution, count, seed).fill(buffer, type, 0);
        double[] values = new double[count];
        Arrays.setAll(values, i -> Double.parseDouble(Differences.element(buffer, type, i)));
        return values;
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void uniformValuesFillTheirRange(ElementType type) {
        double[] values = values(type, Distribution.UNIFORM, COUNT, 1);
        double least = type.isFloating() || type.openClName().startsWith("u") ? 0 : -Math.pow(2, 8 * type.bytes() - 1);
        double range = type.isFloating() ? 1 : Math.pow(2, 8 * type.bytes());
        int[] quarters = new int[4];
        for (double value : values) {
            quarters[(int) ((value - least) / range * 4)]++;
        }
        for (int quarter : quarters) {
            assertEquals(COUNT / 4.0, quarter, COUNT / 20.0);
        }
        assertArrayEquals(values, values(type, Distribution.UNIFORM, COUNT, 1));
        assertFalse(Arrays.equals(values, values(type, Distribution.UNIFORM, COUNT, 2)));
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void sortedValuesAscendAndFillTheirRange(ElementType type) {
        for (int count : new int[] {1, 2, 3, 1000, COUNT}) {
            double[] values = values(type, Distribution.SORTED, count, 5);
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            assertArrayEquals(sorted, values);
        }
        double[] values = values(type, Distribution.SORTED, COUNT, 5);
        double range = type.isFloating() ? 1 : Math.pow(2, 8 * type.bytes());
        assertTrue(values[COUNT - 1] - values[0] > 0.99 * range);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void constantValuesAreOneAndSkewedOnesAlmost(ElementType type) {
        assertEquals(
                1,
                Arrays.stream(values(type, Distribution.CONSTANT, COUNT, 3))
                        .distinct()
                        .count());
        Map<Double, Integer> counts = new HashMap<>();
        for (double value : values(type, Distribution.SKEWED, COUNT, 3)) {
            counts.merge(value, 1, Integer::sum);
        }
        assertEquals(0.9 * COUNT, Collections.max(counts.values()), 0.03 * COUNT);
        assertTrue(counts.size() > 100);
    }

    @Test
    void everyElementIsTheNumberOfItsPosition() {
        int count = (1 << 20) + 77;
        long first = 1L << 33;
        ByteBuffer buffer = ByteBuffer.allocateDirect(Long.BYTES * count + 5).order(ByteOrder.nativeOrder());
        SyntheticData draws = new SyntheticData(Distribution.UNIFORM, count, 9);
        draws.fill(buffer, ElementType.ULONG, first);
        for (int i = 0; i < count; i++) {
            assertEquals(draws.at(first + i), buffer.getLong(Long.BYTES * i), "element " + i);
        }
    }

    @Test
    void distributionsHaveNames() {
        assertEquals(Distribution.SKEWED, Distribution.named("Skewed"));
        String message = assertThrows(IllegalArgumentException.class, () -> Distribution.named("normal"))
                .getMessage();
        assertEquals("unknown distribution 'normal': expected one of uniform, constant, sorted, skewed", message);
    }
}
