package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code evener experiment} on streams of frames: every way in the table, JSON and CSV, and what it refuses. */
class PipelineExperimentTest {
    private static final List<String> WAYS =
            List.of("alone 0.0", "alone 0.1", "frames split", "stages 0.0 > 0.1", "stages 0.1 > 0.0", "stages split");

    @TempDir
    Path folder;

    private static Map<String, String> table(String heading) throws IOException {
        return ReportSchema.table(Files.readString(Path.of("..", "docs", "pipeline.md")), heading);
    }

    @ParameterizedTest
    @ValueSource(strings = {"canny-pipeline", "tonemap-pipeline"})
    void everyWayIsMeasured(String experiment) throws IOException {
        Path csv = folder.resolve("e.csv");
        Path file = folder.resolve("e.json");
        Cli.Result run = InProcess.run(
                        "experiment",
                        experiment,
                        "--size",
                        "200x150",
                        "--frames",
                        7,
                        "--slots",
                        3,
                        "--repeat",
                        2,
                        "--devices",
                        "0.0,0.1",
                        "--csv",
                        csv,
                        "--json",
                        file)
                .silent();
        List<String> lines = run.out().lines().toList();
        assertTrue(
                lines.get(0).startsWith(experiment + ", 7 frames of 200 x 150, 3 under way, medians of 2 rounds"),
                run::toString);
        Map<String, Object> json = Cli.json(file);
        ReportSchema.object("report", json, table("## JSON\n"));
        List<Map<?, ?>> findings = ReportSchema.objects(json, "findings");
        Map<String, String> fields = table("A finding:\n");
        Map<String, String> report = table("A report (`PipelineReport.toMap()`):\n");
        List<String> rows = Files.readAllLines(csv);
        for (int i = 0; i < WAYS.size(); i++) {
            Map<?, ?> finding = findings.get(i);
            ReportSchema.object("finding", finding, fields);
            Map<?, ?> last = (Map<?, ?>) finding.get("lastRound");
            ReportSchema.object("lastRound", last, report);
            assertEquals(7, ReportSchema.number(last, "items"));
            assertEquals(
                    WAYS.get(i).startsWith("stages") ? 2 : 1,
                    ReportSchema.objects(last, "stages").size());
            assertEquals(WAYS.get(i), finding.get("way"));
            assertEquals(null, finding.get("problem"));
            assertTrue(ReportSchema.number(finding, "framesPerSecond") > 0);
            assertTrue(lines.get(2 + i).startsWith(WAYS.get(i)), run::toString);
            assertTrue(rows.get(1 + i).startsWith(experiment + "," + WAYS.get(i) + ",7,3,"), rows::toString);
        }
        assertEquals(WAYS.size(), findings.size());
        assertEquals(WAYS.size() + 1, rows.size());
    }

    @Test
    void framesFromFiles() {
        Path samples = Path.of("samples");
        String out = InProcess.run(
                        "experiment",
                        "tonemap-pipeline",
                        "--devices",
                        "0.0",
                        "--frames",
                        4,
                        "--repeat",
                        1,
                        "--input",
                        samples.resolve("city.hdr"),
                        "--input",
                        samples.resolve("studio.hdr"))
                .silent()
                .out();
        assertTrue(out.contains("tonemap-pipeline, 4 frames of "), out);
    }

    @Test
    void whatCannotBeDoneIsRefused() {
        assertTrue(InProcess.run("experiment", "--list").silent().out().contains("\ncanny-pipeline "));
        InProcess.run("experiment", "canny-pipeline", "--size", "64").refused(2, "--size", "1920x1080");
        InProcess.run("experiment", "canny-pipeline", "--size", "0x64").refused(2, "--size");
        InProcess.run("experiment", "tonemap-pipeline", "--size", "99999x99999", "--devices", "0.0")
                .refused(2, "--size", "2 GiB");
        InProcess.run("experiment", "canny-pipeline", "--frames", "0").refused(2, "--frames: 0");
        InProcess.run("experiment", "canny-pipeline", "--slots", "0").refused(2, "--slots: 0");
        InProcess.run("experiment", "canny-pipeline", "--input", "x.hdr").refused(2, "--input");
        InProcess.run("experiment", "canny-pipeline", "--distribution", "sorted")
                .refused(2, "--distribution");
        InProcess.run("experiment", "tonemap-pipeline", "--input", "x.hdr", "--size", "8x8")
                .refused(2, "--size");
        InProcess.run("experiment", "tonemap-pipeline", "--input", "x.hdr", "--devices", "0.0")
                .refused(1, "x.hdr");
        InProcess.run("experiment", "segmented-scan", "--frames", "3").refused(2, "--frames", "segmented-scan");
        InProcess.run("experiment", "canny-pipeline", "--devices", "7.7").refused(1, "7.7");
    }
}
