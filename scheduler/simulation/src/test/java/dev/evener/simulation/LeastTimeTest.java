package dev.evener.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeastTimeTest {
    /** The same as going through all of them, at any number, with equal times and with none. */
    @Test
    void theFirstIsTheLowestOfTheLeast() {
        Random random = new Random(3);
        for (int count = 1; count < 70; count++) {
            LeastTime times = new LeastTime(count);
            long[] all = new long[count];
            Arrays.fill(all, Long.MAX_VALUE);
            assertEquals(0, times.first());
            for (int i = 0; i < 300; i++) {
                int number = random.nextInt(count);
                all[number] = random.nextInt(4) == 0 ? Long.MAX_VALUE : random.nextInt(20) - 5;
                times.set(number, all[number]);
                int least = 0;
                for (int other = 1; other < count; other++) {
                    least = all[other] < all[least] ? other : least;
                }
                assertEquals(least, times.first(), count + " times");
                assertEquals(all[least], times.get(least));
            }
        }
    }
}
