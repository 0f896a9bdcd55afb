package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code evener resident} as a process: what it measures, checks and refuses. */
class ResidentTest {
    @TempDir
    Path folder;

    private Cli cli() {
        return Cli.in(folder).with("EVENER_CACHE", folder.resolve("cache"));
    }

    @Test
    void everyCaseIsMeasuredAndRight() throws IOException {
        Path other = folder.resolve("other.json");
        Files.writeString(other, "{\"name\": \"scan-uint32\", \"seconds\": 1000000}\n");
        Path report = folder.resolve("report.json");
        Cli.Result run = cli().run(
                        "resident",
                        "--devices",
                        "0.0",
                        "--part",
                        "0.0001",
                        "--repeat",
                        1,
                        "--against",
                        other,
                        "--json",
                        report)
                .silent();
        assertEquals(0, run.code(), run::out);
        List<Map<?, ?>> results = ReportSchema.objects(Cli.json(report), "results");
        assertEquals(13, results.size());
        for (Map<?, ?> result : results) {
            assertNull(result.get("problem"), result::toString);
            assertTrue(((Number) result.get("speed")).doubleValue() > 0, result::toString);
            boolean scan = "scan-uint32".equals(result.get("name"));
            assertEquals(scan, result.get("ofOther") != null, result::toString);
            assertTrue(!scan || ((Number) result.get("ofOther")).doubleValue() > 1000, result::toString);
        }
        assertTrue(run.out().contains("histogram-bytes-constant"), run::out);
    }

    @Test
    void whatIsUnknownIsRefused() {
        Cli.Result run = InProcess.run("resident", "nothing");
        assertEquals(2, run.code());
        assertTrue(run.err().contains("no case begins with 'nothing'"), run::err);
        assertEquals(
                2, InProcess.run("resident", "scan", "--try", "scan.groups=3").code());
    }
}
