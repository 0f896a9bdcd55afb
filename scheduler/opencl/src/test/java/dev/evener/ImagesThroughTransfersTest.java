package dev.evener;

import java.util.List;

/** In a context each, as discrete devices are. */
@InTurn(3)
class ImagesThroughTransfersTest extends ImageConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.ids(List.of("0.0", "0.1")))
                .contexts(Contexts.OWN)
                .sharedMemory(false);
    }

    @Override
    String device() {
        return "0.0";
    }
}
