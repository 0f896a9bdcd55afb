package dev.evener;

class JvmThreadsTest extends AccessConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm"));
    }
}
