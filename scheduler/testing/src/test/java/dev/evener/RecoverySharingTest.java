package dev.evener;

class RecoverySharingTest extends RecoveryConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.0,0.1"));
    }
}
