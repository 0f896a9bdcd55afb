package dev.evener;

import java.util.List;

/** On the other platform, in chunks of one device. */
class ImagesOnRusticlTest extends ImageConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.ids(List.of("1.0")));
    }

    @Override
    String device() {
        return "1.0";
    }
}
