package dev.evener;

@InTurn(3)
class FourLanesTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.0,0.1,1.0,jvm"));
    }

    @Override
    boolean hasDoubles() {
        return false; // device 1.0 does not
    }
}
