package dev.evener;

/** Buffers in many segments, in several pieces each, on two devices of different platforms to which they are sent. */
@InTurn(3)
class SegmentsInPiecesTest extends JobConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,1.0"))
                .sharedMemory(false)
                .segmentBytes(16 << 10)
                .pieceBytes(3 << 10);
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
