package dev.evener.spark;

import static dev.evener.MadeUpDevices.NVIDIA;
import static dev.evener.MadeUpDevices.POCL;
import static dev.evener.MadeUpDevices.cpu;
import static dev.evener.MadeUpDevices.gpu;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.DeviceInfo;
import dev.evener.DeviceSelector;
import dev.evener.Evener;
import dev.evener.EvenerException;
import dev.evener.MadeUpDevices;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.spark.resource.ResourceInformation;
import org.junit.jupiter.api.Test;

/** Which devices an executor opens on machines that this one is not. */
class ExecutorDevicesTest {
    private static final String FIRST = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
    private static final String SECOND = "1f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
    private static final List<DeviceInfo> MACHINE = List.of(
            cpu("0.0", POCL),
            gpu("1.0", NVIDIA, FIRST, "0000:86:00.0"),
            gpu("1.1", NVIDIA, SECOND, "0000:3b:00.0"),
            MadeUpDevices.jvm());

    private static List<String> opened(String wanted, String... gpus) {
        DeviceSelector selector = ExecutorDevices.selector(wanted, List.of(gpus), MACHINE, Map.of());
        return MACHINE.stream().filter(selector::matches).map(DeviceInfo::id).toList();
    }

    @Test
    void gpusByUuidAndPlace() {
        assertEquals(List.of("1.1"), opened("", "GPU-" + SECOND));
        assertEquals(List.of("1.0", "1.1"), opened("", "GPU-" + SECOND, "GPU-" + FIRST));
        assertEquals(List.of("1.0"), opened("", "00000000:86:00.0"));
        assertEquals(List.of("0.0", "1.1"), opened("cpu", "GPU-" + SECOND));
        assertEquals(List.of("1.1"), opened("gpu", "GPU-" + SECOND), "never a GPU that another executor has");
    }

    @Test
    void withoutGpusWhatIsSelected() {
        assertEquals(DeviceSelector.all(), ExecutorDevices.selector("", List.of(), MACHINE, Map.of()));
        assertEquals(List.of("0.0"), opened("cpu"));
    }

    /** Spark's own script prints indexes, in the order of PCI places, which is not that of OpenCL. */
    @Test
    void anIndexIsAPlaceOnTheBus() {
        assertEquals(List.of("1.1"), opened("", "0"));
        assertEquals(List.of("1.0"), opened("", "1"));
        refused("there is no GPU with the index 2", Map.of(), "2");
        refused("print UUIDs", Map.of("CUDA_VISIBLE_DEVICES", "1"), "0");
    }

    @Test
    void aForeignGpuIsRefusedNamingBothLists() {
        String foreign = "GPU-2f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
        refused(
                "Spark gave this executor the GPUs [GPU-" + FIRST + ", " + foreign + "], and OpenCL has [0.0 cpu of "
                        + POCL + ", 1.0 gpu of " + NVIDIA + " GPU-" + FIRST + " 0000:86:00.0, 1.1",
                Map.of(),
                "GPU-" + FIRST,
                foreign);
        refused("MIG-1 is none of them", Map.of(), "MIG-1");
        refused("jvm is none of them", Map.of(), "jvm");
    }

    private static void refused(String part, Map<String, String> environment, String... gpus) {
        EvenerException e = assertThrows(
                EvenerException.class, () -> ExecutorDevices.selector("", List.of(gpus), MACHINE, environment));
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    @Test
    void whatIsDiscoveredIsOpened() {
        assertEquals("[\"GPU-" + FIRST + "\", \"GPU-" + SECOND + "\"]", ExecutorDevices.addresses(MACHINE, "gpu"));
        assertEquals("[]", ExecutorDevices.addresses(MACHINE.subList(0, 1), "gpu"));
        assertEquals(List.of("1.0"), opened("", "GPU-" + FIRST));
    }

    /** The script, on this machine. */
    @Test
    void theScriptPrintsWhatSparkReads() throws Exception {
        for (String kind : List.of("gpu", "cpu")) {
            ProcessBuilder builder = new ProcessBuilder("bash", "discover-gpus", kind);
            builder.environment().put("EVENER_SPARK_JAR", System.getProperty("java.class.path"));
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            Process process = builder.start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor());
            assertEquals(
                    "{\"name\": \"gpu\", \"addresses\": " + ExecutorDevices.addresses(Evener.discover(), kind) + "}\n",
                    said);
            ResourceInformation read = ResourceInformation.parseJson(said);
            assertEquals("gpu", read.name());
            String[] ids = read.addresses();
            assertEquals(List.of(ids), ids.length == 0 ? List.of() : here(ids));
        }
    }

    private static List<String> here(String... gpus) {
        DeviceSelector selector = ExecutorDevices.selector("", List.of(gpus), Evener.discover(), Map.of());
        return Evener.discover().stream()
                .filter(selector::matches)
                .map(DeviceInfo::id)
                .toList();
    }
}
