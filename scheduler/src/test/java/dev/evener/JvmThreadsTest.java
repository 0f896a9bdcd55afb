package dev.evener;

class JvmThreadsTest extends PassConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm"));
    }
}
