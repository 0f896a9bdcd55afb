package dev.evener.internal.device;

import static dev.evener.MadeUpDevices.NVIDIA;
import static dev.evener.MadeUpDevices.POCL;
import static dev.evener.MadeUpDevices.cpu;
import static dev.evener.MadeUpDevices.gpu;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.MadeUpDevices;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which parts of devices a selector means, on machines that this one is not: CPU devices have four units here. */
class DevicePartTest {
    private static double noJobs(DeviceInfo one, DeviceInfo other) {
        return Double.NaN;
    }

    private static final Partitioning BY_COUNTS = new Partitioning(4, true, List.of());
    private static final Partitioning BY_NODES = new Partitioning(4, false, List.of(3, 1));
    private static final Partitioning BOTH = new Partitioning(4, true, List.of(3, 1));
    private static final List<DeviceInfo> MACHINE =
            List.of(cpu("0.0", POCL), gpu("1.0", NVIDIA, "pci 1"), cpu("0.1", POCL));

    private static List<DeviceInfo> choose(String selector, Partitioning ofCpus) {
        return choose(DeviceSelector.parse(selector), ofCpus);
    }

    private static List<DeviceInfo> choose(DeviceSelector selector, Partitioning ofCpus) {
        Function<DeviceInfo, Partitioning> can = d -> d.kind() == DeviceKind.CPU ? ofCpus : Partitioning.NONE;
        return DeviceChoice.of(
                        selector,
                        new MadeUpBackEnd(MACHINE, "", can, device -> null, device -> null),
                        MadeUpDevices.jvm(),
                        DevicePartTest::noJobs)
                .devices();
    }

    private static List<String> ids(List<DeviceInfo> devices) {
        return devices.stream().map(DeviceInfo::id).toList();
    }

    private static void assertRefused(String message, String selector, Partitioning ofCpus) {
        EvenerException e = assertThrows(EvenerException.class, () -> choose(selector, ofCpus));
        assertEquals(message, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.0:1         | 0.0:1",
                "0.0:3         | 0.0:3",
                "0.0:4         | 0.0:4",
                "0.0:-1        | 0.0:3",
                "0.0:-3        | 0.0:1",
                "0.0:2@2       | 0.0:2@2",
                "0.0:2@0       | 0.0:2",
                "0.0:2+2       | 0.0:2,0.0:2@2",
                "0.0:1+2+1     | 0.0:1,0.0:2@1,0.0:1@3",
                "0.0:1@3,0.0:-1| 0.0:1@3,0.0:3",
                "0.0:NUMA      | 0.0:numa0,0.0:numa1",
                "0.0:numa1     | 0.0:numa1",
                "jvm,0.0:1,1.0 | jvm,0.0:1,1.0",
                "0.0:1,0.1     | 0.0:1,0.1",
                "0.0:4,0.1:4   | 0.0:4,0.1:4",
                "cpu:-1        | 0.0:3,0.1:3",
                "cpu:2+1       | 0.0:2,0.0:1@2,0.1:2,0.1:1@2",
                "all:-1        | 0.0:3,1.0,0.1:3",
                "all:numa0     | 0.0:numa0,1.0,0.1:numa0"
            })
    void partsHaveIdsOfTheirOwn(String selector, String expected) {
        List<DeviceInfo> chosen = choose(selector, BOTH);
        assertEquals(List.of(expected.split(",")), ids(chosen));
        // Each id is a selector of that one part, and so is the selector's own text of all.
        for (DeviceInfo device : chosen) {
            assertEquals(List.of(device), choose(device.id(), BOTH));
            assertTrue(DeviceSelector.parse(selector).matches(device), device.id());
            assertEquals(device.id(), DevicePart.of(device.id()).id());
        }
        assertEquals(chosen, choose(DeviceSelector.parse(selector).toString(), BOTH));
    }

    @Test
    void aPartIsDescribedAsADeviceOfItsOwn() {
        DeviceInfo whole = MACHINE.get(0);
        DeviceInfo part = choose("0.0:3", BY_COUNTS).get(0);
        assertEquals("cpu of " + POCL + " (3 of 4 units)", part.name());
        assertEquals(3, part.computeUnits());
        assertEquals(0.75 * whole.roughSpeed(), part.roughSpeed());
        assertEquals(whole.physical(), part.physical());
        assertNotEquals(whole.identity(), part.identity());
        assertNotEquals(part.identity(), choose("0.0:3@1", BY_COUNTS).get(0).identity());
        assertEquals(
                List.of(3, 1),
                choose("0.0:numa", BY_NODES).stream()
                        .map(DeviceInfo::computeUnits)
                        .toList());
    }

    @Test
    void selectorsCanBeMadeInCode() {
        assertEquals(DeviceSelector.parse("0.0:3"), DeviceSelector.parts("0.0", 3));
        assertEquals(DeviceSelector.parse("0.0:2+2"), DeviceSelector.parts("0.0", 2, 2));
        assertEquals(DeviceSelector.parse("0.0:2+2"), DeviceSelector.ids(List.of("0.0:2", "0.0:2@2")));
        assertEquals(DeviceSelector.parse("0.0:2+1,1.0"), DeviceSelector.ids(List.of("0.0:2+1", "1.0")));
        assertEquals(DeviceSelector.parse("0.0:numa"), DeviceSelector.numaNodes("0.0"));
        assertEquals(DeviceSelector.parse("all:-2"), DeviceSelector.allButUnits(2));
        assertThrows(IllegalArgumentException.class, () -> DeviceSelector.parts("0.0"));
        assertThrows(IllegalArgumentException.class, () -> DeviceSelector.parts("0.0", 1, 0));
        assertThrows(IllegalArgumentException.class, () -> DeviceSelector.parts("cpu", 1));
        assertThrows(IllegalArgumentException.class, () -> DeviceSelector.allButUnits(0));
        assertThrows(IllegalArgumentException.class, () -> DeviceSelector.ids(List.of("0.0:x")));
    }

    @Test
    void aPartIsMeantByNoOtherSelector() {
        DeviceInfo part = choose("0.0:2@1", BOTH).get(0);
        for (String other : List.of("0.0", "0.0:2", "0.0:-2", "0.0:numa", "0.1:2@1", "gpu")) {
            assertFalse(DeviceSelector.parse(other).matches(part), other);
        }
        DeviceInfo node = choose("0.0:numa0", BOTH).get(0);
        assertFalse(DeviceSelector.parse("0.0:-1").matches(node));
        assertFalse(DeviceSelector.parse("0.0:numa").matches(MACHINE.get(0)));
        for (String word : List.of("all", "cpu", "all:-1")) {
            assertTrue(DeviceSelector.parse(word).matches(part), word);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.0,0.0:1       | 0.0 and 0.0:1",
                "0.0:1,1.0,0.0   | 0.0:1 and 0.0",
                "0.0:2,0.0:3     | 0.0:2 and 0.0:3",
                "0.0:2,0.0:3@1   | 0.0:2 and 0.0:3@1",
                "0.0:1@1,0.0:2   | 0.0:1@1 and 0.0:2",
                "0.0:-1,0.0:3    | 0.0:3 and 0.0:3",
                "0.0:numa,0.0    | 0.0:numa0 and 0.0",
                "0.0:numa,0.0:numa1 | 0.0:numa1 and 0.0:numa1",
                "0.0:numa0,0.0:1 | 0.0:numa0 and 0.0:1"
            })
    void nothingIsOpenedTwice(String selector, String both) {
        assertRefused(
                "devices " + both + " overlap: open device 0.0 whole, or in parts that lie apart, such as 0.0:1+1",
                selector,
                BOTH);
    }

    @Test
    void onePartTwiceIsNoSelector() {
        assertThrows(IllegalArgumentException.class, () -> DeviceSelector.parse("0.0:1,0.0:1"));
        assertThrows(IllegalArgumentException.class, () -> DeviceSelector.parse("0.0:1+1,0.0:1@1"));
    }

    @ParameterizedTest
    @CsvSource({
        "0.0:5, its compute units are 4",
        "0.0:-4, its compute units are 4",
        "0.0:-5, its compute units are 4",
        "0.0:4@1, its compute units are 4",
        "0.0:1@4, its compute units are 4",
        "0.0:99999@99999999, its compute units are 4",
        "0.0:numa, its driver does not partition it by NUMA node",
        "0.0:numa0, its driver does not partition it by NUMA node"
    })
    void whatCannotBeHadIsRefusedSayingWhatCan(String selector, String reason) {
        String start = "there is no part " + selector + " of device 0.0 (cpu of " + POCL + "): ";
        String whole = "; it can be opened as 0.0 (whole)";
        assertRefused(start + reason + whole + ", or 0.0:1 to 0.0:4 (so many compute units)", selector, BY_COUNTS);
        String none = reason.contains("NUMA") ? reason : "its driver does not partition it by counts of compute units";
        assertRefused(start + none + whole, selector, Partitioning.NONE);
    }

    @Test
    void theErrorNamesEachWayThereIs() {
        assertRefused(
                "there is no part 0.0:1 of device 0.0 (cpu of " + POCL
                        + "): its driver does not partition it by counts of"
                        + " compute units; it can be opened as 0.0 (whole), or 0.0:numa (its 2 NUMA nodes)",
                "0.0:1",
                BY_NODES);
        assertRefused(
                "there is no part 0.0:numa2 of device 0.0 (cpu of " + POCL
                        + "): it has 2 NUMA nodes; it can be opened as"
                        + " 0.0 (whole), or 0.0:1 to 0.0:4 (so many compute units), or 0.0:numa (its 2 NUMA nodes)",
                "0.0:numa2",
                BOTH);
        assertRefused("there is no device 3.0:1; there are 0.0, 1.0, 0.1, jvm", "3.0:1", BOTH);
        // The sum of several counts is too many at the last of them.
        assertTrue(assertThrows(EvenerException.class, () -> choose("0.0:3+2", BOTH))
                .getMessage()
                .startsWith("there is no part 0.0:2@3 of device 0.0"));
        assertTrue(assertThrows(EvenerException.class, () -> choose("1.0:1", BOTH))
                .getMessage()
                .endsWith("it can be opened as 1.0 (whole)"));
    }

    @Test
    void withoutACpuDeviceNothingCanBeLeftFree() {
        for (String selector : List.of("cpu:-1", "all:-1")) {
            EvenerException e = assertThrows(
                    EvenerException.class,
                    () -> DeviceChoice.of(
                            DeviceSelector.parse(selector),
                            new MadeUpBackEnd(
                                    List.of(gpu("0.0", NVIDIA, "pci 1")),
                                    "",
                                    device -> BOTH,
                                    device -> null,
                                    device -> null),
                            MadeUpDevices.jvm(),
                            DevicePartTest::noJobs));
            assertEquals(
                    "devices '" + selector + "' want a part of each OpenCL CPU device, of which there is none;"
                            + " 'evener devices' lists what there is",
                    e.getMessage());
        }
    }
}
