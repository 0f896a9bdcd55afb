package dev.evener.internal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    /** Has what is to be run again and again run by the test. */
    private static final class ByHand implements Watchdog {
        private final List<Duration> periods = new ArrayList<>();
        private Runnable look = () -> {};

        @Override
        public @Nullable Future<?> after(Duration delay, Runnable task) {
            throw new AssertionError("once, after " + delay);
        }

        @Override
        public @Nullable Future<?> every(Duration period, Runnable task) {
            periods.add(period);
            look = task;
            return null;
        }

        @Override
        public void close() {}
    }

    /** Not one look early, nor again with each look after: who is past a limit is told of once. */
    @Test
    void aLimitIsPastOnceWhenAllLooksWereTaken() {
        ByHand watchdog = new ByHand();
        List<Integer> past = new ArrayList<>();
        int[] looks = {0};
        Future<?> unused = watchdog.afterLooks(Duration.ofSeconds(16), () -> past.add(looks[0]));
        while (looks[0] < 3 * Looks.COUNT) {
            looks[0]++;
            watchdog.look.run();
        }
        assertEquals(List.of(Looks.COUNT), past);
        assertEquals(List.of(Duration.ofSeconds(16).dividedBy(Looks.COUNT)), watchdog.periods);
    }
}
