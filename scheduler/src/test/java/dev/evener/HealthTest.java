package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application can ask how its devices are. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HealthTest {
    @Test
    void aDeviceIsMissedWhileItIsQuarantinedAndIsBackAfterThat() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Evener evener = Evener.builder()
                .devices(DeviceSelector.parse("jvm"))
                .history(History.inMemory())
                .open()) {
            List<DeviceInfo> all = evener.devices();
            DeviceInfo.Health well = new DeviceInfo.Health(all, Map.of(), List.of(), false);
            assertEquals(well, evener.health());
            HostBuffer x = evener.allocate(ElementType.INT, 10);
            JobFuture hangs = evener.submit(Job.named("hangs")
                    .units(10)
                    .kernel("k")
                    .writes(x, Access.slice())
                    .jvm(chunk -> {
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .chunkDeadline(Duration.ofMillis(100))
                    .build());
            assertTrue(hangs.handle((report, failure) -> failure != null).get());
            DeviceInfo.Health ill = evener.health();
            assertEquals(List.of(), ill.working());
            assertTrue(ill.degraded());
            assertEquals(
                    "a chunk of kernel k was not done after 100 ms",
                    ill.quarantined().get("jvm"));
            goOn.countDown();
            while (!evener.health().equals(well)) { // the test's time limit ends what never comes
                Thread.sleep(10);
            }
        }
    }
}
