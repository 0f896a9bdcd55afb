package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.EvenerException;
import dev.evener.MadeUpDevices;
import dev.evener.policy.Snapshot;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** More devices than there are bits in a set of lanes are refused, before any is opened. */
class MostLanesTest {
    @Test
    void moreThanOneRuntimeWorksWithAreRefused() {
        for (int count : new int[] {Snapshot.MOST_LANES + 1, 64, 65, 128}) {
            List<DeviceInfo> devices = IntStream.range(0, count)
                    .mapToObj(i -> MadeUpDevices.gpu("0." + i, "made up", "device " + i))
                    .toList();
            String message = assertThrows(
                            EvenerException.class,
                            () -> Devices.open(devices, Devices.Options.usual()).size())
                    .getMessage();
            assertTrue(message.contains(count + " devices are chosen") && message.contains("at most 62"), message);
        }
    }
}
