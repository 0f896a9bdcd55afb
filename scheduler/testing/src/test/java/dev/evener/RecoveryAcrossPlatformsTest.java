package dev.evener;

class RecoveryAcrossPlatformsTest extends RecoveryConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("1.0,0.0"));
    }
}
