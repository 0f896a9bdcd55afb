package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of CSV for notebooks have the columns that the documents name, and no others. */
class CsvLayoutTest {
    private static final Path DOCS = Path.of("..", "docs");

    @TempDir
    Path folder;

    /** What a paragraph has between backticks, as CSV writes names. */
    private static Set<String> named(String document, String beginning) throws IOException {
        String text = Files.readString(DOCS.resolve(document));
        int from = text.indexOf(beginning);
        assertTrue(from >= 0, () -> document + " has no '" + beginning + "'");
        int end = text.indexOf("\n\n", from);
        Matcher names = Pattern.compile("`([a-z][A-Za-z0-9]*)`").matcher(text.substring(from, end));
        Set<String> found = new TreeSet<>();
        while (names.find()) {
            found.add(names.group(1).replaceAll("([a-z])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT));
        }
        return found;
    }

    private static List<List<String>> rows(String csv) {
        return csv.lines().map(line -> List.of(line.split(",", -1))).toList();
    }

    @Test
    void sweeps() throws IOException {
        Path file = Files.writeString(folder.resolve("s.json"), """
                {"format": "evener-experiment", "version": 1, "name": "s", "question": "?", "machines": [{"random": 2}],
                 "traces": [{"series": 40}, {"jobs": 5, "seconds": 0.01}], "policies": ["static", "guided"], "seeds": 2}
                """);
        Path csv = folder.resolve("s.csv");
        InProcess.run("bench", file, "--csv", csv, "--quiet").done();
        List<List<String>> rows = rows(Files.readString(csv));
        Set<String> documented = named("bench.md", "Of each run: ");
        documented.remove("series"); // a kind of trace
        documented.addAll(named("bench.md", "The rows of `--csv` are what notebooks want"));
        documented.removeIf(
                name -> name.equals("makespan_seconds") && !rows.get(0).contains(name));
        assertEquals(documented, new TreeSet<>(rows.get(0)));
        assertEquals(1 + 2 * 2 * 2 * 2, rows.size(), "a row for each run");
        rows.forEach(row -> assertEquals(rows.get(0).size(), row.size(), row::toString));
        int makespan = rows.get(0).indexOf("makespan_seconds");
        rows.subList(1, rows.size()).forEach(row -> assertTrue(Double.parseDouble(row.get(makespan)) > 0));
    }

    @Test
    void jobsOfTraces() throws IOException {
        Path csv = folder.resolve("t.csv");
        Path samples = Path.of("samples");
        InProcess.run(
                        "simulate",
                        samples.resolve("pods.csv"),
                        "--machine",
                        samples.resolve("machine.json"),
                        "--csv",
                        csv,
                        "--quiet")
                .done();
        List<List<String>> rows = rows(Files.readString(csv));
        Set<String> documented = named("records.md", "`--json FILE` writes, times in seconds: `jobs`");
        documented.add("job");
        assertTrue(documented.containsAll(rows.get(0)), () -> rows.get(0) + " beside " + documented);
        assertTrue(rows.get(0).containsAll(List.of("line", "job", "due_seconds", "ended_seconds", "failure")));
        assertEquals(20, rows.size(), "a row for each job");
    }
}
