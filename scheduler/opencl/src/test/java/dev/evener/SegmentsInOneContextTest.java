package dev.evener;

/** Buffers in many segments, on two devices that work on them in place. */
class SegmentsInOneContextTest extends JobConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.0,0.1")).segmentBytes(16 << 10);
    }
}
