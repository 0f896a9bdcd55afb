package dev.evener;

class RecoveryOfJvmLaneTest extends RecoveryConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm,0.1"));
    }
}
