package dev.evener.internal.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.MadeUpDevices;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

    private static DeviceInfo.Health of(LaneHealth health) {
        return LaneHealth.of(List.of(health), List.of(), false);
    }
}
