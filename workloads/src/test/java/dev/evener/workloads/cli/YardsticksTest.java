package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code evener yardsticks} as a process, on a thousandth of its data. */
class YardsticksTest {
    @TempDir
    Path folder;

    @Test
    void everyPrimitiveIsHeldAgainstSomething() throws IOException {
        Path report = folder.resolve("report.json");
        Cli.Result run = Cli.in(folder)
                .run("yardsticks", "--part", "0.001", "--repeat", 2, "--devices", "0.0", "--json", report)
                .silent();
        assertTrue(run.out().startsWith("device 0.0 ("), run::out);
        List<Map<?, ?>> all = ReportSchema.objects(Cli.json(report), "yardsticks");
        Map<?, ?> device = Cli.in(folder).device("0.0");
        double cores = ReportSchema.number(device, "computeUnits");
        Set<String> primitives = new TreeSet<>();
        for (Map<?, ?> each : all) {
            String name = (String) each.get("primitive");
            primitives.add(name.contains(",") ? name.substring(0, name.indexOf(',')) : name);
            assertTrue(run.out().contains(name), () -> name + " is missing in " + run.out());
            assertTrue(ReportSchema.number(each, "speed") > 0, each::toString);
            double reached = ReportSchema.number(each, "reached");
            assertTrue(reached > 0 && ReportSchema.number(each, "aim") > 0, each::toString);
            if (each.get("againstSpeed") == null) {
                assertEquals("for each core", each.get("against"));
                // Within what percentiles of two times may differ by.
                assertTrue(reached >= ReportSchema.number(each, "reachedLow"), each::toString);
                assertEquals(ReportSchema.number(each, "speed"), reached * cores, 1e-6 * reached, each::toString);
            } else {
                assertTrue(ReportSchema.number(each, "againstSpeed") > 0, each::toString);
            }
        }
        Set<String> expected = new TreeSet<>(
                Set.of("histogram of bytes", "radix sort of int32", "scan of int32", "sum of int32", "tone mapping"));
        if (device.get("sharesHostMemory").equals(false)) {
            expected.addAll(Set.of("transfers up", "transfers down", "transfers both"));
        }
        assertEquals(expected, primitives);
    }

    @Test
    void wrongNumbersAreRefused() {
        InProcess.run("yardsticks", "--repeat", 0).refused(2, "--repeat: 0 is not between 1 and 10000");
        InProcess.run("yardsticks", "--part", "1.5").refused(2, "--part: 1.5 is not above 0 and at most 1");
    }
}
