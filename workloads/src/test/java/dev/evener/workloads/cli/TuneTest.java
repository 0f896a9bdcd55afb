package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import dev.evener.kernels.tuning.Parameter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code evener tune} as a process, with a cache of its own: what it measures, keeps, shows and forgets. */
@InTurn(2)
class TuneTest {
    @TempDir
    Path folder;

    private Cli cli() {
        return Cli.in(folder).with("EVENER_CACHE", folder.resolve("cache"));
    }

    private Path file() {
        return folder.resolve("cache").resolve("tuning.json");
    }

    /** Those of a scan that are measured on a device. */
    private static List<Parameter> ofScans(Map<?, ?> device) {
        return device.get("type").equals("cpu")
                ? List.of(Parameter.SCAN_CPU_GROUPS)
                : List.of(Parameter.SCAN_GROUPS, Parameter.SCAN_TILES);
    }

    private void keep(Map<?, ?> one, String parameter, int value) throws IOException {
        String device = one.get("platform") + "|" + one.get("name") + "|" + one.get("driver") + "|"
                + one.get("computeUnits") + " units";
        Files.createDirectories(file().getParent());
        Files.writeString(file(), """
                {"format": "evener-tuning", "version": 1, "devices": [
                  {"device": "%s", "parameters": {"%s": {"value": %d, "gain": 1.2}}}]}
                """.formatted(device, parameter, value));
    }

    @Test
    void onePrimitiveIsMeasuredAndKept() throws IOException {
        Path report = folder.resolve("report.json");
        Cli.Result run = cli().run("tune", "scan", "--quick", "--repeat", 2, "--devices", "0.0", "--json", report)
                .silent();
        assertTrue(run.out().startsWith("0.0 ("), run::out);
        assertTrue(run.out().endsWith("kept in " + file() + System.lineSeparator()), run::out);
        assertTrue(Files.exists(file()));
        Schemas.check("tune", Cli.json(report));
        List<Map<?, ?>> measured = ReportSchema.objects(Cli.json(report), "parameters");
        List<Parameter> expected = ofScans(InProcess.device("0.0"));
        assertEquals(
                expected.stream().map(Parameter::text).toList(),
                measured.stream().map(m -> m.get("parameter")).toList());
        for (int i = 0; i < measured.size(); i++) {
            String name = expected.get(i).text();
            assertTrue(run.out().contains(name + " "), run::out);
            List<Map<?, ?>> candidates = ReportSchema.objects(measured.get(i), "candidates");
            assertEquals(
                    expected.get(i).choices(),
                    candidates.stream().map(c -> c.get("value")).toList());
            for (Map<?, ?> candidate : candidates) {
                assertTrue(ReportSchema.number(candidate, "medianSeconds") > 0, candidate::toString);
            }
            assertEquals(
                    Files.readString(file()).contains(name), measured.get(i).get("kept"));
        }
    }

    @Test
    void aDryRunKeepsNothing() {
        Cli.Result run = cli().run("tune", "map", "--quick", "--dry-run", "--repeat", 1, "--devices", "0.1")
                .silent();
        assertTrue(run.out().endsWith("nothing was kept (--dry-run)" + System.lineSeparator()), run::out);
        assertFalse(Files.exists(file()));
    }

    @Test
    void whatIsKeptIsUsedShownAndForgotten() throws IOException {
        Map<?, ?> device = InProcess.device("0.0");
        String parameter = ofScans(device).get(0).text();
        boolean cpu = device.get("type").equals("cpu");
        int value = cpu ? 128 : 1024;
        keep(device, parameter, value);
        String[] scan = {"run", "scan", "--size", "64Ki", "--devices", "0.0", "--verify", "--verbose"};
        Cli.Result tuned = cli().run((Object[]) scan).done();
        String own = Pattern.quote(parameter + "=" + value);
        String all = cpu ? own : "(.+, )?" + own + "(, .+)?"; // GPUs have values that come with the program besides
        assertTrue(tuned.err().matches("evener: tuned: " + all + "\\R"), tuned::err);
        Object[] untuned = Arrays.copyOf(scan, scan.length + 1, Object[].class);
        untuned[scan.length] = "--no-tuning";
        cli().run(untuned).silent();
        String list = cli().run("tune", "--list").silent().out();
        for (Parameter each : Parameter.values()) {
            assertTrue(list.contains(each.text() + " "), list);
        }
        assertTrue(list.contains(value + "  1.20 x  "), list);
        cli().run("tune", "--clear").silent();
        assertFalse(Files.exists(file()));
        assertTrue(cli().run("tune", "--list").silent().out().contains("nothing is kept in "));
    }

    @Test
    void whatIsWrongIsRefused() {
        InProcess.run("tune", "quicksort").refused(2, "unknown primitive 'quicksort'", "histogram");
        InProcess.run("tune", "--repeat", 0).refused(2, "--repeat", "between 1 and");
        InProcess.run("tune", "--list", "--clear").refused(2, "--list and --clear");
        InProcess.run("tune", "scan", "--devices", "9.9").refused(1, "9.9");
    }

    @Test
    void theJvmLaneHasNothingToTune() {
        Cli.Result run = InProcess.run("tune", "--devices", "jvm", "--dry-run").silent();
        assertTrue(run.out().contains("jvm: the JVM lane has nothing to tune"), run::out);
    }
}
