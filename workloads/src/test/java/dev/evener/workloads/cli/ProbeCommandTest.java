package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code devices --probe} as a user sees it, and what it is good for afterwards. */
class ProbeCommandTest {
    private static final String MEASURED = "launch, us";

    @TempDir
    Path folder;

    private Cli cli() {
        return Cli.in(folder).with("EVENER_CACHE", folder.resolve("cache"));
    }

    private static Map<?, ?> object(Map<?, ?> json, String name) {
        return (Map<?, ?>) json.get(name);
    }

    private static void assertFigures(Map<?, ?> device) throws IOException {
        Map<?, ?> probe = object(device, "probe");
        String page = Files.readString(Path.of("..", "docs", "report.md"));
        ReportSchema.object("probe", probe, ReportSchema.table(page, "A `probe`:\n"));
        for (String name : List.of("launchSeconds", "copyBytesPerSecond", "readBytesPerSecond")) {
            Map<?, ?> figure = object(probe, name);
            ReportSchema.object(name, figure, ReportSchema.table(page, "Each figure is an object:\n"));
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
    void whatIsMeasuredIsShownKeptAndUsed() throws IOException {
        Map<String, Object> json = cli().run("devices", "--probe", "--devices", "0.0,0.1,jvm", "--json", "-")
                .silent()
                .json();
        List<Map<?, ?>> devices = ReportSchema.objects(json, "devices");
        assertEquals(4, devices.size());
        for (Map<?, ?> device : devices) {
            if (device.get("id").equals("1.0")) {
                assertNull(device.get("probe"), "it was not asked for");
            } else {
                assertFigures(device);
            }
        }
        assertEquals(
                "evener-probes", Cli.json(folder.resolve("cache/probes.json")).get("format"));

        // Measured once, shown whenever devices are listed, whichever are selected.
        List<String> lines =
                cli().run("devices", "--devices", "jvm").silent().out().lines().toList();
        int at = lines.indexOf("") + 1;
        assertTrue(at > 0 && lines.get(at).startsWith("id "), lines::toString);
        assertTrue(lines.get(at).contains(MEASURED) && lines.get(at).endsWith("both ways, GB/s"), lines::toString);
        assertEquals(
                List.of("0.0", "0.1", "jvm"),
                lines.stream()
                        .skip(at + 1)
                        .map(l -> l.split(" ", -1)[0])
                        .filter(id -> !id.isEmpty()) // a device has a line for each kind of host memory
                        .toList());
        boolean inPlace = inPlace(devices.get(0));
        assertEquals(inPlace, lines.get(at + 1).contains("in place"), lines::toString);
        assertEquals(inPlace, lines.get(at + 1).endsWith("none needed"), lines::toString);
        List<Map<?, ?>> again = ReportSchema.objects(
                cli().run("devices", "--devices", "0.0,0.1,jvm", "--json", "-")
                        .silent()
                        .json(),
                "devices");
        for (List<Map<?, ?>> each : List.of(devices, again)) {
            each.forEach(device -> device.remove("clockMhz")); // some drivers say what it is at the moment
        }
        assertEquals(devices, again);

        // A job never seen before rests on it, and a moment later does not any more.
        String first = explained(1);
        assertTrue(first.contains("by what the devices were probed to do"), first);
        assertTrue(first.contains("at least, from what the devices were probed to do"), first);
        String later = explained(12);
        assertFalse(later.contains("probed"), later);
    }

    /** Of the last of so many runs. */
    private String explained(int repeat) {
        return cli().run("run", "saxpy", "--size", "100000", "--devices", "0.0,0.1", "--explain", "--repeat", repeat)
                .done()
                .out();
    }

    @Test
    void aDamagedFileIsSetAsideWithAWarning() throws IOException {
        Path file = folder.resolve("cache/probes.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "{ garbage");
        Cli.Result run = cli().run("devices", "--devices", "0.0").done();
        assertEquals(1, run.err().lines().count(), run::toString);
        assertTrue(
                run.err().startsWith("evener: warning: the file of measured devices " + file + " cannot be used")
                        && run.err().endsWith("it was set aside as probes.json.damaged\n"),
                run::toString);
        assertFalse(run.out().contains(MEASURED), run::toString);
        assertEquals("{ garbage", Files.readString(folder.resolve("cache/probes.json.damaged")));
        cli().run("devices", "--devices", "0.0").silent();
    }

    @Test
    void progressIsForATerminalAndQuietMeansQuiet() {
        Object[] arguments = {"devices", "--probe", "--devices", "jvm"};
        Cli.Result terminal = cli().jvm("-Devener.terminal=true").run(arguments).done();
        assertTrue(terminal.err().contains("\rdevice jvm: launch"), terminal::toString);
        assertTrue(terminal.err().endsWith("\r"), "the line is wiped in the end");
        assertTrue(terminal.out().contains(MEASURED), terminal::toString);
        assertEquals(
                "",
                cli().run("devices", "--probe", "--devices", "jvm", "--quiet")
                        .silent()
                        .out());
    }

    @Test
    void aDeviceThatIsNotThereIsNamed() {
        InProcess.run("devices", "--probe", "--devices", "7.0").refused(1, "7.0");
    }
}
