package dev.evener.internal.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.evener.Contexts;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.History;
import dev.evener.internal.cl.ClDevice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which devices of a platform share a context. */
class ContextsTest {
    /** A discrete device, a CPU, another discrete device and another CPU. */
    private final List<ClDevice> devices =
            List.of(device("0.0", false), device("0.1", true), device("0.2", false), device("0.3", true));

    private static ClDevice device(String id, boolean shares) {
        ClDevice real = ClDevice.all().get(0);
        return real.with(real.info().part(id, 1).withSharesHostMemory(shares));
    }

    private List<List<String>> groups(Contexts how, boolean apart) {
        return OpenClDevices.groups(devices, how, apart).stream()
                .map(group -> group.stream().map(d -> d.info().id()).toList())
                .toList();
    }

    @Test
    void discreteDevicesHaveOneEachWhereSharingCosts() {
        List<String> all = List.of("0.0", "0.1", "0.2", "0.3");
        assertEquals(List.of(List.of("0.0"), List.of("0.1", "0.3"), List.of("0.2")), groups(Contexts.MEASURED, true));
        assertEquals(List.of(all), groups(Contexts.MEASURED, false));
        assertEquals(List.of(all), groups(Contexts.SHARED, false));
        assertEquals(all.stream().map(List::of).toList(), groups(Contexts.OWN, false));
    }

    @Test
    void anEvenerTellsWhoShares() {
        DeviceSelector both = DeviceSelector.parse("0.0,0.1");
        for (Contexts how : Contexts.values()) {
            try (Evener evener = Evener.builder()
                    .devices(both)
                    .contexts(how)
                    .history(History.inMemory())
                    .open()) {
                assertEquals(
                        how == Contexts.OWN ? List.of(List.of("0.0"), List.of("0.1")) : List.of(List.of("0.0", "0.1")),
                        evener.contexts());
            }
        }
    }
}
