package dev.evener;

/** Every chunk in as many pieces as can be, by page-locked memory. Run by {@link SubDevicesTest}, in a process whose CPU device has two compute units. */
@InTurn(6)
class SubDevicesThroughTransfers extends PiecesThroughTransfersTest {
    @Override
    EvenerBuilder lanes() {
        return super.lanes().devices(DeviceSelector.parse("0.0:1@1,0.0:1"));
    }
}
