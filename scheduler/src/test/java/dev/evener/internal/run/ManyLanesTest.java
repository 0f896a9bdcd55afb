package dev.evener.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.History;
import dev.evener.MadeUpBuffers;
import dev.evener.Report;
import dev.evener.internal.fold.ScratchPool;
import dev.evener.internal.jvm.JvmLane;
import dev.evener.internal.lane.Devices;
import dev.evener.policy.Policies;
import dev.evener.policy.Policy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More devices than a word has bits, of which a runtime once opened none. */
class ManyLanesTest {
    @ParameterizedTest
    @ValueSource(ints = {63, 64, 65, 128})
    void allAreOpenedAndAllWork(int count) throws Exception {
        List<Lane> lanes = Devices.open(Collections.nCopies(count, JvmLane.describe(1)), Devices.Options.usual())
                .lanes();
        assertEquals(count, lanes.size());
        try (Dispatcher dispatcher = new Dispatcher(
                lanes,
                History.inMemory(),
                new ScratchPool((type, elements, perUnit) -> MadeUpBuffers.of(type, elements)),
                Duration.ofSeconds(30),
                Duration.ofMillis(1))) {
            for (Policy policy : List.of(Policies.fixed(), Policies.history(), Policies.adaptive())) {
                try (Trial trial = new Trial(160 * count, 2, 2)) {
                    Report report = dispatcher
                            .submit(trial.job("trial").build(), policy, History.inMemory(), null)
                            .get(120, TimeUnit.SECONDS);
                    trial.check();
                    assertEquals(List.of(), report.failures());
                    assertEquals(count, report.devices().size());
                    for (Report.DeviceUse use : report.devices()) {
                        if (!policy.equals(Policies.adaptive())) { // which begins with one
                            assertEquals(160, use.units(), policy.name());
                        }
                    }
                }
            }
        }
    }
}
