package dev.evener.internal.cl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.evener.DeviceKind;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which devices of several platforms are one, on machines that this one is not. */
class HardwareTest {
    private static final String H200 = "NVIDIA H200";

    /** PoCL answered with zeros when asked for the place by an extension it lacks, and one H200 got two lanes. */
    @Test
    void aGpuUnderPoclAndUnderItsVendorIsOneByItsPlace() {
        List<String> names = identify(
                cpu(0, "cpu-skylake-avx512"), gpu(0, H200, null, "0000:8d:00.0"), gpu(1, H200, "a1", "0000:8d:00.0"));
        assertEquals(List.of("cpu", "pci 0000:8d:00.0", "pci 0000:8d:00.0"), names);
    }

    @Test
    void equalUuidsAreOneDeviceWhateverElseIsTold() {
        List<String> names = identify(gpu(0, H200, "a1", null), gpu(1, "H200 (nvc0)", "a1", "0000:8d:00.0"));
        assertEquals(List.of("pci 0000:8d:00.0", "pci 0000:8d:00.0"), names);
        assertEquals(
                List.of("pci 0000:8d:00.0", "pci 0000:8d:00.0"),
                identify(gpu(0, "one", "a1", "0000:8d:00.0"), gpu(1, "other", "a1", "0000:07:00.0")));
    }

    @Test
    void aUuidGoesBeforeAPlaceAndAPlaceBeforeAName() {
        List<String> names = identify(
                gpu(0, H200, "a1", null), gpu(0, H200, "a2", null), gpu(1, H200, "a2", null), gpu(1, H200, "a1", null));
        assertEquals(List.of(names.get(1), names.get(0)), names.subList(2, 4));
        assertNotEquals(names.get(0), names.get(1));
        names = identify(
                gpu(0, H200, null, "0000:01:00.0"),
                gpu(0, H200, null, "0000:02:00.0"),
                gpu(1, H200, null, "0000:02:00.0"));
        assertEquals(names.get(1), names.get(2));
    }

    @Test
    void differentUuidsProveNothing() {
        List<String> names = identify(gpu(0, H200, "a1", "0000:01:00.0"), gpu(1, H200, "b7", "0000:01:00.0"));
        assertEquals(names.get(0), names.get(1));
        names = identify(gpu(0, H200, "a1", null), gpu(1, H200, "b7", null));
        assertEquals(names.get(0), names.get(1));
    }

    @Test
    void whereAPlaceIsUnknownTheNameDecidesInTheOrderOfTheList() {
        List<String> names = identify(
                gpu(0, H200, null, null),
                gpu(0, H200, null, null),
                gpu(1, H200, null, "0000:01:00.0"),
                gpu(1, H200, null, "0000:02:00.0"));
        assertEquals(List.of("pci 0000:01:00.0", "pci 0000:02:00.0"), names.subList(0, 2));
        assertEquals(names.subList(0, 2), names.subList(2, 4));
    }

    @Test
    void equalNamesInDifferentPlacesAreTwo() {
        List<String> names = identify(gpu(0, H200, null, "0000:01:00.0"), gpu(1, H200, null, "0000:02:00.0"));
        assertNotEquals(names.get(0), names.get(1));
    }

    @Test
    void devicesOfOnePlatformAreNeverOne() {
        List<String> names = identify(
                gpu(0, H200, "a1", "0000:01:00.0"), gpu(0, H200, "a1", "0000:01:00.0"), gpu(1, H200, null, null));
        assertEquals(names.get(0), names.get(2));
        assertEquals("pci 0000:01:00.0", names.get(0));
        names = identify(gpu(0, H200, null, null), gpu(0, H200, null, null));
        assertEquals(List.of("gpu nvidia h200 #0", "gpu nvidia h200 #1"), names);
    }

    @Test
    void theCpuIsOneAndNeverAGpu() {
        assertEquals(List.of("cpu", "cpu", "cpu"), identify(cpu(0, "pthread"), cpu(0, "basic"), cpu(1, "llvmpipe")));
        List<String> names = identify(cpu(0, "APU"), gpu(1, "APU", null, null));
        assertEquals(List.of("cpu", "gpu apu #0"), names);
    }

    private static List<String> identify(Hardware... all) {
        return Hardware.identify(List.of(all));
    }

    private static Hardware cpu(int platform, String name) {
        return new Hardware(platform, DeviceKind.CPU, name, null, null);
    }

    private static Hardware gpu(int platform, String name, @Nullable String uuid, @Nullable String pci) {
        return new Hardware(platform, DeviceKind.GPU, name, uuid, pci);
    }
}
