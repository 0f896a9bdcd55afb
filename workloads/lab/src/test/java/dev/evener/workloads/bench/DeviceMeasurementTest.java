package dev.evener.workloads.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.InTurn;
import dev.evener.internal.NativeLedger;
import dev.evener.workloads.bench.DeviceProbe.Figure;
import dev.evener.workloads.bench.DeviceProbe.Transfers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measuring devices. Nothing is said of how fast they are: figures are there, are numbers, and nothing native is left. */
@InTurn(2)
class DeviceMeasurementTest {
    private final Map<NativeLedger.Kind, Long> before = NativeLedger.live();
    private final List<String> told = new ArrayList<>();

    @AfterEach
    void nothingNativeIsLeft() {
        assertEquals(before, NativeLedger.live());
    }

    private static DeviceInfo device(String id) {
        return Evener.select(DeviceSelector.parse(id)).get(0);
    }

    private static void assertSound(DeviceProbe probe, int figures) {
        List<Figure> rates = new ArrayList<>(List.of(probe.copyBytesPerSecond(), probe.readBytesPerSecond()));
        for (Transfers transfers : new Transfers[] {probe.pinned(), probe.pageable()}) {
            if (transfers != null) {
                rates.addAll(List.of(transfers.toDevice(), transfers.fromDevice(), transfers.bothWays()));
            }
        }
        assertEquals(figures, rates.size() + 1, probe::toString);
        // Launches are few where each takes long, on a busy machine perhaps one.
        assertTrue(probe.launchNanos().samples() >= 1, probe::toString);
        // Between a second for a launch and a nanosecond; between a kilobyte a second and the sum of all memory there
        // is.
        assertTrue(probe.launchNanos().median() > 1 && probe.launchNanos().median() < 1e9, probe::toString);
        for (Figure rate : rates) {
            assertTrue(rate.samples() >= 3, probe::toString);
            assertTrue(rate.median() > 1e3 && rate.median() < 1e15, probe::toString);
            assertTrue(rate.spread() >= 0 && rate.spread() <= 1, probe::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0", "1.0", "jvm"})
    void onlyDevicesWithMemoryOfTheirOwnNeedTransfers(String id) {
        DeviceInfo device = device(id);
        DeviceProbe probe = DeviceMeasurement.measure(device, true, told::add);
        assertEquals(device.sharesHostMemory(), probe.pinned() == null);
        assertEquals(device.sharesHostMemory(), probe.pageable() == null);
        assertSound(probe, device.sharesHostMemory() ? 3 : 9);
        assertEquals(List.of("launch", "copying", "reading"), told.subList(0, 3));
        assertEquals(device.sharesHostMemory() ? 3 : 9, told.size(), told::toString);
    }

    @Test
    void withoutSharedMemoryTheWayThereIsMeasuredFromBothKindsOfHostMemory() {
        DeviceProbe probe = DeviceMeasurement.measure(device("0.1"), false, told::add);
        assertNotNull(probe.pinned());
        assertNotNull(probe.pageable());
        assertSound(probe, 9);
        assertEquals(9, told.size(), told::toString);
    }

    /** The driver's queue, buffers and kernels as they stand at any point have to go. */
    @ParameterizedTest
    @ValueSource(strings = {"launch", "copying", "reading", "sending from page-locked", "both ways with pageable"})
    void nothingIsLeftWhenItEndsInTheMiddle(String where) {
        DeviceInfo device = device("0.0");
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> DeviceMeasurement.measure(device, false, what -> {
                    if (what.contains(where)) {
                        throw new IllegalStateException("enough");
                    }
                }));
        assertEquals("enough", thrown.getMessage());
    }

    @Test
    void medianAndSpreadHardlySeeOutliers() {
        assertEquals(new Figure(10, 0.1, 5), Figure.of(new double[] {10, 11, 9, 1000, 9}));
        assertEquals(new Figure(3, 0.5, 4), Figure.of(new double[] {1, 2, 4, 100}));
        assertEquals(new Figure(7, 0, 1), Figure.of(new double[] {7}));
        assertNull(new DeviceProbe(
                        Figure.of(new double[] {1}),
                        Figure.of(new double[] {1}),
                        Figure.of(new double[] {1}),
                        null,
                        null)
                .toMap()
                .get("pinned"));
    }
}
