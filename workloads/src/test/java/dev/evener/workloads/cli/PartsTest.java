package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands on parts of a device: in processes whose only OpenCL device is a CPU of two compute units. */
@InTurn(2)
class PartsTest {
    @TempDir
    Path folder;

    private Cli cli() {
        return Cli.in(folder)
                .with("EVENER_CACHE", folder.resolve("cache"))
                .with("POCL_DEVICES", "pthread")
                .with("POCL_MAX_PTHREAD_COUNT", 2)
                .with("POCL_CPU_MAX_CU_COUNT", 2);
    }

    private static List<?> each(List<Map<?, ?>> objects, String field) {
        return objects.stream().map(object -> object.get(field)).toList();
    }

    @Test
    void devicesSaysHowADeviceCanBeOpenedAndWhichPartsAreLanes() throws IOException {
        Cli.Result run = cli().run("devices", "--devices", "0.0:1+1", "--json", "devices.json")
                .silent();
        List<String> lines = run.out().lines().toList();
        assertTrue(lines.get(0).contains(" units  parts "), run::out);
        assertTrue(lines.get(1).matches("0\\.0 .* 2  up to 2 .* -"), run::out);
        assertTrue(lines.get(2).matches("0\\.0:1 .* \\(1 of 2 units\\) .* 1  - .* lane 0, context 0"), run::out);
        assertTrue(lines.get(3).matches("0\\.0:1@1 .* \\(1 of 2 units\\) .* 1  - .* lane 1, context 0"), run::out);

        List<Map<?, ?>> devices = ReportSchema.objects(Cli.json(folder.resolve("devices.json")), "devices").stream()
                .filter(device -> device.get("id").toString().startsWith("0.0"))
                .toList();
        assertEquals(List.of("0.0", "0.0:1", "0.0:1@1"), each(devices, "id"));
        assertEquals(List.of(2, 1, 1), each(devices, "computeUnits"));
        assertEquals(Arrays.asList(null, 0, 1), each(devices, "lane"));
        assertEquals(
                Map.of("maxParts", 2, "byCounts", true, "numaNodes", List.of()),
                devices.get(0).get("partitioning"));
        assertEquals(
                Map.of("maxParts", 0, "byCounts", false, "numaNodes", List.of()),
                devices.get(1).get("partitioning"));
    }

    @Test
    void partsAreLanesInReportsAndRecords() {
        Map<String, Object> report = cli().run(
                        "run",
                        "sum",
                        "--size",
                        "1Mi",
                        "--policy",
                        "static",
                        "--devices",
                        "0.0:1+1",
                        "--verify",
                        "--record",
                        "r.record",
                        "--json",
                        "-")
                .silent()
                .json();
        assertEquals(true, report.get("verified"));
        List<Map<?, ?>> devices = ReportSchema.objects(report, "devices");
        assertEquals(List.of("0.0:1", "0.0:1@1"), each(devices, "id"));
        assertEquals(List.of(524288, 524288), each(devices, "units"));

        cli().run("replay", "r.record", "--asap", "--quiet").silent();
        Map<String, Object> again = cli().run(
                        "replay", "r.record", "--asap", "--devices", "cpu:-1", "--policy", "single", "--json", "-")
                .done()
                .json();
        assertTrue(again.toString().contains("0.0:1"), again::toString);
    }

    @Test
    void setsWithAndWithoutAFreeCoreCanBeCompared() throws IOException {
        cli().run(
                        "bench",
                        "sum",
                        "--sizes",
                        "1000",
                        "--repeat",
                        "1",
                        "--warm-up",
                        "0",
                        "--sweep",
                        "0",
                        "--policies",
                        "static",
                        "--devices",
                        "all",
                        "--devices",
                        "all:-1",
                        "--csv",
                        "c.csv",
                        "--quiet")
                .silent();
        String csv = Files.readString(folder.resolve("c.csv"));
        for (String set : List.of("0.0", "0.0:1")) {
            assertTrue(csv.lines().anyMatch(line -> List.of(line.split(",", -1)).contains(set)), csv);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.0:3     | its compute units are 2; it can be opened as 0.0 (whole), or 0.0:1 to 0.0:2",
                "0.0:numa  | its driver does not partition it by NUMA node; it can be opened as 0.0 (whole), or 0.0:1",
                "0.0,0.0:1 | devices 0.0 and 0.0:1 overlap: open device 0.0 whole",
                "cpu:2,0.0 | expected all, cpu, gpu, jvm or platform.device pairs",
                "jvm:1     | expected all, cpu, gpu, jvm or platform.device pairs"
            })
    void whatCannotBeHadIsRefused(String devices, String reason) {
        cli().run("run", "sum", "--devices", devices).refused(reason.startsWith("expected") ? 2 : 1, reason);
    }
}
