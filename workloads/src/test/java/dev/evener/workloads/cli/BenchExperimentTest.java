package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.evener.InTurn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Experiments that files describe, as a program: runs, goes on after it was killed, and says what is wrong. */
@InTurn(3)
class BenchExperimentTest {
    private static final String DESCRIPTION = """
            {"format": "evener-experiment", "version": 1, "name": "mine", "devices": ["0.0,0.1"],
             "workloads": [
               {"workload": "fma", "parameters": {"steps": [1, 2]}, "sizes": [1000, "2Ki"]},
               {"workload": "saxpy", "sizes": [3000], "policies": ["history"]}
             ],
             "policies": ["static"], "repeat": 2, "warmUp": 0, "sweep": 2, "verify": true}
            """;

    @TempDir
    Path folder;

    private Path write(String description) throws IOException {
        Path file = folder.resolve("mine.json");
        Files.writeString(file, description);
        return file;
    }

    /** The whole lines of the file of results: one that a killed process left half is no result, and is cut off. */
    private List<String> kept() {
        try {
            Path results = folder.resolve("mine.results.jsonl");
            String text = Files.exists(results) ? Files.readString(results) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void itIsRunAndReportedAsOtherCasesAre() throws IOException {
        write(DESCRIPTION);
        Path mine = folder.resolve("mine.json");
        Cli.Result run = InProcess.run(
                        "bench", mine, "--json", folder.resolve("m.json"), "--csv", folder.resolve("m.csv"))
                .silent();
        Map<String, Object> json = Cli.json(folder.resolve("m.json"));
        Schemas.check("bench", json);
        assertEquals("mine", json.get("experiment"));
        List<Map<?, ?>> results = ReportSchema.objects(json, "results");
        assertEquals(
                List.of("fma 1000 {steps=1}", "fma 2048 {steps=1}", "fma 1000 {steps=2}", "fma 2048 {steps=2}"),
                results.subList(0, 4).stream()
                        .map(c -> c.get("workload") + " " + c.get("items") + " " + c.get("parameters"))
                        .toList());
        assertEquals(5, results.size());
        assertEquals(
                4L * 4 + 4,
                BenchSchema.csv(Files.readString(folder.resolve("m.csv"))).size());
        assertTrue(
                run.out().contains("fma, 1000 floats, steps=1, devices 0.0,0.1 (0.0, 0.1), 2 rounds"), run::toString);
        List<String> lines = run.out().lines().toList();
        int matrix = lines.indexOf(lines.stream()
                .filter(l -> l.startsWith("workload "))
                .findFirst()
                .orElseThrow());
        assertTrue(lines.get(matrix)
                .matches("workload +items +with +devices +best single +static best +static equal +history"));
        assertTrue(
                lines.get(matrix + 5).matches("saxpy +3000 +- +0.0,0.1 +0\\.[01], .* [0-9.]+ +- +[0-9.]+"),
                run::toString);
        assertEquals(1 + 5, kept().size());

        // Again, with everything found: the same figures, and nothing is measured.
        Cli.Result again =
                InProcess.run("bench", mine, "--json", folder.resolve("n.json")).silent();
        assertTrue(again.out().contains("5 of 5 cases were measured before, and not again"), again::toString);
        assertEquals(results, Cli.json(folder.resolve("n.json")).get("results"));
        assertEquals(
                lines.subList(0, matrix + 6), again.out().lines().toList().subList(0, matrix + 6), "the same tables");

        // Something is changed: the two results with two steps are others, and one more is there.
        write(DESCRIPTION.replace("\"steps\": [1, 2]", "\"steps\": [1, 3]").replace("[3000]", "[3000, 4000]"));
        Cli.Result changed = InProcess.run("bench", mine).silent();
        assertTrue(changed.out().contains("3 of 6 cases were measured before, and not again"), changed::toString);
        assertEquals(1 + 5 + 3, kept().size());

        Cli.Result fresh =
                InProcess.run("bench", mine, "--fresh", "--repeat", 1).silent();
        assertFalse(fresh.out().contains("made before"), fresh::toString);
        assertEquals(1 + 6, kept().size());
    }

    /** Killed in mid-run by a signal that no program sees, more than once, it ends up where it would have without. */
    @Test
    void itGoesOnWhereItWasKilled() throws IOException {
        write(DESCRIPTION.replace("\"warmUp\": 0", "\"warmUp\": 0.2"));
        Cli cli = Cli.in(folder);
        List<String> second = List.of();
        while (second.isEmpty() || second.size() == 1 + 5) { // once more where the killing came too late
            Files.deleteIfExists(folder.resolve("mine.results.jsonl"));
            cli.killed(() -> kept().size() >= 2, "bench", "mine.json");
            List<String> first = List.copyOf(kept());
            int before = first.size();
            if (before < 1 + 5) {
                cli.killed(() -> kept().size() > before, "bench", "mine.json");
            }
            second = List.copyOf(kept());
            assertEquals(first, second.subList(0, before), "what was there is not touched");
        }
        int finished = second.size() - 1;
        Cli.Result run = cli.run("bench", "mine.json", "--json", "m.json").silent();
        assertTrue(run.out().contains(finished + " of 5 cases were measured before"), run::toString);
        assertEquals(second, kept().subList(0, second.size()));
        assertEquals(1 + 5, kept().size());
        Schemas.check("bench", Cli.json(folder.resolve("m.json")));
    }

    /** The device is healthy while the split is chosen, and gone when it counts; elsewhere it stays what it was. */
    @Test
    void faultsMayBeginWithTheMeasurement() throws IOException {
        write(DESCRIPTION.replace(
                "\"policies\": [\"static\"],",
                "\"policies\": [\"static\"], \"scenarios\": [{\"name\": \"healthy\"},"
                        + " {\"name\": \"gone\", \"faults\": [\"lane=1,fault=die\"], \"from\": \"measurement\"}],"));
        Cli.Result run = InProcess.run(
                        "bench",
                        folder.resolve("mine.json"),
                        "--out",
                        folder.resolve("kept.jsonl"),
                        "--json",
                        folder.resolve("m.json"))
                .done();
        Map<String, Object> json = Cli.json(folder.resolve("m.json"));
        Schemas.check("bench", json);
        List<Map<?, ?>> results = ReportSchema.objects(json, "results");
        assertEquals(10, results.size());
        for (Map<?, ?> result : results) {
            boolean gone = "gone".equals(result.get("scenario"));
            assertEquals(gone ? List.of("lane=1,fault=die") : List.of(), result.get("faults"));
            assertEquals(gone ? "measurement" : null, result.get("faultsFrom"));
            assertEquals(
                    gone,
                    ReportSchema.objects(result, "contenders").stream()
                            .anyMatch(c -> !List.of().equals(c.get("recovered"))),
                    result::toString);
            assertTrue(
                    ReportSchema.objects(result, "sweep").stream()
                            .anyMatch(s -> ReportSchema.numbers(s, "shares")[1] > 0.4),
                    "half went to it while splits were tried");
        }
        assertTrue(run.out().contains(", gone, devices 0.0,0.1"), run::toString);
        assertTrue(Files.exists(folder.resolve("kept.jsonl")));
        assertEquals(List.of(), kept());
    }

    /** Those that come with Evener are known by name, and results go to the current folder. */
    @Test
    void oneThatComesWithEvenerIsKnownByItsName() throws IOException {
        Cli.Result run = Cli.in(folder)
                .run(
                        "bench",
                        "when-it-pays",
                        "--sizes",
                        "1Ki",
                        "--devices",
                        "jvm",
                        "--repeat",
                        1,
                        "--warm-up",
                        0,
                        "--quiet",
                        "--csv",
                        "-")
                .silent();
        assertEquals(3 * 4, BenchSchema.csv(run.out()).size());
        assertEquals(List.of("when-it-pays.results.jsonl"), Cli.names(folder));
    }

    @Test
    void whatIsWrongIsSaid() throws IOException {
        Path file = write(DESCRIPTION.replace("\"history\"", "\"historic\""));
        InProcess.run("bench", file)
                .refused(2, file + ": workloads[1].policies[0]: unknown policy 'historic': expected one of single, ");
        write(DESCRIPTION.replace("0.0,0.1", "7.7"));
        InProcess.run("bench", file).refused(1, "7.7");
        assertEquals(List.of("mine.json"), Cli.names(folder), "nothing was begun");
        write(DESCRIPTION);
        InProcess.run("bench", file, "--sizes", "12X").refused(2, "evener: --sizes[0]: '12X' is not a size");
        InProcess.run("bench", file, "--out", folder).refused(1, folder.toString());
        Path notes = folder.resolve("notes.txt");
        Files.writeString(notes, "mine\n");
        InProcess.run("bench", file, "--out", notes).refused(1, notes + ": is no file of results", "--out");
        assertEquals("mine\n", Files.readString(notes));
        assertEquals(List.of("mine.json", "notes.txt"), Cli.names(folder));
    }

    @Test
    void processesMeasureForThemselvesAndGoOn() throws IOException {
        write("""
                {"format": "evener-experiment", "version": 1, "name": "mine", "devices": ["0.0,0.1"],
                 "workloads": [{"workload": "saxpy", "sizes": [3000]}],
                 "policies": ["static"], "repeat": 3, "warmUp": 0, "sweep": 0, "verify": true}
                """);
        Path mine = folder.resolve("mine.json");
        Map<String, Object> json = InProcess.run("bench", mine, "--processes", 2, "--json", "-")
                .done()
                .json();
        Schemas.check("bench", json);
        Map<?, ?> result = ReportSchema.objects(json, "results").get(0);
        assertEquals(List.of(2, 6), List.of(result.get("processes"), result.get("rounds")));
        for (Map<?, ?> each : ReportSchema.objects(result, "contenders")) {
            assertEquals(6, ((List<?>) each.get("seconds")).size());
            assertEquals(true, each.get("verified"));
            double median = ReportSchema.number(each, "medianSeconds");
            assertTrue(ReportSchema.number(each, "medianLowSeconds") <= median, each::toString);
            assertTrue(ReportSchema.number(each, "medianHighSeconds") >= median, each::toString);
        }
        List<String> two = kept();
        assertEquals(1 + 2, two.size());
        Cli.Result more = InProcess.run("bench", mine, "--processes", 3).done();
        assertTrue(more.out().contains("9 rounds in 3 processes"), more::toString);
        assertEquals(two, kept().subList(0, 3), "what was there is not measured again");
        assertEquals(1 + 3, kept().size());
        InProcess.run("bench", mine, "--processes", 2, "--record", folder.resolve("r"))
                .refused(2, "--processes");
        InProcess.run("bench", "policies", "--processes", 2).refused(2, "--processes goes with devices");
        InProcess.run("bench", mine, "--processes", 0).refused(2, "--processes");
    }
}
