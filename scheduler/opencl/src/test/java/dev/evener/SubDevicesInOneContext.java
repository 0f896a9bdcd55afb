package dev.evener;

/** Run by {@link SubDevicesTest}, in a process whose CPU device has two compute units. */
@InTurn(6)
class SubDevicesInOneContext extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parts("0.0", 1, 1));
    }
}
