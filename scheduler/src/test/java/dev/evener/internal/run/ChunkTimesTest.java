package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ChunkTimesTest {
    private static Set<Double> sums(DoubleUnaryOperator summand) {
        Random random = new Random(7);
        // what 5,000 jobs have left, from microseconds to hours
        List<Double> left = random.doubles(5_000, 3, 13)
                .mapToObj(exponent -> Math.pow(10, exponent))
                .collect(Collectors.toList());
        Set<Double> sums = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            Collections.shuffle(left, random);
            double sum = 0;
            for (double each : left) {
                sum += summand.applyAsDouble(each);
            }
            sums.add(sum);
        }
        return sums;
    }

    @Test
    void whatALaneHasBeforeItDoesNotDependOnTheOrderOfASet() {
        assertTrue(sums(nanos -> nanos).size() > 1, "else the order of these would not matter anyway");
        assertEquals(1, sums(ChunkTimes::summand).size());
        for (double nanos : Arrays.asList(0.0, 7.9, 1e9 / 3, 1e16 / 3)) {
            assertEquals(nanos, ChunkTimes.summand(nanos), 8);
        }
    }
}
