package dev.evener;

import java.util.List;

/** In a context each, as discrete devices are. */
@InTurn(3)
class TwoDevicesThroughTransfersTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .contexts(Contexts.OWN)
                .sharedMemory(false);
    }

    @Override
    boolean copies() {
        return true;
    }
}
