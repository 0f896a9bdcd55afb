package dev.evener;

/** Every chunk in as many pieces as can be, sent, computed and fetched at once, on two devices to which everything is sent. */
@InTurn(3)
class PiecesThroughTransfersTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
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
