package dev.evener;

/** Buffers in many segments, on two devices to which they are sent. */
@InTurn(3)
class SegmentsThroughTransfersTest extends JobConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder()
                .devices(DeviceSelector.parse("0.0,0.1"))
                .sharedMemory(false)
                .segmentBytes(16 << 10);
    }

    @Override
    boolean copies() {
        return true;
    }
}
