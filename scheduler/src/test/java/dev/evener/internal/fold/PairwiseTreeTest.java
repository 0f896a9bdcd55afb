package dev.evener.internal.fold;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Access.Reduction;
import dev.evener.ElementType;
import dev.evener.MadeUpBuffers;
import dev.evener.internal.HostData;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The blocks and strips in which values are read change nothing of the order in which they are combined. */
class PairwiseTreeTest {

    /** Level by level over all units. */
    private static float[] byDefinition(float[][] values, Reduction operation) {
        float[][] level = values;
        while (level.length > 1) {
            float[][] next = new float[(level.length + 1) / 2][];
            for (int i = 0; i < next.length; i++) {
                next[i] = level[2 * i].clone();
                for (int e = 0; e < next[i].length && 2 * i + 1 < level.length; e++) {
                    float a = level[2 * i][e];
                    float b = level[2 * i + 1][e];
                    next[i][e] = switch (operation) {
                        case SUM -> a + b;
                        case MIN -> Math.min(a, b);
                        default -> Math.max(a, b);
                    };
                }
            }
            level = next;
        }
        return level[0];
    }

    @ParameterizedTest
    @EnumSource(names = {"SUM", "MIN", "MAX"})
    void blocksAndStripsKeepTheOrder(Reduction operation) {
        Random random = new Random(7);
        for (int elements : List.of(1, 2, 3, 100, 4095, 4096, 4097, 8192, 8193, 20_000)) {
            for (int units : List.of(1, 2, 3, 5, 8, 100, 8191, 8192, 8193, 50_001)) {
                if ((long) units * elements > 400_000) {
                    continue;
                }
                float[][] values = new float[units][elements];
                HostData parts = MadeUpBuffers.of(ElementType.FLOAT, (long) units * elements);
                for (int u = 0; u < units; u++) {
                    for (int e = 0; e < elements; e++) {
                        values[u][e] = (random.nextFloat() - 0.5f) * (float) Math.pow(10, random.nextInt(9) - 4);
                    }
                    parts.floats().put(u * elements, values[u]);
                }
                HostData target = MadeUpBuffers.of(ElementType.FLOAT, elements);
                PairwiseTree.fold(parts, units, elements, operation, target.all());
                float[] expected = byDefinition(values, operation);
                for (int e = 0; e < elements; e++) {
                    assertEquals(
                            Float.floatToIntBits(expected[e]),
                            Float.floatToIntBits(target.floats().get(e)),
                            elements + " elements of " + units + " units, element " + e);
                }
            }
        }
    }

    @Test
    void partsMayBeLongerThanTheUnitsNeed() {
        HostData parts = MadeUpBuffers.of(ElementType.DOUBLE, 10);
        for (int i = 0; i < 10; i++) {
            parts.bytes().putDouble(8 * i, 1 << i);
        }
        HostData target = MadeUpBuffers.of(ElementType.DOUBLE, 2);
        PairwiseTree.fold(parts, 3, 2, Reduction.SUM, target.all());
        assertEquals(1 + 4 + 16, target.bytes().getDouble(0));
        assertEquals(2 + 8 + 32, target.bytes().getDouble(8));
    }

    @Test
    void ofNoUnitsItIsTheIdentity() {
        HostData parts = MadeUpBuffers.of(ElementType.FLOAT, 0);
        HostData target = MadeUpBuffers.of(ElementType.FLOAT, 9000);
        PairwiseTree.fold(parts, 0, 9000, Reduction.MIN, target.all());
        assertEquals(Float.POSITIVE_INFINITY, target.floats().get(8999));
        PairwiseTree.fold(parts, 0, 9000, Reduction.MAX, target.all());
        assertEquals(Float.NEGATIVE_INFINITY, target.floats().get(0));
        PairwiseTree.fold(parts, 0, 9000, Reduction.SUM, target.all());
        assertEquals(0f, target.floats().get(8192));
    }
}
