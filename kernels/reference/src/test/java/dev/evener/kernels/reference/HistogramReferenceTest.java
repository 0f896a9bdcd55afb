package dev.evener.kernels.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.kernels.histogram.Bins;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Guards against a bin that the reference finds by rounded numbers where only exact ones can tell. */
class HistogramReferenceTest {
    @Test
    void aboutEveryEdgeTheBinIsThatOfExactNumbers() {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            float low = (random.nextFloat() - 0.5f) * (1 << random.nextInt(20));
            float high = low + Math.max(Math.ulp(low) * 100, random.nextFloat() * (1 << random.nextInt(20)));
            int count = 1 + random.nextInt(round % 2 == 0 ? 10 : 60_000);
            Bins bins = Bins.even(count, low, high);
            for (int i = 0; i < 40; i++) {
                float edge = (float) (low + (double) random.nextInt(count + 1) * (high - low) / count);
                for (float value : new float[] {Math.nextDown(edge), edge, Math.nextUp(edge)}) {
                    assertEquals(exact(value, count, low, high), HistogramReference.bin(bins, value));
                }
            }
        }
    }

    private static int exact(float value, int count, float low, float high) {
        if (value < low || value >= high) {
            return -1;
        }
        BigDecimal from = new BigDecimal(low);
        return new BigDecimal(value)
                .subtract(from)
                .multiply(BigDecimal.valueOf(count))
                .divideToIntegralValue(new BigDecimal(high).subtract(from))
                .intValue();
    }
}
