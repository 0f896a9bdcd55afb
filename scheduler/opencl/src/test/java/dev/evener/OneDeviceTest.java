package dev.evener;

import java.util.List;

@InTurn(3)
class OneDeviceTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.ids(List.of("0.0")));
    }
}
