package dev.evener;

class JvmThreadsTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("jvm"));
    }
}
