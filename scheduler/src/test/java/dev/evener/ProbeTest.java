package dev.evener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceProbe.Figure;
import dev.evener.DeviceProbe.Transfers;
import dev.evener.internal.NativeLedger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Measuring devices. Nothing is said of how fast they are: figures are there, are numbers, and nothing native is left. */
class ProbeTest {
    @TempDir
    Path folder;

    private static EvenerBuilder devices(String ids) {
        return Evener.builder().devices(DeviceSelector.parse(ids)).history(History.inMemory());
    }

    private static List<Figure> figures(DeviceProbe probe) {
        List<Figure> figures =
                new ArrayList<>(List.of(probe.launchNanos(), probe.copyBytesPerSecond(), probe.readBytesPerSecond()));
        for (Transfers transfers : new Transfers[] {probe.pinned(), probe.pageable()}) {
            if (transfers != null) {
                figures.addAll(List.of(transfers.toDevice(), transfers.fromDevice(), transfers.bothWays()));
            }
        }
        return figures;
    }

    private static void assertSound(DeviceProbe probe, int figures) {
        assertEquals(figures, figures(probe).size(), probe::toString);
        // Ranges are the record's own business. Launches are few where each takes long, on a busy machine perhaps one.
        assertTrue(probe.launchNanos().samples() >= 1, probe::toString);
        for (Figure figure : figures(probe).subList(1, figures)) {
            assertTrue(figure.samples() >= 3, probe::toString);
        }
        // Between a second for a launch and a nanosecond; between a kilobyte a second and the sum of all memory there
        // is.
        assertTrue(probe.launchNanos().median() > 1 && probe.launchNanos().median() < 1e9, probe::toString);
        for (Figure rate : figures(probe).subList(1, figures)) {
            assertTrue(rate.median() > 1e3 && rate.median() < 1e15, probe::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0,0.1", "1.0", "jvm"})
    void onlyDevicesWithMemoryOfTheirOwnNeedTransfers(String ids) {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        Set<String> told = new HashSet<>();

        List<DeviceProbe> probes = devices(ids).probe(told::add);

        assertEquals(before, NativeLedger.live());
        List<DeviceInfo> chosen = Evener.select(DeviceSelector.parse(ids));
        assertEquals(
                chosen.stream().map(DeviceInfo::identity).toList(),
                probes.stream().map(DeviceProbe::device).toList());
        for (int i = 0; i < probes.size(); i++) {
            DeviceInfo device = chosen.get(i);
            DeviceProbe probe = probes.get(i);
            assertEquals(device.sharesHostMemory(), probe.pinned() == null);
            assertEquals(device.sharesHostMemory(), probe.pageable() == null);
            assertSound(probe, device.sharesHostMemory() ? 3 : 9);
            for (String what : List.of("launch", "copying", "reading")) {
                assertTrue(told.remove("device " + device.id() + ": " + what), what);
            }
            if (!device.sharesHostMemory()) {
                assertTrue(told.removeIf(line -> line.startsWith("device " + device.id() + ": ")), told::toString);
            }
        }
        assertEquals(Set.of(), told);
    }

    @Test
    void withoutSharedMemoryTheWayThereIsMeasuredFromBothKindsOfHostMemory() {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        List<String> told = new ArrayList<>();
        DeviceProbe probe = devices("0.1").sharedMemory(false).probe(told::add).get(0);
        assertEquals(before, NativeLedger.live());
        assertNotNull(probe.pinned());
        assertNotNull(probe.pageable());
        assertSound(probe, 9);
        assertEquals(9, told.size(), told::toString);
    }

    /** The driver's queue, buffers and kernels as they stand at any point have to go. */
    @ParameterizedTest
    @ValueSource(strings = {"launch", "copying", "reading", "sending from page-locked", "both ways with pageable"})
    void nothingNativeIsLeftWhenItEndsInTheMiddle(String where) {
        Map<NativeLedger.Kind, Long> before = NativeLedger.live();
        EvenerBuilder builder = devices("0.0").sharedMemory(false);
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> builder.probe(what -> {
                    if (what.contains(where)) {
                        throw new IllegalStateException("enough");
                    }
                }));
        assertEquals("enough", thrown.getMessage());
        assertEquals(before, NativeLedger.live());
    }

    /** Jobs do not need it, and the history's file stays as it is. */
    @Test
    void whatWasFoundIsForTheCallerAlone() {
        Path file = folder.resolve("cache/history.json");
        DeviceProbe probe =
                devices("jvm").history(History.at(file)).probe(what -> {}).get(0);
        assertEquals(Evener.select(DeviceSelector.parse("jvm")).get(0).identity(), probe.device());
        assertFalse(file.getParent().toFile().exists());
    }

    @Test
    void aDeviceThatIsNotThereIsNamed() {
        EvenerException refused =
                assertThrows(EvenerException.class, () -> devices("9.9").probe(what -> {}));
        assertTrue(refused.getMessage().startsWith("there is no device 9.9"), refused.getMessage());
    }

    @Test
    void figuresThatCannotBeAreRefused() {
        for (double median : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThrows(IllegalArgumentException.class, () -> new Figure(median, 0, 1));
        }
        for (double spread : new double[] {-0.1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThrows(IllegalArgumentException.class, () -> new Figure(1, spread, 1));
        }
        assertThrows(IllegalArgumentException.class, () -> new Figure(1, 0, 0));
    }
}
