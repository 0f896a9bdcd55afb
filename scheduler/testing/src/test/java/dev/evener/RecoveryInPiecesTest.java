package dev.evener;

class RecoveryInPiecesTest extends RecoveryConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.1,0.0"))
                .sharedMemory(false)
                .pieceBytes(4 << 10);
    }
}
