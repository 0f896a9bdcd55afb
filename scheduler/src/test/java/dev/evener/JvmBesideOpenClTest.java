package dev.evener;

class JvmBesideOpenClTest extends PassConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.1,jvm"));
    }
}
