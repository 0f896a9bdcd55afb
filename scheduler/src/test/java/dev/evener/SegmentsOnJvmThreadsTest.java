package dev.evener;

/** Buffers in many segments, on threads of this JVM. */
class SegmentsOnJvmThreadsTest extends JobConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm")).segmentBytes(16 << 10);
    }
}
