package dev.evener.internal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.Job;
import dev.evener.MadeUpDevices;
import dev.evener.internal.job.JobSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A device that failed says why it is not back, and once that it is. */
class LaneHealthTest {
    private final DeviceInfo device = MadeUpDevices.cpu("0.0", MadeUpDevices.POCL);

    @Test
    void whatKeepsItAwayIsSaidAndItsReturnOnce() {
        try (Watchdog watchdog = Watchdog.onThread()) {
            LaneHealth health = new LaneHealth(device, watchdog, Duration.ofHours(1));
            health.quarantine("a chunk failed", () -> {});
            assertEquals(Map.of("0.0", "a chunk failed"), of(health).quarantined());
            for (String problem : List.of("its context is dead", "CL_INVALID_COMMAND_QUEUE (-36)\nat a line")) {
                health.probe(
                        () -> {
                            throw new LaneFailure(LaneFailure.Kind.DEVICE, problem);
                        },
                        () -> {});
                String first = problem.lines().findFirst().orElseThrow();
                assertEquals(
                        Map.of("0.0", "a chunk failed; when it was tried again: " + first),
                        of(health).quarantined());
                assertEquals("a chunk failed", health.quarantined());
                assertTrue(of(health).degraded());
            }
            assertNull(health.tellReturn());
            health.probe(() -> {}, () -> {});
            assertNull(health.quarantined());
            assertEquals(new DeviceInfo.Health(List.of(device), Map.of(), List.of(), false), of(health));
            assertEquals("is back; it was quarantined, because a chunk failed", health.tellReturn());
            assertNull(health.tellReturn());
            health.quarantine("it failed again", () -> {});
            assertEquals(Map.of("0.0", "it failed again"), of(health).quarantined());
        }
    }

    /** It is tried out after twice as long each time, at most a minute, however often that fails, and once for each delay. */
    @Test
    void aDeviceThatStaysAwayIsTriedOutEverMoreSeldom() {
        List<Duration> delays = new ArrayList<>();
        Watchdog watchdog = new Watchdog() {
            @Override
            public @Nullable Future<?> after(Duration delay, Runnable task) {
                delays.add(delay);
                return null;
            }

            @Override
            public @Nullable Future<?> every(Duration period, Runnable task) {
                throw new AssertionError("every " + period);
            }

            @Override
            public void close() {}
        };
        LaneHealth health = new LaneHealth(device, watchdog, Duration.ofSeconds(1));
        health.quarantine("a chunk failed", () -> {});
        for (int i = 0; i < 100; i++) {
            health.probe(
                    () -> {
                        throw new LaneFailure(LaneFailure.Kind.DEVICE, "it is gone");
                    },
                    () -> {});
        }
        assertEquals(101, delays.size());
        for (int i = 0; i < delays.size(); i++) {
            assertEquals(Math.min(60, 1L << Math.min(i, 10)), delays.get(i).toSeconds(), "delay " + i);
        }
    }

    @Test
    void whatIsTooLargeForItIsTheLeastThatWas() {
        LaneHealth health = new LaneHealth(device, Watchdog.onThread(), Duration.ofHours(1));
        JobSpec job = JobSpec.of(
                Job.named("large").units(1000).kernel("k").jvm(c -> {}).build());
        JobSpec.Phase phase = job.phases().get(0);
        for (long units : new long[] {500, 200, 800}) {
            health.declareUnfit(phase, units);
        }
        assertTrue(health.cannotRun(phase, 200) && health.cannotRun(phase, 1000));
        assertFalse(health.cannotRun(phase, 199) || health.cannotBuild(job));
        health.declareUnfit(phase, 0);
        assertTrue(health.cannotBuild(job));
    }

    private static DeviceInfo.Health of(LaneHealth health) {
        return LaneHealth.of(List.of(health), List.of(), false);
    }
}
