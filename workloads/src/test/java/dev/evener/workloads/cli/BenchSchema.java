package dev.evener.workloads.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the CSV of {@code bench}. */
final class BenchSchema {
    private static final Pattern CELL = Pattern.compile("(?:\"([^\"]*)\"|([^,]*)),");

    private BenchSchema() {}

    /** Fails unless every row has as many cells as there are headings; returns the rows by heading. */
    static List<Map<String, String>> csv(String csv) {
        List<List<String>> lines = csv.lines().map(BenchSchema::cells).toList();
        List<Map<String, String>> rows = new ArrayList<>();
        for (List<String> cells : lines.subList(1, lines.size())) {
            assertEquals(lines.get(0).size(), cells.size(), cells::toString);
            Map<String, String> row = new LinkedHashMap<>();
            cells.forEach(cell -> row.put(lines.get(0).get(row.size()), cell));
            rows.add(row);
        }
        assertTrue(csv.endsWith(System.lineSeparator()));
        return rows;
    }

    /** Cells of a line without escaped quotes; the closing comma makes every cell end alike. */
    private static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        Matcher matcher = CELL.matcher(line + ",");
        while (matcher.find()) {
            cells.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
        }
        return cells;
    }
}
