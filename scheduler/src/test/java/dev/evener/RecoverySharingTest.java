package dev.evener;

class RecoverySharingTest extends RecoveryConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.0,0.1"));
    }
}
