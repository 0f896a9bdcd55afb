package dev.evener;

class RecoveryAcrossPlatformsTest extends RecoveryConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("1.0,0.0"));
    }
}
