package dev.evener;

class RecoveryOfJvmLaneTest extends RecoveryConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm,0.1"));
    }
}
