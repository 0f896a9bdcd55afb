package dev.evener;

class JvmThreadsTest extends AloneConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm"));
    }
}
