package dev.evener;

class JvmBesideOpenClTest extends AccessConformance {
    @Override
    Evener.Builder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.1,jvm"));
    }
}
