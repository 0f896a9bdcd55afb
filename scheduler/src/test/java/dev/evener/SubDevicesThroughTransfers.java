package dev.evener;

/** Run by {@link SubDevicesTest}, in a process whose CPU device has two compute units. */
class SubDevicesThroughTransfers extends AloneConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.0:1@1,0.0:1")).sharedMemory(false);
    }

    @Override
    boolean copies() {
        return true;
    }
}
