package dev.evener;

@InTurn(3)
class JvmBesideOpenClTest extends AloneConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.1,jvm"));
    }
}
