package dev.evener;

import java.util.List;

class OneDeviceTest extends AloneConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.ids(List.of("0.0")));
    }
}
