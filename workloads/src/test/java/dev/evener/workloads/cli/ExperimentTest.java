package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.workloads.experiment.Experiment;
import dev.evener.workloads.experiment.Experiments;
import dev.evener.workloads.workload.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code evener experiment}: a table for each device, JSON, CSV, and what it refuses. */
class ExperimentTest {
    @TempDir
    Path folder;

    static Stream<Experiment> all() {
        return Experiments.all().stream();
    }

    private static Map<String, String> table(String heading) throws IOException {
        return ReportSchema.table(Files.readString(Path.of("..", "docs", "experiments.md")), heading);
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyFormOfTheResultHoldsTheSame(Experiment experiment) throws IOException {
        Path csv = folder.resolve("e.csv");
        Path file = folder.resolve("e.json");
        Cli.Result run = InProcess.run(
                        "experiment",
                        experiment.name(),
                        "--size",
                        "4Ki",
                        "--repeat",
                        2,
                        "--devices",
                        "0.0",
                        "--csv",
                        csv,
                        "--json",
                        file)
                .silent();
        Map<String, Object> json = Cli.json(file);
        ReportSchema.object("report", json, table("## JSON\n"));
        List<Map<?, ?>> findings = ReportSchema.objects(json, "findings");
        Map<String, String> fields = table("A finding:\n");
        findings.forEach(f -> ReportSchema.object("finding", f, fields));
        assertEquals(experiment.cells().size(), findings.size());
        List<String> rows = Files.readAllLines(csv);
        assertEquals(findings.size() + 1, rows.size());
        List<String> lines = run.out().lines().toList();
        assertTrue(lines.get(0).startsWith(experiment.name() + ", 4096 "), run::toString);
        for (int i = 0; i < experiment.values().size(); i++) {
            assertTrue(lines.get(2 + i).strip().startsWith(experiment.values().get(i)), run::toString);
        }
        for (Map<?, ?> finding : findings) {
            if (!finding.get("way").equals("collective")) {
                assertEquals(null, finding.get("problem"), finding::toString);
                assertTrue(ReportSchema.number(finding, "medianSeconds") > 0);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void experimentsSetWhatThereIs(Experiment experiment) {
        for (Experiment.Cell cell : experiment.cells()) {
            Map<String, Object> values = Values.of(cell.workload(), cell.set()).toMap();
            cell.set()
                    .forEach((name, value) ->
                            assertEquals(value, values.get(name).toString()));
        }
        assertEquals(
                experiment.values().size() * experiment.ways().size(),
                experiment.cells().size());
        assertTrue(InProcess.run("experiment", "--list").silent().out().contains("\n" + experiment.name() + " "));
    }

    @Test
    void whatCannotBeDoneIsRefused() {
        InProcess.run("experiment").refused(2, "name an experiment", Experiments.names());
        InProcess.run("experiment", "sun").refused(2, "unknown experiment 'sun'", Experiments.names());
        InProcess.run("experiment", "segmented-scan", "--size", "0").refused(2, "--size");
        InProcess.run("experiment", "segmented-scan", "--repeat", "0").refused(2, "--repeat: 0");
        InProcess.run("experiment", "segmented-scan", "--distribution", "x").refused(2, "--distribution", "'x'");
        InProcess.run("experiment", "segmented-scan", "--devices", "7.7").refused(1, "7.7");
        InProcess.run("experiment", "segmented-scan", "--json", "-", "--csv", "-")
                .refused(2, "--json", "--csv");
        InProcess.run("experiment", "segmented-scan", "--json", folder).refused(1, "is a folder");
    }
}
