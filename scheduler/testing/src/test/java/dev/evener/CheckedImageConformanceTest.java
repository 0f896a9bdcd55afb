package dev.evener;

/** Right declarations are not accused. */
@InTurn(3)
class CheckedImageConformanceTest extends ImageConformance {
    @Override
    EvenerBuilder lanes() {
        return Evener.builder().devices(DeviceSelector.parse("0.0,0.1")).checked();
    }

    @Override
    String device() {
        return "0.0";
    }
}
