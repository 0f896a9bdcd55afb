package dev.evener;

import java.util.List;

class TwoDevicesThroughTransfersTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .sharedMemory(false);
    }

    @Override
    boolean copies() {
        return true;
    }
}
