package dev.evener;

import java.util.List;

class TwoDevicesInOneContextTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.ids(List.of("0.0", "0.1")));
    }
}
