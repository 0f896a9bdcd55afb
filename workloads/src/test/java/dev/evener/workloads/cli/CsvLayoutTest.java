package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of CSV for notebooks have the columns that the schemas name, and no others. */
class CsvLayoutTest {
    private static final Path SCHEMAS = Path.of("..", "docs", "schemas");

    @TempDir
    Path folder;

    /** The columns of a schema's object, as CSV writes names, and what they are called there. */
    private static Map<String, String> columns(String schema, String object) throws IOException {
        Map<?, ?> found = Cli.json(SCHEMAS.resolve(schema));
        for (String name : object.isEmpty() ? List.<String>of() : List.of("$defs", object)) {
            found = (Map<?, ?>) found.get(name);
        }
        Map<String, String> columns = new TreeMap<>();
        for (Object each : ((Map<?, ?>) found.get("properties")).keySet()) {
            String name = each.toString();
            columns.put(name.replaceAll("([a-z])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT), name);
        }
        return columns;
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
        Map<String, String> columns = columns("sweep.json", "");
        assertEquals(columns.keySet(), new TreeSet<>(rows.get(0)));
        assertEquals(1 + 2 * 2 * 2 * 2, rows.size(), "a row for each run");
        rows.forEach(row -> assertEquals(rows.get(0).size(), row.size(), row::toString));
        for (List<String> row : rows.subList(1, rows.size())) {
            Map<String, Object> named = new HashMap<>();
            for (int i = 0; i < row.size(); i++) {
                String cell = row.get(i);
                Object value = cell.isEmpty() ? null : cell.matches("[-0-9.E]+") ? Double.valueOf(cell) : cell;
                named.put(columns.get(rows.get(0).get(i)), value);
            }
            Schemas.check("sweep", named);
        }
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
        Set<String> documented = columns("jobs.json", "outcome").keySet();
        assertTrue(documented.containsAll(rows.get(0)), () -> rows.get(0) + " beside " + documented);
        assertTrue(rows.get(0).containsAll(List.of("line", "job", "due_seconds", "ended_seconds", "failure")));
        assertEquals(20, rows.size(), "a row for each job");
    }
}
