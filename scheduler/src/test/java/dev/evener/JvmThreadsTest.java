package dev.evener;

class JvmThreadsTest extends JobConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm"));
    }
}
