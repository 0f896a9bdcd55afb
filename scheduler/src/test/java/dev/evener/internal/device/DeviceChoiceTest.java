package dev.evener.internal.device;

import static dev.evener.MadeUpDevices.NVIDIA;
import static dev.evener.MadeUpDevices.POCL;
import static dev.evener.MadeUpDevices.RUSTICL;
import static dev.evener.MadeUpDevices.cpu;
import static dev.evener.MadeUpDevices.gpu;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import dev.evener.DeviceKind;
import dev.evener.DeviceSelector;
import dev.evener.EvenerException;
import dev.evener.MadeUpDevices;
import dev.evener.internal.jvm.JvmLane;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which devices a selector means on machines that this one is not. */
class DeviceChoiceTest {
    private static double noJobs(DeviceInfo one, DeviceInfo other) {
        return Double.NaN;
    }

    @Test
    void oneGpuUnderTwoRuntimesIsUsedOnceUnderItsVendors() {
        List<DeviceInfo> machine = List.of(gpu("0.0", RUSTICL, "pci 1"), gpu("1.0", NVIDIA, "pci 1"));
        DeviceChoice choice = choose("all", machine);
        assertIds(choice, "1.0");
        assertEquals(
                List.of("device 0.0 (rusticl) is the same hardware as 1.0 (NVIDIA CUDA) and is left out; --devices 0.0"
                        + " insists"),
                choice.notes());
        assertIds(choose("gpu", machine), "1.0");
    }

    @Test
    void twoGpusUnderTwoRuntimesAreTwo() {
        assertIds(choose("all", List.of(gpu("0.0", NVIDIA, "pci 1"), gpu("0.1", NVIDIA, "pci 2"))), "0.0", "0.1");
        assertIds(choose("all", List.of(gpu("0.0", NVIDIA, "pci 1"), gpu("1.0", RUSTICL, "pci 2"))), "0.0", "1.0");
    }

    @Test
    void theContextThatJoinsCpuAndGpuWins() {
        List<DeviceInfo> machine = List.of(gpu("0.0", NVIDIA, "pci 1"), cpu("1.0", POCL), gpu("1.1", POCL, "pci 1"));
        DeviceChoice choice = choose("all", machine);
        assertIds(choice, "1.0", "1.1");
        assertEquals(1, choice.notes().size());
        assertTrue(choice.notes().get(0).startsWith("device 0.0 (NVIDIA CUDA) is the same hardware as 1.1"));
    }

    @Test
    void eightGpusOfOneVendorStayTogetherBesideASmallerSharedContext() {
        List<DeviceInfo> machine = List.of(
                gpu("0.0", NVIDIA, "pci 1"),
                gpu("0.1", NVIDIA, "pci 2"),
                gpu("0.2", NVIDIA, "pci 3"),
                cpu("1.0", POCL),
                gpu("1.1", POCL, "pci 1"));
        assertIds(choose("all", machine), "0.0", "0.1", "0.2", "1.0");
    }

    @Test
    void oneCpuUnderTwoRuntimesIsUsedUnderTheUsuallyFaster() {
        assertIds(choose("all", List.of(cpu("0.0", RUSTICL), cpu("1.0", POCL))), "1.0");
        assertIds(choose("cpu", List.of(cpu("0.0", POCL), cpu("1.0", RUSTICL))), "0.0");
        assertIds(choose("all", List.of(cpu("0.0", POCL), cpu("1.0", "Intel(R) OpenCL"))), "1.0");
        assertIds(choose("all", List.of(cpu("0.0", RUSTICL), cpu("1.0", "Clover"))), "0.0");
    }

    @Test
    void onePlatformThatOffersOneCpuTwiceMeansIt() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL), cpu("0.1", POCL), cpu("1.0", RUSTICL));
        DeviceChoice choice = choose("all", machine);
        assertIds(choice, "0.0", "0.1");
        assertEquals(1, choice.notes().size());
    }

    @Test
    void equalRuntimesAreTakenInListingOrder() {
        assertIds(choose("all", List.of(cpu("0.0", POCL), cpu("1.0", POCL))), "0.0");
    }

    // ---- measured ----

    /** An H100 under NVIDIA's runtime (launches 16 us, link 50 GB/s), and PoCL's CUDA driver in a context with the CPU. */
    private static final List<DeviceInfo> TWICE =
            List.of(gpu("0.0", NVIDIA, "pci 1"), cpu("1.0", POCL), gpu("1.1", POCL, "pci 1"));

    private static DeviceChoice choose(List<DeviceInfo> machine, String selector, Map<String, DeviceSpeed> speeds) {
        return choose(DeviceSelector.parse(selector), machine, "none", device -> speeds.get(device.id()));
    }

    /** @param slower how many times, in everything */
    private static DeviceSpeed h100(double slower) {
        return new DeviceSpeed(16_000 * slower, 50e9 / slower, 20e12 / slower);
    }

    /** There jobs took 1.24, 1.14, 0.80, 2.7, 1.22, 1.27 and 1.71 times as long: 1.33 in the geometric mean. */
    @Test
    void aSharedContextIsNotTakenWhereItIsSlower() {
        DeviceChoice choice = choose(TWICE, "all", Map.of("0.0", h100(1), "1.1", h100(1.33)));
        assertIds(choice, "0.0", "1.0");
        assertEquals(
                List.of(
                        "device 1.1 (Portable Computing Language) is the same hardware as 0.0 (NVIDIA CUDA, measured 1.33"
                                + " times as fast: launch 16.0 against 21.3 us, link 50.0 against 37.6 GB/s, 20000.0 against"
                                + " 15037.6 Gflop/s) and is left out; --devices 1.1 insists"),
                choice.notes());
    }

    /** The self-test saw no difference, or the opposite one. */
    @Test
    void whatJobsTookOverturnsTheSelfTest() {
        for (double slower : new double[] {0.7, 1, 1.33}) {
            Map<String, DeviceSpeed> speeds = Map.of("0.0", h100(1), "1.1", h100(slower));
            for (double faster : new double[] {0.5, 1.05, 1.5}) { // NVIDIA's runtime, in jobs
                DeviceChoice choice = choose(
                        DeviceSelector.all(),
                        TWICE,
                        "none",
                        device -> speeds.get(device.id()),
                        (one, other) -> one.id().equals("0.0") ? faster : 1 / faster);
                boolean shared = faster < 1.1;
                assertIds(choice, shared ? new String[] {"1.0", "1.1"} : new String[] {"0.0", "1.0"});
                String said = shared ? String.format(Locale.ROOT, "%.2f", 1 / faster) : "1.50";
                assertTrue(
                        choice.notes().get(0).contains(", " + said + " times as fast in jobs, measured "),
                        choice.notes()::toString);
            }
        }
    }

    @Test
    void aSharedContextIsTakenWhereItIsNotSlower() {
        for (double slower : new double[] {0.7, 1, 1.09}) {
            DeviceChoice choice = choose(TWICE, "all", Map.of("0.0", h100(1), "1.1", h100(slower)));
            assertIds(choice, "1.0", "1.1");
            assertTrue(
                    choice.notes()
                            .get(0)
                            .contains("1.1 (Portable Computing Language, in one context with 1 more, measured "),
                    choice.notes()::toString);
        }
    }

    @Test
    void launchesLinkAndArithmeticCountAlike() {
        DeviceSpeed base = h100(1);
        assertEquals(1, base.over(base));
        DeviceSpeed slow = new DeviceSpeed(8 * 16_000, 50e9, 20e12);
        assertEquals(2, base.over(slow), 1e-9);
        assertEquals(0.5, slow.over(base), 1e-9);
        assertEquals(3, new DeviceSpeed(8_000, 25e9, 20 * 27e12).over(base), 1e-9);
    }

    @Test
    void whatCannotBeMeasuredLosesToWhatCan() {
        assertIds(choose(TWICE, "all", Map.of("0.0", h100(1))), "0.0", "1.0");
        assertIds(choose(TWICE, "all", Map.of("1.1", h100(1))), "1.0", "1.1");
    }

    @Test
    void aWordForOneKindSharesNoContextWithAnother() {
        assertIds(choose(TWICE, "gpu", Map.of()), "0.0");
        assertIds(choose(TWICE, "gpu", Map.of("0.0", h100(2), "1.1", h100(1))), "1.1");
    }

    @Test
    void hardwareByItsPlaceIsOpenedUnderItsFastestRuntime() {
        List<DeviceInfo> machine = List.of(
                gpu("0.0", NVIDIA, "ffffffff-4b5a-6978-8796-a5b4c3d2e1f0", "0000:3b:00.0"),
                cpu("1.0", POCL),
                gpu("1.1", POCL, "ffffffff-4b5a-6978-8796-a5b4c3d2e1f1", "0000:3b:00.0"));
        assertIds(choose(machine, "pci:3b:00.0", Map.of("0.0", h100(1), "1.1", h100(2))), "0.0");
        assertIds(choose(machine, "pci:3b:00.0", Map.of()), "1.1");
    }

    /** One of several devices of a CPU says little of what all do, and who made several of it means them. */
    @Test
    void oneCpuAsSeveralDevicesIsNotCompared() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL), cpu("0.1", POCL), cpu("1.0", RUSTICL));
        DeviceSpeed half = new DeviceSpeed(10_000, 1e9, 1e10);
        DeviceSpeed whole = new DeviceSpeed(10_000, 2e9, 2e10);
        assertIds(choose(machine, "all", Map.of("0.0", half, "0.1", half, "1.0", whole)), "0.0", "0.1");
        assertIds(choose(machine.subList(1, 3), "all", Map.of("0.1", half, "1.0", whole)), "1.0");
    }

    @Test
    void withoutOpenClTheJvmWorksAndSaysWhy() {
        for (String word : List.of("all", "cpu")) {
            DeviceChoice choice = DeviceChoice.of(
                    DeviceSelector.parse(word),
                    new MadeUpBackEnd(List.of(), "no OpenCL library could be loaded"),
                    MadeUpDevices.jvm(),
                    DeviceChoiceTest::noJobs);
            assertIds(choice, "jvm");
            assertTrue(choice.notes().get(0).startsWith("no OpenCL library could be loaded: working on JVM threads"));
        }
        assertTrue(choose("all", List.of()).notes().get(0).startsWith("no OpenCL device was found: working"));
    }

    /** Installing a runtime was advised whatever the reason. */
    @Test
    void whereOpenClIsInstalledTheReasonIsGivenAndNoAdviceToInstallIt() {
        String why = "OpenCL cannot be used, since the disk is full";
        DeviceChoice choice = DeviceChoice.of(
                DeviceSelector.all(), new MadeUpBackEnd(List.of(), why), MadeUpDevices.jvm(), DeviceChoiceTest::noJobs);
        assertEquals(List.of(why + ": working on JVM threads"), choice.notes());
        assertEquals(why, choice.withoutOpenCl());
        assertEquals(List.of("working on JVM threads: " + why), choice.warnings());
        assertTrue(choice.lacks());
        for (String selector : List.of("gpu", "0.0")) {
            assertMessage(
                    why,
                    () -> DeviceChoice.of(
                            DeviceSelector.parse(selector),
                            new MadeUpBackEnd(List.of(), why),
                            MadeUpDevices.jvm(),
                            DeviceChoiceTest::noJobs));
        }
    }

    /** Its status was dropped. */
    @Test
    void whyAPlatformHasNoDeviceIsSaidBesideThoseOfOthers() {
        List<DeviceInfo> machine = List.of(gpu("1.0", NVIDIA, "pci 1"));
        String why = "platform 0 (Portable Computing Language) has no device: PoCL cannot write";
        for (String word : List.of("all", "gpu")) {
            DeviceChoice choice = DeviceChoice.of(
                    DeviceSelector.parse(word),
                    new MadeUpBackEnd(machine, why),
                    MadeUpDevices.jvm(),
                    DeviceChoiceTest::noJobs);
            assertIds(choice, "1.0");
            assertEquals(List.of(why), choice.notes());
            assertEquals(List.of(why), choice.warnings());
            assertEquals(word.equals("all"), choice.lacks());
            assertNull(choice.withoutOpenCl());
        }
    }

    /** PoCL counts the machine's cores, where the JVM knows a container's quota. */
    @Test
    void aCpuDeviceOfMoreThreadsThanTheProcessMayUseIsNamed() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL), gpu("1.0", NVIDIA, "pci 1"));
        for (int processors : new int[] {1, 3, 4, 5}) {
            List<String> notes = DeviceChoice.of(
                            DeviceSelector.all(),
                            new MadeUpBackEnd(machine, ""),
                            JvmLane.describe(processors),
                            DeviceChoiceTest::noJobs)
                    .notes();
            assertEquals(processors < 4 ? 1 : 0, notes.size());
            if (processors < 4) {
                assertTrue(notes.get(0).startsWith("device 0.0 (" + POCL + ") works with 4 threads"), notes::toString);
                assertTrue(notes.get(0).contains("POCL_MAX_PTHREAD_COUNT=" + processors + " "), notes::toString);
            }
        }
    }

    @Test
    void theJvmIsLeftOutUnlessAskedFor() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL));
        assertIds(choose("all", machine), "0.0");
        assertIds(choose("jvm", machine), "jvm");
        assertIds(choose("jvm,0.0", machine), "jvm", "0.0");
    }

    @Test
    void wordsForKindsFilter() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL), gpu("1.0", NVIDIA, "pci 1"));
        assertIds(choose("cpu", machine), "0.0");
        assertIds(choose("gpu", machine), "1.0");
        assertIds(choose("all", machine), "0.0", "1.0");
    }

    @Test
    void aGpuThatIsNotThereIsNeverReplacedByACpu() {
        assertMessage("no OpenCL GPU was found", () -> choose("gpu", List.of(cpu("0.0", POCL))));
        assertMessage("no OpenCL GPU was found", () -> choose("gpu", List.of()));
    }

    @Test
    void idsInsistAndKeepTheirOrder() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL), cpu("0.1", POCL), cpu("1.0", RUSTICL));
        DeviceChoice choice = choose("1.0,0.0", machine);
        assertIds(choice, "1.0", "0.0");
        assertEquals(List.of(), choice.notes());
        assertMessage("there is no device 2.0; there are 0.0, 0.1, 1.0, jvm", () -> choose("0.0,2.0", machine));
        assertMessage("there is no device 0.0; there are jvm", () -> choose("0.0", List.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "0",
                "0.",
                ".0",
                "0.0,",
                "0,0",
                "cpu,gpu",
                "all,0.0",
                "0.0;0.1",
                "-1.0",
                "0.0.0",
                "12345.0",
                "cpus",
                "0.0:",
                "0.0:0",
                "0.0:-0",
                "0.0:1+",
                "0.0:+1",
                "0.0:-1+1",
                "0.0:1@",
                "0.0:@1",
                "0.0:08",
                "0.0:123456",
                "0.0:1@01",
                "0.0:1+1@1",
                "0.0:numa-1",
                "0.0:numa1+1",
                "0.0:nodes",
                "0.0:8:8",
                "jvm:1",
                "gpu:1",
                "gpu:-1",
                "cpu:",
                "all:0",
                "cpu:1,0.1"
            })
    void whatIsNoSelectorIsRefused(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> DeviceSelector.parse(text))
                .getMessage();
        assertTrue(message.startsWith("device selector '" + text + "': expected all, cpu, gpu, jvm or"), message);
    }

    @Test
    void selectorsAreForgivingAboutCaseAndBlanks() {
        assertEquals("gpu", DeviceSelector.parse(" GPU ").toString());
        assertEquals("0.0,jvm", DeviceSelector.parse("0.0 , JVM").toString());
        assertEquals(DeviceSelector.all(), DeviceSelector.parse("all"));
        assertEquals(DeviceSelector.ids(List.of("0.0", "1.0")), DeviceSelector.parse("0.0,1.0"));
    }

    @Test
    void hardwareIsNamedByUuidAndPlaceInTheFormsOfToolsToo() {
        String uuid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
        List<DeviceInfo> machine = List.of(
                cpu("0.0", POCL),
                gpu("1.0", NVIDIA, "ffffffff-4b5a-6978-8796-a5b4c3d2e1f0", "0000:3a:00.0"),
                gpu("1.1", NVIDIA, uuid, "0000:3b:00.0"),
                gpu("2.0", RUSTICL, uuid, "0000:3b:00.0"));
        for (String name : List.of(
                "uuid:" + uuid,
                "UUID:GPU-" + uuid.toUpperCase(Locale.ROOT),
                "uuid:" + uuid.replace("-", ""),
                "pci:0000:3b:00.0",
                "pci:00000000:3B:00.0",
                "pci:3b:00.0")) {
            assertIds(choose(name, machine), "1.1");
            assertTrue(DeviceSelector.parse(name).matches(machine.get(2)), name);
            assertFalse(DeviceSelector.parse(name).matches(machine.get(1)), name);
        }
        assertIds(choose("pci:3a:00.0,0.0", machine), "1.0", "0.0");
        assertEquals("uuid:" + uuid, DeviceSelector.parse("uuid:GPU-" + uuid).toString());
        assertMessage(
                "names uuid:" + uuid + " twice", () -> DeviceSelector.parse("uuid:" + uuid + ",uuid:GPU-" + uuid));
        assertMessage("names device 1.1 twice", () -> choose("uuid:" + uuid + ",pci:3b:00.0", machine));
        assertMessage(
                "there is no device pci:0000:3c:00.0; there are 0.0 (uuid:null, pci:null), 1.0 (uuid:ffffffff-",
                () -> choose("pci:3c:00.0", machine));
        for (String none :
                List.of("uuid:", "uuid:GPU-12", "uuid:" + uuid + ":8", "pci:3b", "pci:3b:00.8", "uuid:null")) {
            assertMessage("expected all, cpu", () -> DeviceSelector.parse(none));
        }
    }

    @Test
    void aProgramMayChooseDevices() {
        List<DeviceInfo> machine = List.of(gpu("0.0", NVIDIA, "pci 1"), cpu("1.0", POCL), gpu("2.0", RUSTICL, "pci 1"));
        assertIds(choose(DeviceSelector.where(d -> d.kind() == DeviceKind.GPU), machine, "none"), "0.0");
        assertIds(choose(DeviceSelector.where(d -> d.kind() == DeviceKind.GPU), machine, "0.0"), "2.0");
        assertIds(choose(DeviceSelector.where(d -> !d.platform().equals(NVIDIA)), machine, "none"), "1.0", "2.0");
        assertMessage(
                "no OpenCL device is one of those that a program chooses; there are [0.0, 1.0, 2.0]",
                () -> choose(DeviceSelector.where(d -> false), machine, "none"));
        assertTrue(DeviceSelector.where(d -> true).matches(machine.get(1)));
    }

    @Test
    void oneDeviceTwiceOrNoneAtAllIsRefused() {
        assertMessage("'0.0,0.0' names 0.0 twice", () -> DeviceSelector.parse("0.0,0.0"));
        assertMessage("'0.0,0.0' names 0.0 twice", () -> DeviceSelector.ids(List.of("0.0", "0.0")));
        assertMessage("at least one device", () -> DeviceSelector.ids(List.of()));
    }

    private static DeviceChoice choose(String selector, List<DeviceInfo> machine) {
        return choose(selector, machine, "none");
    }

    /** @param faulty id of a device that fails its self-test */
    private static DeviceChoice choose(String selector, List<DeviceInfo> machine, String faulty) {
        return choose(DeviceSelector.parse(selector), machine, faulty);
    }

    private static DeviceChoice choose(DeviceSelector selector, List<DeviceInfo> machine, String faulty) {
        return choose(selector, machine, faulty, device -> null);
    }

    private static DeviceChoice choose(
            DeviceSelector selector,
            List<DeviceInfo> machine,
            String faulty,
            Function<DeviceInfo, @Nullable DeviceSpeed> speed) {
        return choose(selector, machine, faulty, speed, DeviceChoiceTest::noJobs);
    }

    private static DeviceChoice choose(
            DeviceSelector selector,
            List<DeviceInfo> machine,
            String faulty,
            Function<DeviceInfo, @Nullable DeviceSpeed> speed,
            ToDoubleBiFunction<DeviceInfo, DeviceInfo> inJobs) {
        return DeviceChoice.of(
                selector,
                new MadeUpBackEnd(
                        machine,
                        "",
                        device -> Partitioning.NONE,
                        device -> device.id().equals(faulty) ? "its loops end" : null,
                        speed),
                MadeUpDevices.jvm(),
                inJobs);
    }

    @Test
    void aDeviceThatFailsItsSelfTestIsLeftOutWithTheReason() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL), gpu("1.0", NVIDIA, "pci 1"));
        DeviceChoice choice = choose("all", machine, "0.0");
        assertIds(choice, "1.0");
        String left =
                "device 0.0 (" + POCL + ") failed its self-test and is left out; --devices 0.0 insists: its loops end";
        assertEquals(List.of(left), choice.notes());
        assertEquals(List.of(left), choice.warnings());
        assertTrue(choice.lacks());
        assertIds(choose("gpu", machine, "0.0"), "1.0");
        assertFalse(choose("gpu", machine, "0.0").lacks());
        assertEquals(List.of(), choose("gpu", machine, "0.0").notes(), "nobody asks a device that is not meant");
        assertIds(choose("cpu", machine, "0.0"), "jvm");
        assertMessage("no OpenCL GPU can be used: device 1.0", () -> choose("gpu", machine, "1.0"));
        List<String> notes = choose("all", machine.subList(0, 1), "0.0").notes();
        assertEquals(left, notes.get(0));
        assertTrue(notes.get(1).startsWith("no OpenCL device can be used: working on JVM threads"), notes.get(1));
    }

    @Test
    void anotherRuntimeOfTheSameHardwareTakesTheFaultyOnesPlace() {
        List<DeviceInfo> machine = List.of(cpu("0.0", POCL), cpu("1.0", RUSTICL));
        assertIds(choose("all", machine, "0.0"), "1.0");
        assertEquals(1, choose("all", machine, "0.0").warnings().size());
        assertFalse(choose("all", machine, "0.0").lacks(), "its hardware works");
        assertIds(choose("all", machine, "1.0"), "0.0");
        assertEquals(1, choose("all", machine, "none").notes().size());
        assertEquals(List.of(), choose("all", machine, "none").warnings(), "as it should be");
    }

    @Test
    void idsInsistOnAFaultyDeviceAndAreWarned() {
        DeviceChoice choice = choose("0.0", List.of(cpu("0.0", POCL), cpu("1.0", RUSTICL)), "0.0");
        assertIds(choice, "0.0");
        assertEquals(
                List.of("device 0.0 (" + POCL
                        + ") failed its self-test, and is used only because it was asked for by its"
                        + " id: its loops end"),
                choice.notes());
    }

    private static void assertIds(DeviceChoice choice, String... ids) {
        assertEquals(List.of(ids), choice.devices().stream().map(DeviceInfo::id).toList());
    }

    private static void assertMessage(String part, Executable call) {
        RuntimeException e = assertThrows(RuntimeException.class, call);
        assertTrue(e instanceof EvenerException || e instanceof IllegalArgumentException, e.toString());
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }
}
