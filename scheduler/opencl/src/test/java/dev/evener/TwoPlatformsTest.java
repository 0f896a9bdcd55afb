package dev.evener;

import java.util.List;

@InTurn(3)
class TwoPlatformsTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.ids(List.of("0.0", "1.0")));
    }

    @Override
    boolean hasDoubles() {
        return false; // device 1.0 does not
    }
}
