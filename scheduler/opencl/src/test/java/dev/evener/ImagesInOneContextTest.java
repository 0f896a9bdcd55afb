package dev.evener;

import java.util.List;

class ImagesInOneContextTest extends ImageConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.ids(List.of("0.0", "0.1")));
    }

    @Override
    String device() {
        return "0.0";
    }
}
