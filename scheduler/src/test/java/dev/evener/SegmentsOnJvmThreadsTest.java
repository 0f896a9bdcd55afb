package dev.evener;

/** Buffers in many segments, on threads of this JVM. */
class SegmentsOnJvmThreadsTest extends JobConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm")).segmentBytes(16 << 10);
    }
}
