package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code devices --probe} as a user sees it. */
class ProbeCommandTest {
    private static final String MEASURED = "launch, us";

    @TempDir
    Path folder;

    private static Map<?, ?> object(Map<?, ?> json, String name) {
        return (Map<?, ?>) json.get(name);
    }

    private static void assertFigures(Map<?, ?> device) {
        Map<?, ?> probe = object(device, "probe");
        for (String name : List.of("launchSeconds", "copyBytesPerSecond", "readBytesPerSecond")) {
            Map<?, ?> figure = object(probe, name);
            assertTrue(ReportSchema.number(figure, "median") > 0, () -> name + " of " + probe);
        }
        assertTrue(ReportSchema.number(object(probe, "launchSeconds"), "median") < 10, probe::toString);
        assertTrue(ReportSchema.number(object(probe, "copyBytesPerSecond"), "median") > 1_000, probe::toString);
        for (String memory : List.of("pinned", "pageable")) {
            if (inPlace(device)) {
                assertNull(probe.get(memory), "it works on host memory in place");
            } else {
                for (String figure : List.of("toDeviceBytesPerSecond", "fromDeviceBytesPerSecond")) {
                    Map<?, ?> measured = object(object(probe, memory), figure);
                    assertTrue(ReportSchema.number(measured, "median") > 1_000, probe::toString);
                }
            }
        }
    }

    private static boolean inPlace(Map<?, ?> device) {
        return device.get("sharesHostMemory").equals(true);
    }

    @Test
    void whatIsMeasuredIsShownAndNotKept() throws IOException {
        Cli.Result run = InProcess.run(
                        "devices", "--probe", "--devices", "0.0,0.1,jvm", "--json", folder.resolve("probe.json"))
                .silent();
        Schemas.check("devices", Cli.json(folder.resolve("probe.json")));
        List<Map<?, ?>> devices = ReportSchema.objects(Cli.json(folder.resolve("probe.json")), "devices");
        assertEquals(4, devices.size());
        for (Map<?, ?> device : devices) {
            if (device.get("id").equals("1.0")) {
                assertNull(device.get("probe"), "it was not asked for");
            } else {
                assertFigures(device);
            }
        }

        List<String> lines = run.out().lines().toList();
        int at = lines.indexOf("") + 1;
        assertTrue(at > 0 && lines.get(at).startsWith("id "), lines::toString);
        assertTrue(lines.get(at).contains(MEASURED) && lines.get(at).endsWith("both ways, GB/s"), lines::toString);
        assertEquals(
                List.of("0.0", "0.1", "jvm"),
                lines.stream()
                        .skip(at + 1)
                        .takeWhile(l -> !l.startsWith("note: "))
                        .map(l -> l.split(" ", -1)[0])
                        .filter(id -> !id.isEmpty()) // a device has a line for each kind of host memory
                        .toList());
        boolean inPlace = inPlace(devices.get(0));
        assertEquals(inPlace, lines.get(at + 1).contains("in place"), lines::toString);
        assertEquals(inPlace, lines.get(at + 1).endsWith("none needed"), lines::toString);

        Cli.Result later = InProcess.run("devices", "--devices", "0.0", "--json", folder.resolve("devices.json"))
                .silent();
        assertFalse(later.out().contains(MEASURED), later::toString);
        for (Map<?, ?> device : ReportSchema.objects(Cli.json(folder.resolve("devices.json")), "devices")) {
            assertNull(device.get("probe"));
        }
    }

    @Test
    void progressIsForATerminalAndQuietMeansQuiet() {
        Object[] arguments = {"devices", "--probe", "--devices", "jvm"};
        Cli.Result terminal = InProcess.onTerminal(arguments).done();
        assertTrue(terminal.err().contains("\rdevice jvm: launch"), terminal::toString);
        assertTrue(terminal.err().endsWith("\r"), "the line is wiped in the end");
        assertTrue(terminal.out().contains(MEASURED), terminal::toString);
        assertEquals(
                "",
                InProcess.run("devices", "--probe", "--devices", "jvm", "--quiet")
                        .silent()
                        .out());
    }

    @Test
    void aDeviceThatIsNotThereIsNamed() {
        InProcess.run("devices", "--probe", "--devices", "7.0").refused(1, "7.0");
    }
}
