package dev.evener;

/** Every chunk in as many pieces as can be, by page-locked memory. Run by {@link SubDevicesTest}, in a process whose CPU device has two compute units. */
class SubDevicesThroughTransfers extends AloneConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0:1@1,0.0:1"))
                .sharedMemory(false)
                .pieceBytes(1)
                .pinnedFrom(0);
    }

    @Override
    boolean copies() {
        return true;
    }

    @Override
    boolean inPieces() {
        return true;
    }
}
